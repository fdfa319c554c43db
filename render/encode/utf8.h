/* utf8.h - text from outside, so that Cairo and XML take it: they refuse a whole picture for one byte. */
#ifndef HEATSCOPE_UTF8_H
#define HEATSCOPE_UTF8_H

#include "collector/core/utf8_length.h"

#define UTF8_UNKNOWN "\xef\xbf\xbd"	/* U+FFFD */

/* A copy, NUL-terminated and cut to `room` bytes: what is no UTF-8 as U+FFFD, control characters as spaces. */
void utf8_clean(const char *text, char *out, size_t room);

#endif
