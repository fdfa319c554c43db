/* catalog.h - keeps the metrics that can be measured, the instrumentations, and the sources.
 *
 *      HELLO, STATE --> sources --\
 *                                  > catalog --change--> ingest (WANT), stream, page
 *      create, delete (/ca) ------/     |
 *                                     store (as JSON, with the metric's field table)
 *
 * Shape   instrumentations by rising id; sources and metrics by name.  Returned pointers are valid until control
 *         returns to the loop.
 * Errors  0 or -errno; with -EINVAL `reason` (REASON_MAX bytes) is the message for /ca, in Cloud Analytics' words:
 *         value "5" for field "retention-time" is invalid: minimum is 10.
 * Thread  the loop thread only.  store_queue.h runs the calls that block.
 */
#ifndef HEATSCOPE_CATALOG_H
#define HEATSCOPE_CATALOG_H

#include "aggregator/base/conf_limits.h"
#include "aggregator/base/name_index.h"
#include "aggregator/store/store_queue.h"
#include "aggregator/catalog/source.h"

struct catalog;				/* its fields are in catalog.c */

struct sighting {			/* a source that has reported for an instrumentation */
	char source[SOURCE_MAX];
	__s64 first, slot;		/* the first slot that it reported of those that are kept, and the newest */
	__u64 lost;			/* events it reported as lost, since our start */
	__s64 lost_ns;			/* when it last reported lost events; 0: never */
};

/* How well a source measures an instrumentation. */
enum fare {
	FARE_NONE,			/* it never offered the metric nor reported it */
	FARE_PENDING,			/* connected; it has not reported its state yet */
	FARE_ACTIVE,
	FARE_PARTIAL,			/* without some fields or measures, or it lost events within FARE_LOSS_NS */
	FARE_FAILED,			/* it cannot; the reason says why */
	FARE_GONE,			/* not connected */
	FARE_SUSPENDED,			/* connected, but the instrumentation is suspended */
};
#define FARE_LOSS_NS 60000000000ll
#define DOUBLED_NS 60000000000ll	/* so long a source counts as doubled, see catalog_sent() */
#define SILENT_NS 15000000000ll		/* we do not wait for a source that has been silent for so long */

struct catalog_inst {
	struct catalog_inst *next;
	struct instrumentation in;
	struct metric *metric;		/* never NULL; as it was when the instrumentation was made */
	char numeric[NAME_MAX_LEN];	/* the numeric field of the decomposition; "": none */
	struct instrumentation asked;	/* while n_changes > 0: as it will be when all changes are stored */
	unsigned n_changes;
	char configured_name[CONF_NAME_MAX];	/* its name among the configured ones; "": not configured */
	unsigned configured_line;		/* its line in the configuration file; 0: not in it, or no longer */
	bool is_going;			/* its deletion is on its way to the store */
	bool off;			/* all measuring is off: as if suspended, see catalog_set_off() */
	__s64 touched_ns;		/* boot clock of the last request for it; 0: none since the start */
	__s64 client_ns;		/* the same, of requests of our own clients */
	unsigned n_steps;		/* steps of our clock that were marked in it or came before it was made */
	__s64 kept_from[TIERS];		/* the first slot that each tier still has */
	__s64 taken_from;		/* the first slot that the store takes: it cannot distinguish a dropped slot
					 * from one that is sent again */
	size_t n_sightings, sightings_room;
	struct sighting *sighting;
	struct name_index sighting_of;	/* a source's place among them */
};

int catalog_new(struct store_queue *store_queue, struct cube *cube, size_t cube_slots, struct catalog **ret_catalog);
void catalog_free(struct catalog *c);

/* Before catalog_load(): others write to the store, too.  The cube begins empty, and only sources of the retention are read. */
void catalog_share(struct catalog *c);

/* At start, before any worker runs: reads all instrumentations, opens the cube, and fills it with slots that are not in
 * the future. */
int catalog_load(struct catalog *c, struct store *store, __s64 now_ns, char *reason);
__s64 catalog_newest_ns(const struct catalog *c);	/* the end of the newest slot that a source reported; 0: none */

/* Instrumentations. */
const struct catalog_inst *catalog_first(const struct catalog *c);	/* then ->next; NULL: none */
const struct catalog_inst *catalog_find(const struct catalog *c, __u64 id);

/* Returns how many of the instrumentation's newest slots the cube holds. */
size_t catalog_cube_slots(const struct catalog *c, const struct instrumentation *in);

/* Creates an instrumentation from a request as in doc/api.md; numbers may be texts, lists comma-separated texts.
 * Returns -EINVAL at once, with the reason, and does not call done().  Returns 0 and calls done() later: with err 0 if
 * the store has it (`made` is in the catalog), else with the error and made NULL. */
typedef void (*catalog_made)(void *arg, int err, const struct catalog_inst *made);
int catalog_create(struct catalog *c, const json_t *request, __s64 now_ns, catalog_made done, void *arg,
		   char *reason);

/* The same for an instrumentation of the configuration file, under this name. */
int catalog_create_configured(struct catalog *c, const json_t *request, const char *configured_name, __s64 now_ns, catalog_made done,
			  void *arg, char *reason);

/* Takes from `in` the properties that may change.  configured_name: its name in the configuration file; "": it is not
 * in the file. */
int catalog_adopt(struct catalog *c, __u64 id, const struct instrumentation *in, const char *configured_name);

/* Sets the instrumentation's line in the configuration file. */
void catalog_bind(struct catalog *c, __u64 id, unsigned line);

/* Returns 0 if a request may delete or change the instrumentation; -EINVAL with the reason if it is in the
 * configuration file. */
int catalog_check_free(const struct catalog *c, const struct catalog_inst *ci, char *reason);

/* Turns all measuring off or on.  Off: no source is asked to measure anything, whatever each instrumentation says.  The
 * store keeps the setting.  done may be NULL. */
int catalog_set_off(struct catalog *c, bool off, store_queue_done done, void *arg);
bool catalog_is_off(const struct catalog *c);

/* Creates a copy of an instrumentation; the properties that the request names differ. */
int catalog_clone(struct catalog *c, __u64 id, const json_t *request, __s64 now_ns, catalog_made done, void *arg,
		  char *reason);

/* Changes retention-time, idle-max or enabled of an instrumentation.  The change holds when done() is called with err
 * 0; if it is called with an error, nothing has changed.  -ENOENT: the instrumentation was deleted meanwhile. */
int catalog_change(struct catalog *c, __u64 id, const json_t *request, catalog_made done, void *arg, char *reason);

/* Notes that a client asks for the instrumentation.  catalog_reap() deletes an instrumentation that no client has asked
 * for during its idle-max.  After a start an instrumentation is idle from the first reaping at the earliest.  boot_ns
 * is CLOCK_BOOTTIME, which does not change when the wall clock is set. */
void catalog_touch(struct catalog *c, __u64 id, __s64 boot_ns);
void catalog_touched(struct catalog *c, __u64 id, __s64 boot_ns);	/* a client of another heatscoped asked for it */
void catalog_reap(struct catalog *c, __s64 boot_ns);

/* Deletes an instrumentation: from the store, then from catalog and cube, before it calls done() (may be NULL).  If done()
 * gets an error, nothing has changed.  -ENOENT: no such id, or its deletion has begun already; done() is not called. */
int catalog_delete(struct catalog *c, __u64 id, store_queue_done done, void *arg);

/* For a heatscoped that another one leads.  catalog_follow() takes what the leader has written: `texts` is a copy of the
 * store's (store_copy_texts()).  The cube answers for a new instrumentation from until_ns on.  -ENOMEM, -EBADMSG with a
 * reason: nothing has changed. */
int catalog_follow(struct catalog *c, struct store *texts, __s64 until_ns, char *reason);
__u64 catalog_newest_id(const struct catalog *c);	/* of all that were ever known here */

/* From now on the cube never answers for slots that begin before until_ns: the store has them. */
void catalog_leave(struct catalog *c, __s64 until_ns);

/* Metrics: all that a connected source can measure, and those of the instrumentations. */
const struct metric *catalog_metric(const struct catalog *c, size_t index);	/* NULL: past the last */
const struct metric *catalog_metric_find(const struct catalog *c, const char *module, const char *stat);

/* Sources, connected (n_links > 0) or not. */
const struct source *catalog_source_first(const struct catalog *c);	/* then ->next */
/* now_ns 0: the hello may be old, so it says nothing about the source's clock. */
int catalog_hello(struct catalog *c, const json_t *hello, __s64 now_ns, const char **ret_name, char *reason);
int catalog_state(struct catalog *c, const char *source, const json_t *state, char *reason);
void catalog_bye(struct catalog *c, const char *source, __s64 now_ns);

/* Notes what a source's clock shows: host_ns, the end of a slot that arrived at now_ns.  The source sends a slot when
 * its clock is past it, and then time passes: so of several offsets the largest is the nearest, and that of the hello is
 * the first.  A batch of another incarnation says nothing.  is_set: the source's clock was set in this slot, so its
 * earlier offsets are forgotten. */
void catalog_clock(struct catalog *c, const char *source, __u64 incarnation, __s64 host_ns, bool is_set, __s64 now_ns);

/* Notes a batch whose slots begin at begin_ns.  If another incarnation than the latest hello's has slots that began after this
 * hello, and the hello's own has later ones, two collectors measure under one name: then each event counts twice.  If the
 * hello's own has none, a collector was started again, and its new hello is late or lost. */
void catalog_sent(struct catalog *c, const char *source, __u64 incarnation, __s64 begin_ns, __s64 now_ns);

/* Returns the labels of a source; NULL: it never said hello. */
const struct host_labels *catalog_labels(const struct catalog *c, const char *source);

enum fare catalog_fare(const struct catalog_inst *ci, const struct source *s, __s64 now_ns, char *reason);
const char *catalog_fare_word(enum fare fare);	/* "pending", ... */

/* Returns the sighting of a source; NULL: it has not reported the instrumentation. */
const struct sighting *catalog_sighting(const struct catalog_inst *ci, const char *source);

/* Notes that a source reported an instrumentation up to this slot, and the events that it lost. */
void catalog_seen(struct catalog *c, __u64 inst, const char *source, __s64 slot);
void catalog_lost(struct catalog *c, __u64 inst, const char *source, __u64 n, __s64 now_ns);

/* Has each source reported up to this slot?  It asks only for sources that are connected, can measure the
 * instrumentation and reported until recently. */
bool catalog_reported(const struct catalog *c, const struct catalog_inst *ci, __s64 slot, __s64 now_ns);

/* Sets by how much our clock is ahead of the believed time (timekeeper.h).  The two horizons below are earlier by
 * ahead_ns; < 0: our clock lags, and sources may report later slots. */
void catalog_set_ahead(struct catalog *c, __s64 ahead_ns);
__s64 catalog_latest_ns(const struct catalog *c, __s64 now_ns);	/* the later of now_ns and the believed time */

/* Notes that our clock was set by step_ns, to now_ns.  The next batch of each instrumentation will be marked.  If the
 * clock was set back, cube and sources forget slots that are now in the future.  The store keeps these slots.  No
 * answer contains them until their time comes, as no query reaches into the future.  They never count as the newest,
 * and expire one retention after their time. */
void catalog_stepped(struct catalog *c, __s64 step_ns, __s64 now_ns);
__s64 catalog_take_step(struct catalog *c, __u64 inst);	/* 0: no step, or it was taken */
void catalog_return_step(struct catalog *c, __u64 inst);	/* the batch with the step was not stored: mark the next
								 * one */

/* Returns the first slot that is not older than the retention.  It is 0 after catalog_keep(), which is for showing
 * recordings: then nothing expires. */
__s64 catalog_horizon(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns);
void catalog_keep(struct catalog *c);
void catalog_file(struct catalog *c, const char *file);	/* the configuration file's name, borrowed */
const char *catalog_file_name(const struct catalog *c);	/* "" if there is no file */

/* The same as catalog_horizon(), for each tier. */
void catalog_horizons(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns, __s64 ret_slot[TIERS]);

/* Notes that the store has each tier from this slot on (see store_kept()), and takes slots from taken_from on.  Slots
 * that tier 0 no longer has are removed from the cube. */
void catalog_expired(struct catalog *c, __u64 inst, const __s64 kept_from[TIERS], __s64 taken_from);

/* Counts the sources that can report an instrumentation: connected ones that offer its metric and have not failed, and
 * those that are not connected but have reported within its retention. */
__u32 catalog_n_sources(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns);

/* changed() is called after a change of the instrumentations (wanted), or only of sources and their states. */
struct catalog_observer {		/* the caller's memory, valid until catalog_unobserve() */
	void (*changed)(void *arg, bool wanted);
	void (*seen)(void *arg, __u64 inst);	/* a source reported; may be NULL */
	void *arg;
	struct catalog_observer *next;	/* in catalog.c */
};
void catalog_observe(struct catalog *c, struct catalog_observer *o);
void catalog_unobserve(struct catalog *c, struct catalog_observer *o);

const char *catalog_identity(const struct catalog *c);	/* the store's UUID */

/* Builds the WANT message: {"aggregator": uuid, "instrumentations": [...]}; NULL: no memory. */
json_t *catalog_want(const struct catalog *c);

#endif
