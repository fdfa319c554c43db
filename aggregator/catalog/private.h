/* private.h - declares what the files of the catalog share: catalog.c (instrumentations), change.c (changes to them),
 * sources.c (sources, metrics, observers).
 *
 * Errors  0 or -errno.  Thread: the loop thread only.
 */
#ifndef HEATSCOPE_CATALOG_PRIVATE_H
#define HEATSCOPE_CATALOG_PRIVATE_H

#include "aggregator/catalog/catalog.h"

struct catalog {
	struct store_queue *store_queue;
	struct cube *cube;
	size_t cube_slots;
	bool keep, off, is_shared;
	const char *file;		/* the configuration file; NULL: none */
	char identity[40];
	struct catalog_inst *first;
	size_t n_insts;			/* including those that are being made */
	__u64 newest_id;		/* of all instrumentations that were ever known here */
	struct source *sources;
	struct _GTree *source_of;	/* the same, by name */
	size_t n_sources;
	struct _GPtrArray *offers;	/* the latest different ones, for sources to share */
	struct metric_list *metrics;	/* see sources.c */
	struct catalog_observer *observers;
	__s64 ahead_ns;			/* our clock less the believed time (timekeeper.h); < 0: our clock lags */
	__s64 step_ns;			/* the newest step of our own clock */
	unsigned n_steps;		/* how many steps there were */
};

/* Makes the text that the store keeps; NULL: no memory. */
char *catalog_inst_text(const struct catalog_inst *ci);

/* Make a change that the store has, and switch everything off or on, in memory; catalog_changed() must follow.  Returns true if
 * the wanted set has changed. */
bool catalog_apply_change(struct catalog *c, struct catalog_inst *ci, const struct instrumentation *in, const char *configured_name);
void catalog_apply_off(struct catalog *c, bool off);

struct catalog_inst *catalog_inst_of(const struct catalog *c, __u64 id);	/* NULL: no such id */
int catalog_sources_init(struct catalog *c);			/* -ENOMEM */
void catalog_sources_fini(struct catalog *c);
void catalog_changed(struct catalog *c, bool wanted);		/* notifies the observers */

/* Notes that the source reported these slots of the instrumentation: ci keeps the first and the newest per source.  -ENOMEM. */
int catalog_sight(struct catalog_inst *ci, const char *source, __s64 first, __s64 last);
void catalog_unsight(struct catalog_inst *ci, __s64 slot);	/* forgets older slots */
void catalog_sightings_fini(struct catalog_inst *ci);

#endif
