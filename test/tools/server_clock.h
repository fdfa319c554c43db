/* server_clock.h - declares the moments of one statement, in ns of the monotonic clock. */
#ifndef HEATSCOPE_SERVER_CLOCK_H
#define HEATSCOPE_SERVER_CLOCK_H

#include <linux/types.h>

#define STATEMENTS_MAX (1 << 16)

struct statement {
	__u64 received_ns;		/* the header's receive returned */
	__u64 first_ns, last_ns;	/* looks at the clock */
	__u64 sent_ns;			/* the reply's send is done */
};

#endif
