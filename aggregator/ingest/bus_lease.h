/* bus_lease.h - holds the lease of a group of heatscoped: a key of the bucket BUS_MEMBERS, taken by its revision.
 *
 *      bus_lease_tick() --"I, if the newest revision is N"--> bus --"N+1", or "wrong"--> bus_lease_take() --> changed()
 *
 * Law     one heatscoped leads at most.  Its lease ends LEASE_MS after it asked for it, a second before the bus gives it to
 *         another one.
 * Clock   not the loop's: a process or a machine that was stopped must not believe in its lease.
 * Memory  the caller's; inbox and id are borrowed.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_BUS_LEASE_H
#define HEATSCOPE_BUS_LEASE_H

#include "collector/bus/bus.h"

#include <linux/types.h>
#include <uv.h>

#define BUS_LEASE "lease"		/* a key of BUS_MEMBERS, which is no member */

struct bus_lease {
	uv_loop_t *loop;		/* the caller sets the first five */
	const char *inbox;		/* the subject of our own messages, without its last part */
	const char *id;
	void (*changed)(void *arg, bool has_it);
	void *arg;
	bool is_held, is_ready;		/* ready: the caller has read what the former leader wrote, and sets it */
	__u64 revision, until_ms;	/* revision: of the key, as far as we know; 0: it does not exist */
	__u64 asked_ms;			/* the loop's; 0: the server has answered */
	__u64 yields_until_ms;		/* the loop's: before it we do not ask */
};

bool bus_lease_runs(const struct bus_lease *l);

static inline bool bus_lease_leads(const struct bus_lease *l)
{
	return l->is_ready && bus_lease_runs(l);
}

void bus_lease_ask(struct bus_lease *l, struct bus *bus);

/* Asks if it is due. */
void bus_lease_tick(struct bus_lease *l, struct bus *bus);

/* The server's answer, on "INBOX.lease.MS": the last part of this subject says when we asked.  `may_have`: else it is not
 * taken. */
void bus_lease_take(struct bus_lease *l, const char *asked_ms, const struct bus_message *m, bool may_have);

/* It has run out, or we end: changed(false), if we have it. */
void bus_lease_end(struct bus_lease *l);

/* Another one shall lead: we do not ask for 10 s. */
void bus_lease_yield(struct bus_lease *l);

#endif
