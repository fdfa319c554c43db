#define DIGEST_TEXT
#include "mysql_digest_text.h"
#include "mysql_digest.h"
#include "slice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE_LEN 18			/* " #" and 16 digits, less a space that may be there already */
#define LOOKED 1024			/* of tokens: what is longer is cut anyway */

static __u64 digest_of(const char *sql, size_t len, int whole, char *out, size_t room, size_t *ret_len)
{
	struct digest d = { .text = out, .room = (__u32)room };
	__u64 code;

	digest_begin(&d);
	for (size_t i = 0; i < len; i++)
		digest_byte(&d, (__u8)sql[i]);
	code = digest_code(&d, whole);
	*ret_len = d.at < room ? d.at : room;
	return code;
}

/* Bytes of the UTF-8 character at text; 0: it is none, or not one to print. */
static size_t character_len(const char *text, size_t left)
{
	const __u8 *b = (const __u8 *)text;
	size_t n = b[0] < 0x80 ? 1 : b[0] >= 0xc2 && b[0] < 0xe0 ? 2 : b[0] >= 0xe0 && b[0] < 0xf0 ? 3 : b[0] >= 0xf0 && b[0] < 0xf5 ? 4 : 0;
	__u32 point;

	if (!n || n > left || b[0] < ' ' || b[0] == 127)
		return 0;
	point = n == 1 ? b[0] : b[0] & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (b[i] & 0x3f);
	}
	if ((n == 2 && point < 0xa0) || (n == 3 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) ||
	    (n == 4 && (point < 0x10000 || point > 0x10ffff)))
		return 0;
	return n;
}

/* At most `room` bytes of it, whole characters; returns whether all of it is there as it was. */
static int copy_clean(const char *text, size_t len, char *out, size_t room)
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

/* What a label says that is no statement. */
static int is_special(const char *label)
{
	return !strcmp(label, "none") || !strcmp(label, "unknown") || !strcmp(label, KEY_SHED_LABEL);
}

/* The text, and behind what does not read as the code that code. */
static void label(__u64 code, const char *tokens, size_t n, char *out)
{
	char again[LOOKED];
	size_t unused;

	if (copy_clean(tokens, n, out, LABEL_MAX) && !is_special(out) && digest_of(out, strlen(out), 1, again, sizeof(again), &unused) == code)
		return;
	copy_clean(tokens, n, out, LABEL_MAX - CODE_LEN);
	n = strlen(out);
	snprintf(out + n, LABEL_MAX + 1 - n, "%s#%016llx", n ? " " : "", (unsigned long long)code);
}

__u64 digest_text(const char *sql, size_t len, int whole, char *out)
{
	char text[LOOKED];
	size_t n;
	__u64 code = digest_of(sql, len, whole, text, sizeof(text), &n);

	label(code, text + (n != 0), n - (n != 0), out);	/* every token has a space before it */
	return code;
}

void digest_label(__u64 code, const char *sql, size_t len, int whole, char *out)
{
	char text[LOOKED];
	size_t n;

	digest_of(sql, len, whole, text, sizeof(text), &n);
	label(code, text + (n != 0), n - (n != 0), out);
}

int digest_codes(const char *text, __u64 *ret_code, size_t max)
{
	size_t len = strlen(text), unused;
	char tokens[LOOKED], *end;

	if (!max)
		return -E2BIG;
	if (!strcmp(text, "none") || !strcmp(text, "unknown")) {
		*ret_code = strcmp(text, "none") ? DIGEST_UNKNOWN : DIGEST_NONE;
		return 1;
	}
	if (len >= 17 && text[len - 17] == '#' && strspn(text + len - 16, "0123456789abcdef") == 16) {
		*ret_code = strtoull(text + len - 16, &end, 16);
		return 1;
	}
	*ret_code = digest_of(text, len, 1, tokens, sizeof(tokens), &unused);
	return 1;
}

void digest_label_unseen(__u64 code, char *out)
{
	if (code <= DIGEST_UNKNOWN)
		snprintf(out, LABEL_MAX + 1, "%s", code == DIGEST_NONE ? "none" : "unknown");
	else
		snprintf(out, LABEL_MAX + 1, "#%016llx", (unsigned long long)code);
}
