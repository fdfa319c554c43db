/* source.h - describes a collector as the aggregator knows it: its name, its metrics, its states.
 *
 *      HELLO (JSON) --source_hello()--> struct source <--source_state()-- STATE (JSON)
 *
 * Name    identifies a source; each start of its collector is another incarnation.
 * Offer   a metric that it can measure, or the reason why it cannot.
 * Fields  every metric gets the fields of the host (host_labels.h): label.NAME for each label of its source, and at the
 *         end hostname.  The aggregator fills them in, see incoming_batch.h.
 * Errors  -EINVAL or -ENOMEM with one sentence in `reason` (REASON_MAX bytes); after it nothing has changed.
 * Memory  source_new() makes a source, source_free() frees it.  A source owns the texts of its metrics.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_SOURCE_H
#define HEATSCOPE_SOURCE_H

#include "collector/core/batch.h"
#include "collector/core/host_labels.h"
#include "collector/core/instrumentation.h"
#include <stdbool.h>


struct offer {
	struct metric *metric;			/* we own it, see metric_parse() */
	bool ok;				/* false: refused; `reason` says why */
	char reason[REASON_MAX];
};

struct inst_state {				/* of one instrumentation at one source */
	__u64 inst;
	bool active;				/* false: failed; `reason` says why */
	bool partial;				/* active, but without something: `reason` says what is missing */
	__s64 from_ns;				/* begin of the first slot that it counts, wall-clock time; 0:
						 * unknown */
	char reason[REASON_MAX];
};

struct source_self {			/* what the collector uses itself, as it last said (self_report.h) */
	__s64 started_ns;			/* wall clock; 0: it has not said */
	__u64 cpu_ns, dropped_batches, dropped_events;	/* since then */
	__u64 resident_bytes, spool_bytes, in_flight, n_programs, map_bytes;
};

struct source {
	struct source *next;			/* next in the catalog, by name */
	char name[SOURCE_MAX];
	__u64 incarnation;			/* that of the latest hello */
	__s64 pid;
	char version[32], kernel[96];		/* the collector's version, the host's kernel */
	struct host_labels labels;
	bool full_text;			/* its exemplars have statements with their literals */
	unsigned n_links;			/* connections that said hello under this name */
	__s64 left_ns;			/* when the last of them ended; 0: never, or it is connected */
	bool knows_clock;
	__s64 clock_ns;			/* its clock less ours, see catalog_clock(); needs knows_clock */
	__s64 hello_ns;			/* its clock when it said hello; 0: it does not say */
	__s64 begun_ns, sent_ns;	/* the begin of its newest slot since the hello, and when that came; 0: none */
	__u64 other;			/* another incarnation of which slots of after the hello came */
	__s64 other_ns;			/* the begin of the first of them; 0: none */
	__s64 doubled_ns;		/* when another collector last sent under this name, see catalog_sent(); 0: never */
	size_t n_offers, n_states;
	struct offer *offer;			/* counted: sources with the same ones may share them, see source_share() */
	struct inst_state *state;
	struct source_self self;
};

struct source *source_new(const char *name);	/* NULL: no memory */
void source_free(struct source *s);

/* Reads a HELLO into *ret_source (new). */
int source_hello(const json_t *hello, struct source **ret_source, char *reason);

/* Replaces the source's offers with these if they are the same: the hosts of a fleet have the same, and they take 75 kB. */
bool source_share(struct source *s, struct offer *offers);
struct offer *offers_use(struct offer *offers);		/* returns its argument, which then has one user more */
void offers_let_go(struct offer *offers);		/* NULL is fine */

/* Takes over incarnation, version, kernel, labels and offers of a later hello; leaves `from` empty. */
void source_renew(struct source *s, struct source *from);

/* Reads a STATE; the states of instrumentations that it does not name stay, and so does `self`.  -EINVAL also for more than 4096 states in
 * all. */
int source_state(struct source *s, const json_t *state, char *reason);
void source_forget(struct source *s, __u64 inst);

/* Returns the offer of a metric; NULL: the source never named that metric. */
const struct offer *source_offer(const struct source *s, const char *module, const char *stat);
const struct inst_state *source_inst(const struct source *s, __u64 inst);

/* Makes a metric with its own memory; its JSON form is described in metric_json.h.  Checks names. */
int metric_parse(const json_t *json, struct metric **ret_metric, char *reason);
json_t *metric_to_json(const struct metric *m);		/* NULL: no memory */
struct metric *metric_copy(const struct metric *m);	/* NULL: no memory */

/* Adds copies of the fields of `other` that m lacks, before `hostname`, which is the last.  m was made by
 * metric_copy().  A metric has at most METRIC_FIELDS_MAX fields: further ones are not added.  -ENOMEM: not all. */
int metric_add_fields(struct metric *m, const struct metric *other);
void metric_free(struct metric *m);

#endif
