/* digest_sample.h - the first tokens of a statement with a digest, from which the host makes its label.  No literal is among them. */
#ifndef HEATSCOPE_SPECIMEN_H
#define HEATSCOPE_SPECIMEN_H

#include <linux/types.h>

#define SPECIMEN_MAX 256		/* a power of 2 */
#define SPECIMEN_TEXT 255		/* bytes of `text` that are kept; the last one takes those beyond */
#define SPECIMENS_MAX 4096		/* digests; those not seen for longest are forgotten, and shown as their code */

struct specimen {
	__u32 len;			/* of all tokens, also of those beyond `text`; each has a space before it */
	__u32 cut;			/* 1: the statement goes on beyond the bytes that were looked at */
	char text[SPECIMEN_MAX];	/* zeros after len */
};

#endif
