/* output.h - chooses the format of an output file by its name's ending, and writes its bytes. */
#ifndef HEATSCOPE_OUTPUT_H
#define HEATSCOPE_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#define OUTPUT_ENDINGS ".png, .pdf, .svg, .html, .csv or .json"

/* Returns the format by the name's ending, "png" ...; "png" without an ending, or without a file; NULL: unknown
 * ending. */
const char *output_format(const char *file);

/* Is it one of OUTPUT_ENDINGS? */
int output_known(const char *format);

/* Writes every byte unchanged; to a terminal it escapes them as show.h does, except the ends of lines. */
int output_put(FILE *f, const char *format, const void *data, size_t len);

/* The same into a file; NULL and "-": standard output.  -errno with a sentence in `reason`. */
int output_write(const char *file, const char *format, const void *data, size_t len, char reason[256]);

#endif
