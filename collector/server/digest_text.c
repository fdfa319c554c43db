#include "collector/server/digest_text.h"
#include "collector/core/field_codes.h"
#include "collector/ring/clean.h"
#include "collector/server/digest.h"
#include "collector/core/slice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define EMPTY "empty"			/* a statement without tokens */
#define CUT " …"
#define MARKS 24			/* bytes of a label that the code and CUT may take */

/* Does the label, read as a text without its code, have that code and no other? */
static int reads_as_itself(digest_reader *read, __u64 code, const char *label)
{
	struct digest_sample unused;

	return !clean_is_special(label) && strcmp(label, EMPTY) && read(label, strlen(label), 1, &unused) == code;
}

void digest_label_by(digest_reader *read, __u64 code, const struct digest_sample *tokens, char *out)
{
	size_t kept = tokens->len < DIGEST_SAMPLE_TEXT ? tokens->len : DIGEST_SAMPLE_TEXT, n = kept - (kept != 0);
	const char *text = tokens->text + (kept != 0);	/* every token has a space before it */
	char begin[LABEL_MAX + 1];

	if (!kept && !tokens->cut) {
		memcpy(out, EMPTY, sizeof(EMPTY));
	} else if (tokens->cut) {
		clean_copy(text, n, begin, LABEL_MAX - MARKS);
		strcat(begin, CUT);
		clean_label(code, begin, strlen(begin), out);
	} else if (tokens->len > DIGEST_SAMPLE_TEXT || !clean_copy(text, n, out, LABEL_MAX) ||
		   !reads_as_itself(read, code, out)) {
		clean_label(code, text, n, out);
	}
}

int digest_codes_by(digest_reader *read, const char *text, __u64 *ret_code, size_t max)
{
	struct digest_sample unused;

	if (!max)
		return -E2BIG;
	if (!strcmp(text, "none") || !strcmp(text, "unknown"))
		*ret_code = strcmp(text, "none") ? DIGEST_UNKNOWN : DIGEST_NONE;
	else if (!clean_code(text, ret_code))
		*ret_code = read(text, strcmp(text, EMPTY) ? strlen(text) : 0, 1, &unused);
	return 1;
}

void digest_label_unseen(__u64 code, char *out)
{
	if (code <= DIGEST_UNKNOWN)
		snprintf(out, LABEL_MAX + 1, "%s", code == DIGEST_NONE ? "none" : "unknown");
	else
		codes_hash_label(code, out);
}
