#include "collector/mysql/digest_text.h"
#include "collector/mysql/digest.h"
#include "collector/server/digest_read.h"

__u64 digest_text(const char *sql, size_t len, int whole, char *out)
{
	return digest_text_by(digest_of, sql, len, whole, out);
}

void digest_label(__u64 code, const struct specimen *tokens, char *out)
{
	digest_label_by(digest_of, code, tokens, out);
}

int digest_codes(const char *text, __u64 *ret_code, size_t max)
{
	return digest_codes_by(digest_of, text, ret_code, max);
}
