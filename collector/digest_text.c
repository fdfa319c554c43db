#include "digest_text.h"
#include "clean.h"
#include "digest.h"
#include "slice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOOKED 1024			/* of tokens: what is longer is cut anyway */

/* The text, and behind what does not read as the code that code. */
static void label(digest_reader *read, __u64 code, const char *tokens, size_t n, char *out)
{
	char again[LOOKED + 1];
	size_t unused;

	if (!clean_copy(tokens, n, out, LABEL_MAX) || clean_is_special(out) || read(out, strlen(out), 1, again, LOOKED, &unused) != code)
		clean_label(code, tokens, n, out);
}

__u64 digest_text_by(digest_reader *read, const char *sql, size_t len, int whole, char *out)
{
	char text[LOOKED + 1];
	size_t n;
	__u64 code = read(sql, len, whole, text, LOOKED, &n);

	label(read, code, text + (n != 0), n - (n != 0), out);	/* every token has a space before it */
	return code;
}

void digest_label_by(digest_reader *read, __u64 code, const char *sql, size_t len, int whole, char *out)
{
	char text[LOOKED + 1];
	size_t n;

	read(sql, len, whole, text, LOOKED, &n);
	label(read, code, text + (n != 0), n - (n != 0), out);
}

int digest_codes_by(digest_reader *read, const char *text, __u64 *ret_code, size_t max)
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
	*ret_code = read(text, len, 1, tokens, LOOKED, &unused);
	return 1;
}

void digest_label_unseen(__u64 code, char *out)
{
	if (code <= DIGEST_UNKNOWN)
		snprintf(out, LABEL_MAX + 1, "%s", code == DIGEST_NONE ? "none" : "unknown");
	else
		snprintf(out, LABEL_MAX + 1, "#%016llx", (unsigned long long)code);
}
