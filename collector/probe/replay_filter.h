/* replay_filter.h - selects the slices of a recording that match a predicate, by their keys.
 *
 * Can     compare texts of the recorded fields and of the host's (host_labels.h), and accept exactly the recording's own predicate.  It
 *         cannot compare measures: a histogram does not contain single events.
 * Other   a key whose field is `other` may match or not.  The caller reports its events as lost.
 * Memory  borrows predicate, hostname and labels.
 */
#ifndef HEATSCOPE_REPLAY_FILTER_H
#define HEATSCOPE_REPLAY_FILTER_H

#include "collector/core/host_labels.h"
#include "collector/core/instrumentation.h"

struct replay_filter {
	const struct predicate *predicate;	/* NULL: everything passes */
	const char *hostname;
	const struct host_labels *labels;	/* NULL: none */
	__u8 field[PREDICATE_TERMS];	/* per term: index of its field in the recorded keys */
};

/* Prepares the filter.  -ENOENT with the reason (REASON_MAX bytes): the recording cannot answer this predicate. */
int replay_filter_init(struct replay_filter *s, const struct predicate *wanted, const struct instrumentation *recorded,
		       const char *hostname, const struct host_labels *labels, char *reason);

int replay_filter_passes(const struct replay_filter *s, const struct labels *key);	/* 1, 0; -ENODATA: `other` */

#endif
