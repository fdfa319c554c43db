/* kind.h - describes one kind of value by its functions, and declares the functions that they use.
 *
 *      value_new()  -> plan(), settle(), folds()       which slots are read, and who takes them
 *      value_run()  -> run() -> record() or read()     from the cube into the slice buffer, or from the store
 *                   -> make()                          makes the reply from the takers' data
 *      value_free() -> free()
 *
 * Shape   value.c has the table of all kinds. x.c has the kind x.  It has a struct x_value if it keeps more than a
 *         struct value.  If a function is NULL, value.c acts as the function's comment says.
 * Errors  0 or -errno; with -EINVAL `reason` (PARAMS_REASON_MAX bytes), or v->reason once it runs, is the message for
 *         /ca.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_KIND_H
#define HEATSCOPE_VALUE_KIND_H

#include "aggregator/value/value.h"

struct value_kind {
	const char *name;
	size_t size;			/* of its struct, which begins with a struct value; 0: it is a struct value */
	enum admission_class class;
	bool totals;			/* it needs only totals per key; its time is one column */
	bool all_measures;		/* its `measure` may be "*" */
	bool shows_times;		/* it shows times in a zone, which is looked up */
	bool drawn_from;		/* its picture names its instrumentation */
	bool live;			/* its time goes on: it ends with the column that is in progress */

	/* Returns how many columns it has at most.  NULL: one. */
	size_t (*columns)(const struct value *v);

	/* Narrows or widens every query of the value.  NULL: no change. */
	void (*query)(const struct value *v, struct query *q);

	/* Does it need keys separately?  NULL: only if it is totals or decompose_all. */
	bool (*reads_keys)(const struct value *v);

	/* Chooses the interval and the tiers.  NULL: value_choose_tiers(). */
	int (*plan)(struct value *v, const struct catalog_inst *ci, const struct http_param *param, size_t n_params, char *reason);

	/* Sets what depends on the chosen measure.  NULL: nothing. */
	void (*settle)(struct value *v, int axis);

	/* Makes the folds of the chosen measure. */
	int (*folds)(struct value *v, const struct catalog_inst *ci, int axis, char *reason);

	/* Returns the time whose zone is looked up.  NULL: head.rounded. */
	struct interval_ns (*span)(const struct value *v);

	/* Starts reading.  NULL: value_read(). */
	void (*run)(struct value *v);

	/* Must it be read from the store, even if the cube holds the range?  NULL: no. */
	bool (*needs_store)(const struct value *v);

	/* Reads the cube into the slice buffer.  NULL: value_record_slices(). */
	int (*record)(struct value *v, __s64 first, __s64 last);

	/* Reads slices from the store, and the data that only this kind needs.  NULL: value_read_slices(). */
	int (*read)(struct value *v, struct store *store);

	/* Fills the value's data.  NULL: there is no reply. */
	int (*make)(struct value *v);

	/* Frees the members that its struct has beyond a struct value.  NULL: nothing. */
	void (*free)(struct value *v);
};

bool value_always(const struct value *v);	/* true, for reads_keys and needs_store */

const struct value_kind *value_kind_of(enum value_kind_id id);

extern const struct value_kind value_raw, value_keys, value_image, value_details, value_figure, value_report, value_grid, value_stream,
	value_average, value_percentile, value_chart, value_explain, value_exemplars, value_composition, value_flame, value_compare,
	value_side, value_multiples;

/* ---- the request (value.c) ---- */

/* Reads the parameters and chooses the interval; `at` as for value_new_at(). */
int value_begin(struct services *services, const struct catalog_inst *ci, const struct value_kind *kind, enum value_kind_id id,
		const struct http_param *param, size_t n_params, const struct payload_head *at, struct value **ret_value, char *reason);
void value_choose_tiers(struct value *v, const struct catalog_inst *ci);

/* Plans the same time in the fewest slots that totals need. */
void value_plan_totals(const struct value *v, const struct catalog_inst *ci, struct plan *ret_plan);

/* Chooses the measure and the keys, and makes the folds that are read for it. */
int value_complete(struct value *v, const struct catalog_inst *ci, char *reason);

/* Is the measure the position in the wall clock's second?  Such an axis always shows the whole second. */
bool value_is_offset(const struct value *v, int axis);

/* ---- folds and takers (value.c) ---- */

/* Adds a fold of the query, which takes coverage, losses, marks and, unless cover_only, slices. */
int value_fold_add(struct value *v, const struct query *q, bool cover_only);
int value_key_fold_add(struct value *v, const struct query *q);

/* Makes the folds of a kind that needs totals per key: coverage and a key fold. */
int value_totals_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason);

/* At most TAKERS_MAX. */
void value_take(struct value *v, int axis, enum value_keys keys, const struct store_reader *to);

/* ---- reading (read.c) ---- */

/* Reads from the cube or the store, then calls value_kind.make() on a worker. */
void value_read(struct value *v);

/* Return the one measure that the takers need, and the one weight along the first measure; -1: several. */
int value_only_axis(const struct value *v);
int value_only_weight(const struct value *v);

/* Are slices of all keys together enough? */
bool value_is_whole(const struct value *v);

/* Reads all slices of the plan, and of the running events, for all takers. */
int value_read_slices(struct value *v, struct store *store);
int value_record_slices(struct value *v, __s64 first, __s64 last);

/* Reads slices of a plan, with the axis, weight and whole of `of`.  totals: they need not fit columns. */
int value_read_plan(const struct value *v, struct store *store, const struct plan *plan, bool totals, const struct store_range *of,
		    const struct store_reader *slices);

/* Reads slices for columns of all keys together and, in a second step, those of the selected keys for the takers of
 * these.  Takers of all keys get nothing. */
int value_read_columns(struct value *v, struct store *store);

/* Gives slices, and damage, to all takers of the value. */
struct store_reader value_slices(struct value *v);

/* ---- making (value.c) ---- */

/* Runs on the worker: makes v->grid[] of all folds, with annotations.  Frees the folds.  -ENOMEM. */
int value_grids(struct value *v);

/* Moves the grid of running exchanges, if there is one, into the first grid. */
void value_join_running(struct value *v);

#endif
