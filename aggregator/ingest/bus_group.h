/* bus_group.h - lets several heatscoped that share a bus and a store (store_clickhouse) work as one.
 *
 *      presence: what we say of ourselves, each second --bucket heatscope_members--> the others: members.h, their shares
 *      bus_lease.h: one of them leads
 *      bus_feed.h: batches that we have stored --> the others' cubes
 *      bus_questions.h: a request that changes something --> the leader; its answer comes back
 *
 * Leads   exactly one: it alone writes instrumentations, notes, worksheets and alerts, adds up and drops old slots, runs
 *         alerts and reports, and publishes the wanted set.  Its lease ends LEASE_MS after it was last confirmed, a second
 *         before the bus gives it to another one.  The others read again what it has written when its revision changes.
 * Cube    each cube holds the batches of all.  The messages of batches are numbered.  If one is missing, if another
 *         heatscoped is gone, and after we connect, missed() says from when on the cube is whole again: older slots are
 *         read from the store, which has them all.
 * Alone   without a shared store a heatscoped leads, and is refused by the bus while another one takes its batches.  With
 *         a shared store the same holds for those of another store.
 * Rights  only a heatscoped may publish these subjects (subjects.h).  Other clients of the bus can have it write its answers
 *         there: these are recognised, and change nothing.
 * Thread  the loop thread only, except bus_group_refuses().
 */
#ifndef HEATSCOPE_BUS_GROUP_H
#define HEATSCOPE_BUS_GROUP_H

#include "aggregator/ingest/bus_questions.h"
#include "aggregator/ingest/bus_setup.h"
#include "aggregator/ingest/intake.h"
#include "aggregator/ingest/members.h"
#include "collector/bus/bus.h"

#define BUS_GROUP_MISSED_NS 5000000000ll	/* after missed() the cube is whole from so much later on: slots of hosts whose clocks are
					 * ahead */
#define BUS_OTHER_MEMBER "another heatscoped, with another store, takes its batches: stop one of them"

struct bus_group;			/* its fields are in bus_group.c */

struct bus_group_ops {
	void (*lead)(void *arg, bool leads);		/* we have the lease from now on, or no longer */
	void (*follow)(void *arg);			/* the leader has written something */
	void (*missed)(void *arg, __s64 until_ns);	/* the cube lacks batches of slots that begin before until_ns */
	/* Another heatscoped asks us because we lead: bus_group_answer() with this `reply`, now or later.  head: JSON without
	 * newlines, which this module does not read. */
	void (*asked)(void *arg, const char *reply, const char *head, const void *body, size_t len);
};

struct bus_group_conf {
	bool is_shared;			/* the store */
	const char *inbox;		/* borrowed: the subject of our own messages, without its last part */
	const char *id;			/* borrowed, MEMBER_ID_MAX bytes at most */
	struct catalog *catalog;
	struct intake *intake;
	struct store_queue *store_queue;
	const struct bus_group_ops *ops;	/* borrowed; NULL: is_shared is false */
	void *arg;
};

/* -ENOMEM. */
int bus_group_new(uv_loop_t *loop, const struct bus_group_conf *conf, struct bus_group **ret_group);
void bus_group_free(struct bus_group *g);	/* questions are answered with -ESHUTDOWN; NULL is fine */

/* Is the value that of a heatscoped that lives, but does not belong to our group?  Any thread. */
bool bus_group_refuses(const struct bus_group *g, const char *subject, const char *text, size_t len);

/* For bus_ingest.c, which owns the bus.  others: the values of BUS_MEMBERS.  Errors as those of bus_subscribe(). */
int bus_group_connected(struct bus_group *g, struct bus *bus, const struct bus_values *others);
void bus_group_lost(struct bus_group *g);
bool bus_group_take(struct bus_group *g, const struct bus_message *m);	/* false: it is no message of the group */
void bus_group_tick(struct bus_group *g);
void bus_group_flush(struct bus_group *g);	/* sends the batches that were stored since the last call */
void bus_group_stop(struct bus_group *g);	/* says that we are gone; calls lead(false) if we have the lease */

bool bus_group_owns(const struct bus_group *g, unsigned partition);
bool bus_group_leads(const struct bus_group *g);	/* the lease is ours, and bus_group_ready() was called */
__u64 bus_group_leads_until_ms(const struct bus_group *g);	/* boot clock; 0: we do not lead */

/* After lead(true): what the former leader has written was read, so we lead. */
void bus_group_ready(struct bus_group *g);

/* It cannot be read: another one shall lead, and we ask for the lease no earlier than after 10 s. */
void bus_group_yield(struct bus_group *g);

/* Asks the leader.  Returns 0 and calls done() once, later: err 0 with the answer; -ETIMEDOUT: it has not answered in
 * time; -ESHUTDOWN: we end, or have lost the bus.  -ENOTCONN: no other one leads; -EMSGSIZE, -ENOMEM. */
int bus_group_ask(struct bus_group *g, const char *head, const void *body, size_t len, bus_question_answered done, void *arg);
int bus_group_answer(struct bus_group *g, const char *reply, const char *head, const void *body, size_t len);	/* as bus_publish() */

/* Has follow() called again: the texts of the leader could not be read. */
void bus_group_follow_again(struct bus_group *g);

/* {"shared", "id", "leads", "leader": id or null, "partitions": [...], "others": [{"id", "leads"}], "missed"}. */
json_t *bus_group_json(const struct bus_group *g);

#endif
