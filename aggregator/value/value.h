/* value.h - a value on its way: what was asked, what was read, what is replied.
 *
 *      value_new (loop) -> read: cube (loop, onto a tape) or store (worker) -> make: fold, picture, JSON (worker)
 *                       -> done (loop): the bytes, or a status with code and reason
 *
 * Kinds   This is what every value has.  A grid, a report, a comparison ... keep the rest in a struct of their own, which begins
 *         with a struct value, and do their part through the functions of a struct value_kind (kind.h).
 * Source  One value is read from one place: the cube if it holds the whole range, else the store,
 *         which has everything (a loss that spans both would otherwise be counted twice).
 * Tiers   plan.h chooses them: in.granularity_ns then is the plan's unit, so that the interval, the
 *         columns and what a stream sends later all are whole slots of the tier that is read.
 * Memory  The value is value_run()'s until done() is called, then the caller's: value_free().
 * Thread  The loop thread: value_new(), value_run(), value_free(), and a kind's plan(), folds(), run() and record().  One worker
 *         at a time: its read() and make(), which touch nothing but the value's own copies.
 */
#ifndef HEATSCOPE_VALUE_H
#define HEATSCOPE_VALUE_H

#include "render/document/report.h"
#include "aggregator/catalog/catalog.h"
#include "aggregator/value/params.h"
#include "aggregator/value/payload.h"
#include "aggregator/query/plan.h"
#include "aggregator/query/query.h"
#include "aggregator/base/services.h"
#include "aggregator/store/slice_buffer.h"

#define VALUE_TITLE 512

/* Made at a time: libuv has four workers for all; one is free for batches.  Of the others no class takes all, and when all classes
 * wait each has one. */
#define VALUES_MADE_MAX 3
#define CLASS_MADE_MAX 2		/* of each class */
#define KEY_FOLDS_MAX (2 * MEASURES_MAX + 1)
#define TAKERS_MAX (KEY_FOLDS_MAX + 2 * REPORT_PANELS_MAX + 3)

struct value_kind;			/* kind.h */

/* Gets what is read; what it does not want is NULL in `to`. */
struct value_taker {
	int axis;			/* slices of this measure; -1: of all */
	bool by_key;			/* it tells keys apart: slices of all keys together are not enough */
	struct store_reader to;
};

struct value {
	struct services *services;
	const struct value_kind *kind;
	struct params p;
	struct instrumentation in;	/* a copy: it may be deleted meanwhile */
	enum metric_scope scope[MEASURES_MAX];
	int weight;			/* what cells of the first measure's folds add, as in a slice */
	int first_axis;			/* of the metric's first measure; -1: it is not kept */
	char title[VALUE_TITLE];
	char unit[NAME_MAX_LEN];	/* what is counted */
	bool numeric;			/* decomposed by a numeric field */
	json_t *about;			/* pictures: the instrumentation and its sources, as /ca gives it */
	__s64 now_ns;
	struct zone zone;		/* of the times that its pictures and words show */
	struct payload_head head;
	__u64 n_snapshots;		/* slots that any source reported */
	struct plan plan;
	__u32 drop;			/* fields folded away by `by` */

	/* Folds.  Fold 0 is of the asked measure, and knows the coverage; the last one may be of what runs (in_flight.h). */
	size_t n_folds, n_key_folds;
	bool runs;
	int fold_axis[REPORT_PANELS_MAX], key_axis[KEY_FOLDS_MAX];
	struct fold *fold[REPORT_PANELS_MAX];
	struct key_fold *key_fold[KEY_FOLDS_MAX];

	/* Reading. */
	size_t n_takers;
	struct value_taker taker[TAKERS_MAX];
	bool by_key, all_axes, all_weights;	/* what some taker needs */
	struct slice_buffer slice_buffer;		/* from the cube, on its way to the worker */

	struct annotation_list *annotations;	/* of its time; NULL: none */
	struct grid *grid[REPORT_PANELS_MAX];

	unsigned status;		/* of the reply; with 200: type and data */
	const char *type, *code;
	char reason[PARAMS_REASON_MAX];
	void *data;
	size_t len;

	void (*done)(struct value *v, void *arg);
	void *arg;
	uv_work_t work;
	struct value *next_to_make;	/* waiting for a worker */
};

/* 0, or -EINVAL with the reason: parameters that do not validate.  -ENOMEM. */
int value_new(struct services *services, const struct catalog_inst *ci, enum value_kind_id id, const struct http_param *param,
	      size_t n_params, struct value **ret_value, char *reason);
/* The same of a known interval, with `at`'s delay and sources; at NULL: what the parameters say. */
int value_new_at(struct services *services, const struct catalog_inst *ci, enum value_kind_id id,
		 const struct http_param *param, size_t n_params, const struct payload_head *at, struct value **ret_value,
		 char *reason);
void value_free(struct value *v);	/* NULL is fine */

/* Reads and makes it; done() is called exactly once, never from within. */
void value_run(struct value *v, void (*done)(struct value *v, void *arg), void *arg);

/* Small, medium or large: a worker takes one, ten or a hundred milliseconds for it. */
enum admission_class value_class(enum value_kind_id id);

/* The measure that says what runs, next to the asked one, which is the metric's first; -1: there is none. */
int value_in_flight_axis(const struct value *v);

/* Returns the query that says what to read along one axis. */
struct query value_query(const struct value *v, int axis);

/* Sources that have reported before should have reported in the fold's range, too.  -ENOMEM. */
int value_expect(const struct services *services, const struct catalog_inst *ci, __s64 now_ns, struct fold *f);

#endif
