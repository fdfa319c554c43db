#define DIGEST_TEXT
#include "mysql_digest_text.h"
#include "mysql_digest.h"
#include "clean.h"
#include "slice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOOKED 1024			/* of tokens: what is longer is cut anyway */

/* The code; the tokens are in out, room + 1 bytes. */
static __u64 digest_of(const char *sql, size_t len, int whole, char *out, size_t room, size_t *ret_len)
{
	struct digest d = { .text = out, .room = (__u32)room };
	__u64 code;

	digest_begin(&d, 0);
	for (size_t i = 0; i < len; i++)
		digest_byte(&d, (__u8)sql[i]);
	code = digest_code(&d, whole);
	*ret_len = d.at < room ? d.at : room;
	out[*ret_len] = 0;
	return code;
}

/* The text, and behind what does not read as the code that code. */
static void label(__u64 code, const char *tokens, size_t n, char *out)
{
	char again[LOOKED + 1];
	size_t unused;

	if (!clean_copy(tokens, n, out, LABEL_MAX) || clean_is_special(out) || digest_of(out, strlen(out), 1, again, LOOKED, &unused) != code)
		clean_label(code, tokens, n, out);
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
	char tokens[LOOKED + 1];

	if (!max)
		return -E2BIG;
	if (!strcmp(text, "none") || !strcmp(text, "unknown")) {
		*ret_code = strcmp(text, "none") ? DIGEST_UNKNOWN : DIGEST_NONE;
		return 1;
	}
	if (clean_code(text, ret_code))
		return 1;
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
