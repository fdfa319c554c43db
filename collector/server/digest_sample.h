/* digest_sample.h - defines a digest's sample, the first tokens of a statement; the host makes the digest's label of
 * it. */
#ifndef HEATSCOPE_DIGEST_SAMPLE_H
#define HEATSCOPE_DIGEST_SAMPLE_H

#include <linux/types.h>

#define DIGEST_SAMPLE_MAX 256		/* a power of 2 */
#define DIGEST_SAMPLE_TEXT 255		/* bytes of `text` that are kept; the last byte takes all those beyond */
#define DIGEST_SAMPLES_MAX 4096		/* digests; the map evicts those that were unused for longest, and shows their
					 * codes */

struct digest_sample {
	__u32 len;			/* of all tokens, also of those not in `text`; each has a space before it */
	__u32 cut;			/* 1: the statement is longer than the bytes that were read */
	char text[DIGEST_SAMPLE_MAX];	/* zeros after len */
};

#endif
