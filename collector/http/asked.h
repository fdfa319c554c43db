/* asked.h - keeps the requests of a connection that the server has not answered, in their order; pure, for kernel and
 * tests.
 *
 *      head of a request -> asked_push() ... end of its reply -> asked_pop()
 */
#ifndef HEATSCOPE_HTTP_ASKED_H
#define HEATSCOPE_HTTP_ASKED_H

#include <linux/types.h>

#define ASKED_MAX 128			/* requests that a client sends without waiting; a power of 2 */

struct asked {
	__u64 path, host;		/* codes */
	__u32 method, pad;
};

struct asked_ring {
	struct asked entry[ASKED_MAX];
	__u32 first, n;
};

static inline struct asked *asked_at(struct asked_ring *r, __u32 i)
{
	return &r->entry[(r->first + i) & (ASKED_MAX - 1)];
}

/* Returns 0; -1: no entry is free. */
static inline int asked_push(struct asked_ring *r, __u32 method, __u64 path, __u64 host)
{
	struct asked *a = asked_at(r, r->n);

	if (r->n >= ASKED_MAX)
		return -1;
	a->method = method;
	a->path = path;
	a->host = host;
	r->n++;
	return 0;
}

static inline void asked_pop(struct asked_ring *r)
{
	if (!r->n)
		return;
	r->first = (r->first + 1) & (ASKED_MAX - 1);
	r->n--;
}

#endif
