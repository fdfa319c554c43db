/* utf8_length.h - returns the length of a UTF-8 character, and recognises control characters.
 *
 * Pure.  It reads at most 4 bytes, and none after a NUL.  A text that does not end with NUL needs 3 readable bytes
 * after it.
 */
#ifndef HEATSCOPE_UTF8_LENGTH_H
#define HEATSCOPE_UTF8_LENGTH_H

#include <stdbool.h>
#include <stddef.h>

/* Returns how many bytes the well-formed sequence at `at` has; 0: there is none (Unicode 15, table 3-7). */
static inline size_t utf8_length(const unsigned char *at)
{
	unsigned low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
	unsigned high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
	size_t len = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;

	if (len < 2)
		return len;
	if (at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
	return len;
}

/* Does a control character begin here?  U+0000..1F, U+007F, and U+0080..9F: a terminal takes U+009B as ESC [. */
static inline bool utf8_is_control(const unsigned char *at)
{
	return at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0);
}

#endif
