#include "utf8.h"
#include <string.h>

void utf8_clean(const char *text, char *out, size_t room)
{
	size_t to = 0;

	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		size_t len = utf8_length(at);
		const void *from = !len ? (const void *)UTF8_UNKNOWN : *at < ' ' || *at == 0x7f ? (const void *)" " : at;
		size_t n = len ? len : strlen(UTF8_UNKNOWN);

		if (to + n >= room)
			break;
		memcpy(out + to, from, n);
		to += n;
		at += len ? len : 1;
	}
	out[to] = 0;
}
