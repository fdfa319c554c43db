#define DIGEST_TEXT
#include "mysql_digest_text.h"
#include "mysql_digest.h"
#include "slice.h"
#include "../render/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE_LEN 18			/* " #" and 16 digits, less a space that may be there already */
#define LOOKED 1024			/* of tokens: what is longer is cut anyway */

/* The code; the tokens are in out, room + 1 bytes. */
static __u64 digest_of(const char *sql, size_t len, int whole, char *out, size_t room, size_t *ret_len)
{
	struct digest d = { .text = out, .room = (__u32)room };
	__u64 code;

	digest_begin(&d);
	for (size_t i = 0; i < len; i++)
		digest_byte(&d, (__u8)sql[i]);
	code = digest_code(&d, whole);
	*ret_len = d.at < room ? d.at : room;
	out[*ret_len] = 0;
	return code;
}

/* Bytes of the character at text, which ends with NUL; 0: it is none, or a control character. */
static size_t character_len(const char *text)
{
	const __u8 *b = (const __u8 *)text;
	int control = b[0] < ' ' || b[0] == 127 || (b[0] == 0xc2 && b[1] < 0xa0);

	return control ? 0 : utf8_length(b);
}

/* At most `room` bytes of it, whole characters; returns whether all of it is there as it was. */
static int copy_clean(const char *text, size_t len, char *out, size_t room)
{
	size_t at = 0;
	int clean = 1;

	for (size_t i = 0, n; i < len; i += n) {
		size_t wide = character_len(text + i);

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
	char again[LOOKED + 1];
	size_t unused;

	if (copy_clean(tokens, n, out, LABEL_MAX) && !is_special(out) && digest_of(out, strlen(out), 1, again, LOOKED, &unused) == code)
		return;
	copy_clean(tokens, n, out, LABEL_MAX - CODE_LEN);
	n = strlen(out);
	snprintf(out + n, LABEL_MAX + 1 - n, "%s#%016llx", n ? " " : "", (unsigned long long)code);
}

__u64 digest_text(const char *sql, size_t len, int whole, char *out)
{
	char text[LOOKED + 1];
	size_t n;
	__u64 code = digest_of(sql, len, whole, text, LOOKED, &n);

	label(code, text + (n != 0), n - (n != 0), out);	/* every token has a space before it */
	return code;
}

void digest_label(__u64 code, const char *sql, size_t len, int whole, char *out)
{
	char text[LOOKED + 1];
	size_t n;

	digest_of(sql, len, whole, text, LOOKED, &n);
	label(code, text + (n != 0), n - (n != 0), out);
}

int digest_codes(const char *text, __u64 *ret_code, size_t max)
{
	size_t len = strlen(text), unused;
	char tokens[LOOKED + 1], *end;

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
	*ret_code = digest_of(text, len, 1, tokens, LOOKED, &unused);
	return 1;
}

void digest_label_unseen(__u64 code, char *out)
{
	if (code <= DIGEST_UNKNOWN)
		snprintf(out, LABEL_MAX + 1, "%s", code == DIGEST_NONE ? "none" : "unknown");
	else
		snprintf(out, LABEL_MAX + 1, "#%016llx", (unsigned long long)code);
}
