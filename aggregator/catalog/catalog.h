/* catalog.h - what can be measured, what is being measured, and by whom.
 *
 *      HELLO, STATE --> sources --\
 *                                  > catalog --change--> ingest (WANT), stream, page
 *      create, delete (/ca) ------/     |
 *                                     store (as JSON, with the metric's field table)
 *
 * Shape   instrumentations by rising id; sources and metrics by name.  Pointers handed out are
 *         valid until control returns to the loop.
 * Errors  0 or -errno; with -EINVAL `reason` (REASON_MAX bytes) is the message for /ca, in Cloud
 *         Analytics' words: value "5" for field "retention-time" is invalid: minimum is 10.
 * Thread  the loop thread only; what blocks goes through store_queue.h.
 */
#ifndef HEATSCOPE_CATALOG_H
#define HEATSCOPE_CATALOG_H

#include "aggregator/base/conf_limits.h"
#include "aggregator/store/store_queue.h"
#include "aggregator/catalog/source.h"

struct catalog;				/* its fields are in catalog.c */

struct sighting {			/* a source that has reported for an instrumentation */
	char source[SOURCE_MAX];
	__s64 slot;			/* the newest it spoke for */
	__u64 lost;			/* events it told to be lost, since our start */
	__s64 lost_ns;			/* when it last told so; 0: never */
};

/* How a source fares with an instrumentation. */
enum fare {
	FARE_NONE,			/* it never offered the metric nor reported it */
	FARE_PENDING,			/* connected; it has not said yet */
	FARE_ACTIVE,
	FARE_PARTIAL,			/* not with everything, or it lost events within FARE_LOSS_NS */
	FARE_FAILED,			/* it cannot: the reason says why */
	FARE_GONE,			/* not connected */
	FARE_SUSPENDED,			/* connected, but the instrumentation is suspended */
};
#define FARE_LOSS_NS 60000000000ll
#define SILENT_NS 15000000000ll		/* who has been silent for so long is not waited for */

struct catalog_inst {
	struct catalog_inst *next;
	struct instrumentation in;
	struct metric *metric;		/* never NULL; as it was when the instrumentation was made */
	char numeric[NAME_MAX_LEN];	/* the numeric field of the decomposition, "" if none */
	struct instrumentation asked;	/* while n_changes > 0: as it will be when all are stored */
	unsigned n_changes;
	char configured_name[CONF_NAME_MAX];	/* its name among those that always exist, "": it is none of them */
	unsigned configured_line;		/* where the configuration file has it; 0: it does not (any more) */
	bool off;			/* everything is: as if suspended, see catalog_set_off() */
	__s64 touched_ns;		/* when somebody last asked for it, by the boot clock; 0: not since the start */
	unsigned n_steps;		/* steps of our clock that were marked in it or before it was made */
	__s64 kept_from[TIERS];		/* the first slot that each tier still has; */
	__s64 taken_from;		/* that the store takes: what it dropped it could not tell from what is sent again */
	int hostname_at;		/* index of `hostname` among the fields, -1: not decomposed by it */
	size_t n_sightings;
	struct sighting *sighting;
};

int catalog_new(struct store_queue *store_queue, struct cube *cube, size_t cube_slots, struct catalog **ret_catalog);
void catalog_free(struct catalog *c);

/* At start, before any worker runs: reads all instrumentations, opens and fills the cube with what is not in the future. */
int catalog_load(struct catalog *c, struct store *store, __s64 now_ns, char *reason);
__s64 catalog_newest_ns(const struct catalog *c);	/* the end of the newest slot that a source reported; 0: none */
const char *catalog_identity(const struct catalog *c);	/* the store's uuid */

/* Instrumentations. */
const struct catalog_inst *catalog_first(const struct catalog *c);	/* then ->next; NULL: none */
const struct catalog_inst *catalog_find(const struct catalog *c, __u64 id);

/* How many of its newest slots the cube holds. */
size_t catalog_cube_slots(const struct catalog *c, const struct instrumentation *in);

/* Creates one from a request as in doc/api.md; numbers may be texts, lists comma-separated texts.
 * -EINVAL: at once, with the reason, and done() is not called.  0: done() is called when it is in
 * the store (err 0, and `made` is in the catalog) or could not be (err, made NULL). */
typedef void (*catalog_made)(void *arg, int err, const struct catalog_inst *made);
int catalog_create(struct catalog *c, const json_t *request, __s64 now_ns, catalog_made done, void *arg,
		   char *reason);

/* The same for one that always exists, under this name. */
int catalog_create_configured(struct catalog *c, const json_t *request, const char *configured_name, __s64 now_ns, catalog_made done,
			  void *arg, char *reason);

/* Makes it another in what may change, and one that always exists (or not: ""). */
int catalog_adopt(struct catalog *c, __u64 id, const struct instrumentation *in, const char *configured_name);

/* Where the configuration file has it. */
void catalog_bind(struct catalog *c, __u64 id, unsigned line);

/* -EINVAL with the reason: it stands in the configuration file, so it is neither deleted nor changed. */
int catalog_check_free(const struct catalog *c, const struct catalog_inst *ci, char *reason);

/* Everything off: nobody is asked to measure anything, whatever each instrumentation says; kept by the
 * store.  done may be NULL. */
int catalog_set_off(struct catalog *c, bool off, store_queue_done done, void *arg);
bool catalog_is_off(const struct catalog *c);

/* Another one like it, but for what the request names. */
int catalog_clone(struct catalog *c, __u64 id, const json_t *request, __s64 now_ns, catalog_made done, void *arg,
		  char *reason);

/* Changes retention-time, idle-max or enabled.  Everything is as before until done() is called; with
 * an error it stays so, -ENOENT: it was deleted meanwhile. */
int catalog_change(struct catalog *c, __u64 id, const json_t *request, catalog_made done, void *arg, char *reason);

/* Somebody asks for it; whom nobody asks for longer than its idle-max, catalog_reap() deletes.
 * An instrumentation idles from the first reaping after a start on at the earliest.  boot_ns is CLOCK_BOOTTIME, which no
 * change of the wall clock moves. */
void catalog_touch(struct catalog *c, __u64 id, __s64 boot_ns);
void catalog_reap(struct catalog *c, __s64 boot_ns);

/* It is gone from the catalog and the cube at once, from the store when done() is called (done may
 * be NULL).  -ENOENT: at once. */
int catalog_delete(struct catalog *c, __u64 id, store_queue_done done, void *arg);

/* Metrics: all that a connected source can measure, and those of the instrumentations. */
const struct metric *catalog_metric(const struct catalog *c, size_t index);	/* NULL: past the last */
const struct metric *catalog_metric_find(const struct catalog *c, const char *module, const char *stat);

/* Sources, connected (n_links > 0) or not. */
const struct source *catalog_source_first(const struct catalog *c);	/* then ->next */
const struct source *catalog_source_find(const struct catalog *c, const char *name);
int catalog_hello(struct catalog *c, const json_t *hello, const char **ret_name, char *reason);
int catalog_state(struct catalog *c, const char *source, const json_t *state, char *reason);
void catalog_bye(struct catalog *c, const char *source);

enum fare catalog_fare(const struct catalog_inst *ci, const struct source *s, __s64 now_ns, char *reason);
const char *catalog_fare_word(enum fare fare);	/* "pending", ... */

/* A source spoke for an instrumentation up to this slot, and told of events that it lost. */
void catalog_seen(struct catalog *c, __u64 inst, const char *source, __s64 slot);
void catalog_lost(struct catalog *c, __u64 inst, const char *source, __u64 n, __s64 now_ns);

/* Has everybody who is connected, can and has reported until shortly before, reported up to this slot? */
bool catalog_reported(const struct catalog *c, const struct catalog_inst *ci, __s64 slot, __s64 now_ns);

/* Our own clock.  ahead_ns: by so much now_ns is ahead of the time that is believed (timekeeper.h), and the two horizons below are
 * earlier; < 0: it is behind, and what sources report may be later. */
void catalog_set_ahead(struct catalog *c, __s64 ahead_ns);
__s64 catalog_latest_ns(const struct catalog *c, __s64 now_ns);	/* the later of now_ns and the believed time */

/* It was set by step_ns, to now_ns.  The next batch of each instrumentation is going to be marked; where it was set back, cube and
 * sources forget slots that are in the future now.  The store keeps them: they are in no answer until their time comes, as nobody can
 * ask for the future, they are the newest for nobody, and they expire a retention after that. */
void catalog_stepped(struct catalog *c, __s64 step_ns, __s64 now_ns);
__s64 catalog_take_step(struct catalog *c, __u64 inst);	/* 0: none, or it was taken */
void catalog_return_step(struct catalog *c, __u64 inst);	/* the batch that took it was not stored: the next one shall */

/* The first slot that is not older than the retention; 0 with catalog_keep(), which is for showing
 * recordings: nothing grows too old then. */
__s64 catalog_horizon(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns);
void catalog_keep(struct catalog *c);
void catalog_file(struct catalog *c, const char *file);	/* the configuration's, borrowed */
const char *catalog_file_name(const struct catalog *c);	/* "" if there is none */

/* The same of each tier. */
void catalog_horizons(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns, __s64 ret_slot[TIERS]);

/* The store has each tier from this slot on (see store_kept()), and takes what is of taken_from or later; what tier 0 has no more
 * goes from the cube. */
void catalog_expired(struct catalog *c, __u64 inst, const __s64 kept_from[TIERS], __s64 taken_from);

/* Sources that can report it: connected ones that offer its metric and have not failed, and those
 * that are not connected, but were seen in its retention. */
__u32 catalog_n_sources(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns);

/* Called after a change: of the instrumentations (wanted), or only of sources and their states. */
struct catalog_observer {		/* the caller's memory, valid until catalog_unobserve() */
	void (*changed)(void *arg, bool wanted);
	void (*seen)(void *arg, __u64 inst);	/* somebody reported; NULL: not asked for */
	void *arg;
	struct catalog_observer *next;	/* catalog.c's */
};
void catalog_observe(struct catalog *c, struct catalog_observer *o);
void catalog_unobserve(struct catalog *c, struct catalog_observer *o);

/* The WANT message: {"aggregator": uuid, "instrumentations": [...]}; NULL: no memory. */
json_t *catalog_want(const struct catalog *c);

#endif
