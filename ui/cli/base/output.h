/* output.h - chooses the format of an output file by its name's ending, and writes its bytes.
 *
 *      "a.svg" --output_format(OUTPUT_FIGURE)--> "svg"         "a.csv" --output_format(OUTPUT_FIGURE)--> NULL
 *
 * Formats  a list as help texts and messages have it, the one without an ending first: the macros below, one for each
 *          kind of command.
 */
#ifndef HEATSCOPE_OUTPUT_H
#define HEATSCOPE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define OUTPUT_FIGURE "png, pdf or svg"				/* render, compare, hosts */
#define OUTPUT_BARE "png"						/* render --bare */
#define OUTPUT_CHART "png, pdf, svg or json"				/* chart */
#define OUTPUT_REPORT "png, pdf, svg, html, csv or json"		/* report, open */
#define OUTPUT_FLAME "svg"						/* flame */
#define OUTPUT_EXPORT "csv"						/* export */
#define OUTPUT_ENDINGS_MAX 64

/* Returns the format by the name's ending, "png" ...; the list's first one without an ending, or without a file; NULL: the list does not
 * have it. */
const char *output_format(const char *formats, const char *file);

/* Is it one of the list? */
bool output_has(const char *formats, const char *format);

/* Does the name end as a format does that is not in the list? */
bool output_is_other(const char *formats, const char *file);

/* "png, pdf or svg" -> ".png, .pdf or .svg".  Returns out. */
const char *output_endings(const char *formats, char out[OUTPUT_ENDINGS_MAX]);

/* Writes every byte unchanged; to a terminal it escapes them as show.h does, except the ends of lines. */
int output_put(FILE *f, const char *format, const void *data, size_t len);

/* The same into a file; NULL and "-": standard output.  -errno with a sentence in `reason`. */
int output_write(const char *file, const char *format, const void *data, size_t len, char reason[256]);

#endif
