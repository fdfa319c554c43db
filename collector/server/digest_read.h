/* digest_read.h - defines the function DIGEST_READ (a digest_reader), which reads a whole text.  Include a dialect's
 * digest.h before it. */
#ifndef HEATSCOPE_DIGEST_READ_H
#define HEATSCOPE_DIGEST_READ_H

#include "collector/server/digest_text.h"

__u64 DIGEST_READ(const char *sql, size_t len, int whole, struct digest_sample *ret_tokens)
{
	struct digest d;
	__u64 code;

	digest_begin(&d, 0);
	for (size_t i = 0; i < len; i++)
		digest_byte(&d, (__u8)sql[i]);
	code = digest_code(&d, whole);
	*ret_tokens = d.tokens;
	return code;
}

#endif
