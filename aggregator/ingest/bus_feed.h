/* bus_feed.h - sends what we have stored to the other heatscoped of a group, and gives theirs to our cube.
 *
 *      store queue --stored--> feed.h --bus_feed_flush()--> heatscope.feed.ID, numbered --> bus_feed_take() --> the others' cubes
 *
 * Law     an other one either gets each batch that we have stored, or finds that a number is missing.  Then missed() is
 *         called there.  Numbers are counted also while no message can be sent.
 * Rights  any client of the bus can have the server write an answer of its own to this subject: such a message has no
 *         number, and is not taken.
 * Memory  the caller's.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_BUS_FEED_H
#define HEATSCOPE_BUS_FEED_H

#include "aggregator/ingest/feed.h"
#include "aggregator/ingest/intake.h"
#include "aggregator/ingest/members.h"
#include "collector/bus/bus.h"

struct bus_feed {
	const char *id;			/* the caller sets the first six */
	struct intake *intake;
	struct members *members;
	struct bus *bus;		/* NULL: not connected */
	void (*missed)(void *arg);
	void *arg;
	struct feed *feed;		/* not sent yet */
	__u64 n;			/* the number of our last message */
};

int bus_feed_init(struct bus_feed *f);		/* -ENOMEM */
void bus_feed_fini(struct bus_feed *f);

void bus_feed_add(struct bus_feed *f, const struct batch *b);	/* the store has it */
void bus_feed_skip(struct bus_feed *f);		/* the store may have batches of which the others never hear */
void bus_feed_flush(struct bus_feed *f);	/* sends what was added */
void bus_feed_drop(struct bus_feed *f);		/* forgets it: the others find that a number is missing */

/* A message on "heatscope.feed.ID". */
void bus_feed_take(struct bus_feed *f, const char *id, const struct bus_message *m);

/* A member says how many messages it has sent.  They come by another way than this: those that it had sent when it last
 * said so are here. */
void bus_feed_said(struct bus_feed *f, struct member *m, __u64 n);

#endif
