/* value.h - takes a value from the request to the reply: it plans, reads and makes it.
 *
 *      value_new (loop) -> read: cube (loop, into a buffer) or store (worker) -> make: fold, picture, JSON (worker)
 *                       -> done (loop): the bytes, or a status with code and reason
 *
 * Kinds   struct value has what every value needs.  A kind that needs more has a struct of its own, which begins with a
 *         struct value.  It does its part through the functions of its struct value_kind (kind.h).
 * Source  One value is read from one place: the cube if it holds the whole range, else the store, which has everything.
 *         (From two places a loss that spans both would count twice.)
 * Tiers   plan.h chooses them.  Then in.granularity_ns is the plan's unit, so the interval, the columns and a stream's
 *         later columns are whole slots of the tier.
 * Memory  value_run() owns the value until it calls done().  Then the caller owns it: value_free().
 * Thread  The loop thread: value_new(), value_run(), value_free(), and a kind's plan(), folds(), run() and record().
 *         One worker at a time: its read() and make(), which touch nothing but the value's own copies.
 */
#ifndef HEATSCOPE_VALUE_H
#define HEATSCOPE_VALUE_H

#include "render/document/report.h"
#include "aggregator/catalog/catalog.h"
#include "aggregator/params/params.h"
#include "aggregator/payload/payload.h"
#include "aggregator/query/plan.h"
#include "aggregator/query/query.h"
#include "aggregator/base/services.h"
#include "aggregator/store/slice_buffer.h"

#define VALUE_TITLE 512

#define KEY_FOLDS_MAX (2 * MEASURES_MAX + 1)
#define TAKERS_MAX (KEY_FOLDS_MAX + 2 * REPORT_PANELS_MAX + 3)

struct value_kind;			/* kind.h */

enum value_keys {			/* the keys that a taker needs separately */
	VALUE_WHOLE,			/* none: slices of all keys together are enough */
	VALUE_SELECTED,			/* those that the parameter `selected` names */
	VALUE_BY_KEY,			/* all */
};

/* Gets the data that are read; NULL members of `to` get nothing. */
struct value_taker {
	int axis;			/* slices of this measure; -1: of all measures */
	enum value_keys keys;
	struct store_reader to;
};

struct value {
	struct services *services;
	const struct value_kind *kind;
	struct params p;
	struct instrumentation in;	/* a copy: the original may be deleted meanwhile */
	enum metric_scope scope[MEASURES_MAX];
	int weight;			/* the sum in the cells of the first measure's folds, as in a slice */
	int first_axis;			/* the metric's first measure; -1: the instrumentation does not have it */
	char title[VALUE_TITLE];
	char unit[NAME_MAX_LEN];	/* of the counts */
	bool numeric;			/* decomposed by a numeric field */
	json_t *about;			/* pictures: the instrumentation and its sources, as /ca returns it */
	__s64 now_ns;
	struct zone zone;		/* the zone of the times in its pictures and words */
	struct payload_head head;
	__u64 n_snapshots;		/* slots that any source reported */
	struct plan plan;
	__u32 drop;			/* fields folded away by `by` */

	/* Folds.  Fold 0 is of the requested measure and has the coverage; the last one may be of running events
	 * (in_flight.h). */
	size_t n_folds, n_key_folds;
	bool runs;
	int fold_axis[REPORT_PANELS_MAX], key_axis[KEY_FOLDS_MAX];
	struct fold *fold[REPORT_PANELS_MAX];
	struct key_fold *key_fold[KEY_FOLDS_MAX];

	/* Reading. */
	size_t n_takers;
	struct value_taker taker[TAKERS_MAX];
	enum value_keys keys;		/* the most that any taker needs */
	bool all_axes, all_weights;	/* a taker needs them */
	struct slice_buffer slice_buffer;		/* slices from the cube, for the worker */

	struct annotation_list *annotations;	/* of its time; NULL: none */
	struct grid *grid[REPORT_PANELS_MAX];

	unsigned status;		/* of the reply; if 200: type and data */
	const char *type, *code;
	char reason[PARAMS_REASON_MAX];
	void *data;
	size_t len;

	void (*done)(struct value *v, void *arg);
	void *arg;
	struct making_job job;
};

/* Returns 0, or -EINVAL with the reason: invalid parameters.  -ENOMEM. */
int value_new(struct services *services, const struct catalog_inst *ci, enum value_kind_id id, const struct http_param *param,
	      size_t n_params, struct value **ret_value, char *reason);
/* The same for a given interval, with `at`'s delay and sources; at NULL: the parameters decide. */
int value_new_at(struct services *services, const struct catalog_inst *ci, enum value_kind_id id,
		 const struct http_param *param, size_t n_params, const struct payload_head *at, struct value **ret_value,
		 char *reason);
void value_free(struct value *v);	/* NULL is fine */

/* Reads and makes it; done() is called exactly once, never from within. */
void value_run(struct value *v, void (*done)(struct value *v, void *arg), void *arg);

/* Returns small, medium or large: a worker needs one, ten or a hundred milliseconds for it. */
enum admission_class value_class(enum value_kind_id id);

/* Returns the measure of running events, if the requested measure is the metric's first; -1: there is none. */
int value_in_flight_axis(const struct value *v);

/* Returns the query that says what to read along one axis. */
struct query value_query(const struct value *v, int axis);

/* Expects reports in the fold's range from sources that have reported before.  -ENOMEM. */
int value_expect(const struct services *services, const struct catalog_inst *ci, __s64 now_ns, struct fold *f);

#endif
