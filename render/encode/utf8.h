/* utf8.h - cleans text from outside for Cairo and XML, which would refuse a whole picture for one bad byte. */
#ifndef HEATSCOPE_UTF8_H
#define HEATSCOPE_UTF8_H

#include "collector/core/utf8_length.h"

#define UTF8_UNKNOWN "\xef\xbf\xbd"	/* U+FFFD */

/* Copies a text, cut to `room` bytes with its NUL: bytes that are not UTF-8 become U+FFFD, control characters
 * spaces. */
void utf8_clean(const char *text, char *out, size_t room);

#endif
