/* members.h - lists the other heatscoped of a group, and decides which one takes which partition of the sources.
 *
 *      what each says of itself, once a second --members_see()--> others --members_silent()--> those that are gone
 *      others, ourselves, a partition --members_owns()--> is it ours?
 *
 * Law     heatscoped that know of the same members agree on the owner of each partition, and each partition has one.  If a
 *         member joins or leaves, only its own partitions get another owner.
 * Source  rendezvous hashing: the owner has the highest hash of (member, partition).  Thaler, Ravishankar: Using Name-Based
 *         Mappings to Increase Hit Rates, IEEE/ACM Transactions on Networking 6 (1998).
 * Memory  flat; no pointers.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_MEMBERS_H
#define HEATSCOPE_MEMBERS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define MEMBERS_MAX 32			/* others; further ones are not seen */
#define MEMBER_ID_MAX 24
#define MEMBER_AGE_MS 5000		/* a member that has been silent for so long is gone */

struct member {
	char id[MEMBER_ID_MAX];
	__u64 seen_ms;
	bool leads;
	__u64 revision;			/* of what it has written to the store, if it leads */
	__u64 next_feed;		/* the number that its next message of batches must have; 0: any */
	__u64 said_feeds;		/* how many it had sent when it last said so */
};

struct members {			/* zeroed: none but ourselves */
	char self[MEMBER_ID_MAX];
	size_t n;
	struct member other[MEMBERS_MAX];
};

struct member *members_find(struct members *m, const char *id);		/* NULL: not known */

/* Notes that a member lives; one that was not known is added.  NULL: there are too many. */
struct member *members_see(struct members *m, const char *id, __u64 now_ms);

void members_remove(struct members *m, struct member *gone);	/* pointers to others become invalid */

/* Returns one that has been silent for MEMBER_AGE_MS; NULL: none. */
struct member *members_silent(struct members *m, __u64 now_ms);

const struct member *members_leader(const struct members *m);	/* among the others; NULL: none says so */

bool members_owns(const struct members *m, unsigned partition);	/* does it belong to us? */

#endif
