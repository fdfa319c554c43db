#include "render/encode/utf8.h"
#include <string.h>

void utf8_clean(const char *text, char *out, size_t room)
{
	size_t to = 0;

	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		size_t len = utf8_length(at);
		const void *from = !len ? (const void *)UTF8_UNKNOWN : utf8_is_control(at) ? (const void *)" " : at;
		size_t n = from == at ? len : strlen(from);

		if (to + n >= room)
			break;
		memcpy(out + to, from, n);
		to += n;
		at += len ? len : 1;
	}
	out[to] = 0;
}
