/* kind.h - one kind of value: its functions, and what they are built of.
 *
 *      value_new()  -> plan(), settle(), folds()       which slots are read, and who takes them
 *      value_run()  -> run() -> record() or read()     from the cube onto the tape, or from the store
 *                   -> make()                          what the takers have becomes the reply
 *      value_free() -> free()
 *
 * Shape   kinds.c has the table of all kinds; x.c has a kind x, and struct x_value if it keeps more than a struct value.
 *         A function that is NULL does what its comment says.
 * Errors  0 or -errno; with -EINVAL `reason` (PARAMS_REASON_MAX bytes), or v->reason once it runs, is the message for /ca.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_KIND_H
#define HEATSCOPE_VALUE_KIND_H

#include "aggregator/value/value.h"

struct value_kind {
	const char *name;
	size_t size;			/* of its struct, which begins with a struct value; 0: it is one */
	enum admission_class class;
	bool totals;			/* totals per key are all it needs; its time is one column */
	bool all_measures;		/* its `measure` may be "*" */
	bool shows_times;		/* in a zone, which is looked up */
	bool drawn_from;		/* its picture says what instrumentation it is of */
	bool live;			/* its time goes on: it ends with the column that is not yet over */

	/* How many columns it has at most.  NULL: one. */
	size_t (*columns)(const struct value *v);

	/* Narrows or widens every query of the value.  NULL: as they are. */
	void (*query)(const struct value *v, struct query *q);

	/* Does it read keys apart?  NULL: only if it is totals or decompose_all. */
	bool (*reads_keys)(const struct value *v);

	/* Chooses the interval and the tiers.  NULL: value_choose_tiers(). */
	int (*plan)(struct value *v, const struct catalog_inst *ci, const struct http_param *param, size_t n_params, char *reason);

	/* Sets what the chosen measure decides.  NULL: nothing. */
	void (*settle)(struct value *v, int axis);

	/* Makes the folds, of the chosen measure. */
	int (*folds)(struct value *v, const struct catalog_inst *ci, int axis, char *reason);

	/* The time whose zone is looked up.  NULL: head.rounded. */
	struct interval_ns (*span)(const struct value *v);

	/* Starts reading.  NULL: value_read(). */
	void (*run)(struct value *v);

	/* Must it be read from the store, whatever the cube holds?  NULL: no. */
	bool (*needs_store)(const struct value *v);

	/* Reads the cube onto the tape.  NULL: value_record_slices(). */
	int (*record)(struct value *v, __s64 first, __s64 last);

	/* Reads slices, and what only this kind needs, from the store.  NULL: value_read_slices(). */
	int (*read)(struct value *v, struct store *store);

	/* Fills the value's data.  NULL: there is no reply. */
	int (*make)(struct value *v);

	/* Frees what its struct has beyond a struct value.  NULL: nothing. */
	void (*free)(struct value *v);
};

const struct value_kind *value_kind_of(enum value_kind_id id);

extern const struct value_kind value_raw, value_keys, value_image, value_details, value_figure, value_report, value_grid, value_stream,
	value_average, value_percentile, value_chart, value_explain, value_exemplars, value_composition, value_flame, value_compare,
	value_side;

/* ---- what is asked (value.c) ---- */

/* Reads the parameters and chooses the interval; `at` as for value_new_at(). */
int value_begin(struct services *services, const struct catalog_inst *ci, const struct value_kind *kind, enum value_kind_id id,
		const struct http_param *param, size_t n_params, const struct payload_head *at, struct value **ret_value, char *reason);
void value_choose_tiers(struct value *v, const struct catalog_inst *ci);

/* The same time in as few slots as totals need. */
void value_plan_totals(const struct value *v, const struct catalog_inst *ci, struct plan *ret_plan);

/* Which measure, which keys, and the folds that are read for it. */
int value_complete(struct value *v, const struct catalog_inst *ci, char *reason);

/* Of the wall clock's second: always all of it. */
bool value_is_offset(const struct value *v, int axis);

/* ---- folds and takers (value.c) ---- */

/* A fold of the query, which takes coverage, losses, marks and, unless cover_only, slices. */
int value_fold_add(struct value *v, const struct query *q, bool cover_only);
int value_key_fold_add(struct value *v, const struct query *q);

/* Room is TAKERS_MAX.  by_key: it tells keys apart. */
void value_take(struct value *v, int axis, bool by_key, const struct store_reader *to);

/* ---- reading (value_read.c) ---- */

/* From the cube or the store, then value_kind.make() on a worker. */
void value_read(struct value *v);

/* The one measure that is wanted; -1: several.  The one weight along the first measure; -1: several. */
int value_only_axis(const struct value *v);
int value_only_weight(const struct value *v);

/* Are slices of all keys together enough? */
bool value_is_whole(const struct value *v);

/* All slices of the plan, and of what runs, to all takers. */
int value_read_slices(struct value *v, struct store *store);
int value_record_slices(struct value *v, __s64 first, __s64 last);

/* Slices of a plan, of `of`'s axis, weight and whole.  totals: they need not fit columns. */
int value_read_plan(const struct value *v, struct store *store, const struct plan *plan, bool totals, const struct store_range *of,
		    const struct store_reader *slices);

/* Gives slices, and what is damaged, to the value's takers: all of them, or only those that do not tell keys apart. */
struct store_reader value_slices(struct value *v, bool columns_only);

/* ---- making (value_make.c) ---- */

/* The worker's part: v->grid[] of all folds, with annotations.  Frees the folds.  -ENOMEM. */
int value_grids(struct value *v);

/* Moves the grid of running queries, if there is one, into the first grid. */
void value_join_running(struct value *v);

#endif
