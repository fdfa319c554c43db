/* store_wait.h - opens a store that is a server, again and again until it answers.
 *
 *      store_wait_new() -> try(), on a worker -> -EAGAIN: again, a second later;  else done(), once
 *
 * Log     a line for each new reason.
 * Stop    store_wait_stop(): done() is not called.  The loop frees it when try() has returned.
 * Thread  the loop thread only, except try().
 */
#ifndef HEATSCOPE_STORE_WAIT_H
#define HEATSCOPE_STORE_WAIT_H

#include <linux/types.h>
#include <uv.h>

#define STORE_WAIT_REASON_MAX 512

struct store_wait;			/* its fields are in store_wait.c */

struct store_wait_ops {
	int (*try)(void *arg, char reason[STORE_WAIT_REASON_MAX]);
	void (*done)(void *arg, int err, const char *reason);
};

/* since_ns: wall clock.  -ENOMEM. */
int store_wait_new(uv_loop_t *loop, const struct store_wait_ops *ops, void *arg, __s64 since_ns, struct store_wait **ret_wait);
void store_wait_stop(struct store_wait *w);	/* NULL is fine */

/* A sentence: since when it waits, and why. */
void store_wait_text(const struct store_wait *w, char *ret_text, size_t room);

#endif
