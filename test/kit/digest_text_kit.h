/* digest_text_kit.h - makes code and label of a statement in one call. */
#ifndef HEATSCOPE_DIGEST_TEXT_KIT_H
#define HEATSCOPE_DIGEST_TEXT_KIT_H

#include "collector/server/digest_text.h"

/* out is LABEL_MAX + 1 bytes. */
static inline __u64 digest_text_by(digest_reader *read, const char *sql, size_t len, int whole, char *out)
{
	struct digest_sample tokens;
	__u64 code = read(sql, len, whole, &tokens);

	digest_label_by(read, code, &tokens, out);
	return code;
}

#endif
