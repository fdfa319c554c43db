/* output.h - a file that a command writes: its format by its ending, and its bytes. */
#ifndef HEATSCOPE_OUTPUT_H
#define HEATSCOPE_OUTPUT_H

#include <stddef.h>

#define OUTPUT_ENDINGS ".png, .pdf, .svg, .html, .csv or .json"

/* "png" ...: by the ending; png without one, or without a file.  NULL: another ending. */
const char *output_format(const char *file);

/* Is it one of these? */
int output_known(const char *format);

/* NULL and "-": standard output.  -errno and why in `reason`. */
int output_write(const char *file, const void *data, size_t len, char reason[256]);

#endif
