/* replay_filter.h - a predicate over keys instead of events: which slices of a recording match.
 *
 * Can     texts, of the fields that were recorded apart, and hostname; also the very predicate that was
 *         recorded with, whatever it is.  Measures cannot be told from a histogram event by event.
 * Other   a key whose field is `other` may be either: the caller tells its events as lost.
 * Memory  borrows predicate and hostname.
 */
#ifndef HEATSCOPE_SIEVE_H
#define HEATSCOPE_SIEVE_H

#include "collector/core/instrumentation.h"

struct sieve {
	const struct predicate *predicate;	/* NULL: everything passes */
	const char *hostname;
	__u8 field[PREDICATE_TERMS];	/* of each term, in the recorded keys */
};

/* -ENOENT with the reason (REASON_MAX bytes): the recording cannot tell. */
int sieve_init(struct sieve *s, const struct predicate *wanted, const struct instrumentation *recorded,
	       const char *hostname, char *reason);

int sieve_passes(const struct sieve *s, const struct labels *key);	/* 1, 0; -ENODATA: `other` */

#endif
