/* markup.h - escapes text from outside for XML and HTML, as content or as the value of an attribute in double quotes.
 */
#ifndef HEATSCOPE_MARKUP_H
#define HEATSCOPE_MARKUP_H

#include <stdio.h>

/* Escapes < > & "; writes U+FFFD for bytes that are not UTF-8, and a space for a control character (utf8.h). */
void markup_text(FILE *f, const char *text);

/* Writes bytes as "data:TYPE;base64,...". */
void markup_data(FILE *f, const char *type, const unsigned char *data, size_t len);

#endif
