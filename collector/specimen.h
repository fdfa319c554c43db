/* specimen.h - the first bytes of the first statement with a digest, from which the host makes its text.  They stay with the collector. */
#ifndef HEATSCOPE_SPECIMEN_H
#define HEATSCOPE_SPECIMEN_H

#include <linux/types.h>

#define SPECIMEN_MAX 1024
#define SPECIMENS_MAX 4096		/* digests; those not seen for longest are forgotten, and shown as their code */

struct specimen {
	__u16 len;			/* bytes in text */
	__u16 whole;			/* 1: that is all of it */
	char text[SPECIMEN_MAX];	/* its last byte is never used */
};

#endif
