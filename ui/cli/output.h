/* output.h - a file that a command writes: its format by its ending, and its bytes. */
#ifndef HEATSCOPE_OUTPUT_H
#define HEATSCOPE_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#define OUTPUT_ENDINGS ".png, .pdf, .svg, .html, .csv or .json"

/* "png" ...: by the ending; png without one, or without a file.  NULL: another ending. */
const char *output_format(const char *file);

/* Is it one of these? */
int output_known(const char *format);

/* Every byte as it is; into a terminal escaped as show.h has it, but for the ends of lines. */
int output_put(FILE *f, const char *format, const void *data, size_t len);

/* The same into a file; NULL and "-": standard output.  -errno and why in `reason`. */
int output_write(const char *file, const char *format, const void *data, size_t len, char reason[256]);

#endif
