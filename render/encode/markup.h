/* markup.h - text from outside in XML and HTML: as content and, between double quotes, as an attribute's value. */
#ifndef HEATSCOPE_MARKUP_H
#define HEATSCOPE_MARKUP_H

#include <stdio.h>

/* < > & " are escaped; what is no UTF-8 is U+FFFD, a control character a space (utf8.h). */
void markup_text(FILE *f, const char *text);

/* Bytes as "data:TYPE;base64,...". */
void markup_data(FILE *f, const char *type, const unsigned char *data, size_t len);

#endif
