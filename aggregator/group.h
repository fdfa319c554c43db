/* group.h - what heatscoped does as one of several that share a store and a bus (ingest/bus_group.h).
 *
 *      leads      runs alerts, reports and the configured instrumentations; adds up and drops old slots
 *      follows    reads what the leader has written; passes on to it each request that changes something:
 *
 *      request --> group_forward() --bus--> the leader's handler --answer--> texts are read --> reply
 *
 * Alone   a heatscoped without a group leads from its start: group_lead(), and no struct group.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_GROUP_H
#define HEATSCOPE_GROUP_H

#include "aggregator/aggregator.h"

struct group;				/* its fields are in group.c */

int group_new(struct aggregator *a, struct group **ret_group);		/* -ENOMEM */
void group_free(struct group *g);	/* NULL is fine; the loop has run out */

bool group_leads(const struct aggregator *a);
__u64 group_leads_until_ms(const struct aggregator *a);	/* boot clock; UINT64_MAX: alone; 0: we do not lead */

/* Begins to lead, with what `texts` has: the store before its worker runs, or a copy of its texts.  0 or -errno: a part
 * could not be read or made, and we do not lead. */
int group_lead(struct aggregator *a, struct store *texts);

/* For bus_ingest_conf; the argument is the group. */
extern const struct bus_group_ops group_ops;

/* Takes a request that only the leader can answer, and replies to it.  Returns false if we lead. */
bool group_forward(void *group, struct http_request *r);

void group_tick(struct group *g);	/* each second */

#endif
