/* export.h - adds up what is stored from our start on, for systems that want counters: Prometheus.
 *
 *      store queue --each new batch--> struct export: counts by instrumentation, key and measure --metrics.h--> GET /metrics
 *
 * Which   the instrumentations that the configuration file lists under `export`; nothing else costs anything.  Measures of
 *         scope point are states, which do not add up over time: they are not exported.
 * Laws    a batch that came twice is added once; every event is in count, sum and one native and one classic bucket; counters
 *         never fall: at 2^64-1 they stay.  When heatscoped starts, they are 0.
 * Keys    an instrumentation has at most `keys` keys, those that came first.  The events of others are in the key `other`, and
 *         are counted.
 * Memory  some 3 KB for a key and measure: 100 keys and 4 measures take 1.2 MB.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_EXPORT_EXPORT_H
#define HEATSCOPE_EXPORT_EXPORT_H

#include "aggregator/base/conf_limits.h"
#include "aggregator/catalog/catalog.h"
#include "aggregator/export/buckets.h"
#include "aggregator/query/keytable.h"

#define EXPORT_MAX 16			/* instrumentations */
#define EXPORT_KEYS 100			/* unless the file says another limit */
#define EXPORT_KEYS_MAX 1000
#define EXPORT_SCHEMA 3

struct export_conf {			/* an entry of the file */
	char instrumentation[CONF_NAME_MAX];
	unsigned keys, schema;
};

struct export_histogram {
	__u64 count, sum;
	__u64 *native;			/* buckets first_bucket ... last_bucket */
	int first_bucket, last_bucket;
	__u64 *classic;			/* cells of buckets_classic() */
	__u64 classic_ruler;
};

struct export_key {
	struct export_histogram *measure[MEASURES_MAX];		/* NULL: no events so far */
	__u64 weight[MEASURES_MAX + 1];	/* sum of the values of each weight, from 1 on */
	__s64 since_ns;			/* wall clock: when it was made; before that it had no events */
};

struct exported {			/* an instrumentation */
	struct exported *next;
	const struct export_conf *conf;
	__u64 inst;
	struct keytable keys;		/* labels that say `other` have length 0 */
	struct export_key *key;		/* by their numbers */
	size_t keys_room;
	__u64 n_lost, n_other;		/* events that collectors lost; events of keys beyond the limit */
	__s64 last_slot;		/* 0: none has come */
	__s64 since_ns;			/* wall clock: when we began to add up */
};

struct export;				/* its fields are in export.c */

/* The same labels, but those that say `other` have length 0: a label may be called so, too.  room: KEY_BYTES_MAX bytes. */
struct labels export_key_normal(const struct labels *labels, __u8 *room);

/* conf is borrowed. */
int export_new(struct store_queue *store_queue, struct catalog *catalog, const struct export_conf *conf, size_t n, struct export **ret_export);
void export_free(struct export *e);				/* NULL is fine */
const struct exported *export_first(const struct export *e);	/* then ->next; without those that were deleted; NULL: none */

#endif
