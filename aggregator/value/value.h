/* value.h - a value on its way: what was asked, what was read, what is replied.
 *
 *      value_new (loop) -> read: cube (loop, onto a tape) or store (worker) -> make: fold, picture, JSON (worker)
 *                       -> done (loop): the bytes, or a status with code and reason
 *
 * Source  one value is read from one place: the cube if it holds the whole range, else the store,
 *         which has everything (a loss that spans both would otherwise be counted twice).
 * Tiers   plan.h chooses them: in.granularity_ns then is the plan's unit, so that the interval, the
 *         columns and what a stream sends later all are whole slots of the tier that is read.
 * Memory  the value is value_run()'s until done() is called, then the caller's: value_free().
 * Thread  the loop thread: value_new(), value_run(), value_free(), and what prepares a value (value_x_add(), what compare settles,
 *         reply_title()).  One worker at a time: what reads and makes it (x_read(), x_slice(), make_x(), rates, the other reply_x()),
 *         which touches nothing but the value's own copies.
 */
#ifndef HEATSCOPE_VALUE_H
#define HEATSCOPE_VALUE_H

#include "render/document/report.h"
#include "aggregator/catalog/catalog.h"
#include "aggregator/query/layer_fold.h"
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

struct explain;				/* explain.h */
struct exemplar_fold;
struct running;				/* in_flight.h */
struct active;				/* query/active.h */

struct value {
	struct services *services;
	enum value_kind kind;
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
	struct plan keys_plan;		/* of the same interval, where keys are read apart from columns */
	__u32 drop;			/* fields folded away by `by` */

	size_t n_folds, n_key_folds;	/* fold 0 is of the asked measure, and tells coverage */
	bool runs;			/* the last fold is of what runs, and its grid becomes grid 0's */
	int fold_axis[REPORT_PANELS_MAX], key_axis[KEY_FOLDS_MAX];
	struct fold *fold[REPORT_PANELS_MAX];
	bool cover_only;		/* nobody wants fold 0's grid: spare it the slices */
	struct key_fold *key_fold[KEY_FOLDS_MAX];
	bool composed;			/* composition, report, explain: from the key fold first_composed on there is one of the events and
					 * one of each weight */
	size_t first_composed;
	bool layered;			/* grids get layers; of those a fold collects, layer_fold[i] is fold i's */
	struct layer_fold *layer_fold[REPORT_PANELS_MAX];
	struct layer_fold *counts;	/* chart, report: per key and column, of fold 0's measure; NULL: no keys, or no chart */
	struct value *other;		/* compare: B, made before it; NULL: of other kinds */
	struct explain *explain;	/* NULL: of other kinds */
	struct running *running;	/* keys, explain: what runs, by key; NULL: of other kinds, or not measured */
	struct active *active;		/* grid, stream: of what was under way at once; NULL: of other grids */
	bool active_apart;		/* report: it is read for the chart alone, and is in no fold */
	struct grid *at_once;		/* likewise: what came out; NULL: grid 0 is it, or nothing is */
	struct plan after;		/* likewise: what is read after the interval; no parts: nothing */
	bool reads_cube;		/* slices come from the cube: each is of one slot */
	struct exemplar_fold *exemplars;	/* likewise */
	struct store_reader reader;	/* gives to all of them */
	struct tape tape;		/* from the cube, on its way to the worker */

	struct annotations *annotations;	/* of its time; NULL: none */
	struct grid *grid[REPORT_PANELS_MAX];
	struct shade shade;		/* grid and stream: of grid 0 */

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
int value_new(struct services *services, const struct catalog_inst *ci, enum value_kind kind, const struct http_param *param,
	      size_t n_params, struct value **ret_value, char *reason);
/* The same of a known interval, with `at`'s delay and sources; at NULL: what the parameters say. */
int value_new_at(struct services *services, const struct catalog_inst *ci, enum value_kind kind,
		 const struct http_param *param, size_t n_params, const struct payload_head *at, struct value **ret_value,
		 char *reason);
void value_free(struct value *v);	/* NULL is fine */

/* Reads and makes it; done() is called exactly once, never from within. */
void value_run(struct value *v, void (*done)(struct value *v, void *arg), void *arg);

/* The worker's part, in make.c: fills data, or returns -errno. */
int value_make(struct value *v);

/* Who gives what is read to all its folds, in read.c, as value_run() is. */
void value_reader(struct value *v);

/* Small, medium or large: a worker takes one, ten or a hundred milliseconds for it. */
enum admission_class value_class(enum value_kind kind);

/* Totals per key are all it needs. */
bool value_is_totals(const struct value *v);

/* It needs columns of all keys together, and how many events each key has: a tenth of the slices that columns by key are. */
bool value_is_both(const struct value *v);

/* The picture carries what it was drawn from. */
bool value_attaches(const struct value *v);

/* The measure that tells what runs, beside the asked one, which is the metric's first; -1: there is none. */
int value_running_axis(const struct value *v);

/* What to read: a query for one axis. */
struct query value_query(const struct value *v, int axis);
size_t value_columns(const struct value *v);

/* Sources that have reported before should have reported in the fold's range, too.  -ENOMEM. */
int value_expect(const struct services *services, const struct catalog_inst *ci, __s64 now_ns, struct fold *f);

/* Options of the bare image, for image and details. */
struct image_options;
void value_image_options(const struct value *v, struct image_options *ret_options);

#endif
