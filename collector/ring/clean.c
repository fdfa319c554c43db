#include "collector/ring/clean.h"
#include "collector/core/key.h"
#include "collector/core/slice.h"
#include "collector/core/utf8_length.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE_LEN 18			/* " #" and 16 digits, less a space that may be there already */

/* Returns the length of the character at text, of which `left` bytes exist; 0: not UTF-8, or a control character. */
static size_t character_len(const char *text, size_t left)
{
	__u8 b[5] = { 0 };

	memcpy(b, text, left < 4 ? left : 4);
	return utf8_is_control(b) ? 0 : utf8_length(b);
}

int clean_copy(const char *text, size_t len, char *out, size_t room)
{
	size_t at = 0;
	int clean = 1;

	for (size_t i = 0, n; i < len; i += n) {
		size_t wide = character_len(text + i, len - i);

		n = wide ? wide : 1;
		if (at + n > room) {
			clean = 0;
			break;
		}
		if (wide)
			memcpy(out + at, text + i, wide);
		else
			out[at] = '?';
		at += n;
		clean &= wide != 0;
	}
	out[at] = 0;
	return clean;
}

void clean_label(__u64 code, const char *text, size_t len, char *out)
{
	size_t n;

	clean_copy(text, len, out, LABEL_MAX - CODE_LEN);
	n = strlen(out);
	snprintf(out + n, LABEL_MAX + 1 - n, "%s#%016llx", n ? " " : "", (unsigned long long)code);
}

int clean_code(const char *label, __u64 *ret_code)
{
	size_t len = strlen(label);

	if (len < 17 || label[len - 17] != '#' || strspn(label + len - 16, "0123456789abcdef") != 16)
		return 0;
	*ret_code = strtoull(label + len - 16, NULL, 16);
	return 1;
}

int clean_is_special(const char *label)
{
	static const char *const special[] = { "none", "unknown", "encrypted", "other", KEY_SHED_LABEL };

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (!strcmp(label, special[i]))
			return 1;
	return 0;
}
