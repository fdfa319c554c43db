#include "aggregator/query/active.h"
#include "collector/core/array.h"
#include "aggregator/store/coverage.h"
#include "aggregator/query/keytable.h"
#include "collector/core/saturating.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHORT	 16 /* buckets shorter than this part of a slot are one */
#define ROWS_MAX (MEASURES_MAX + 2)

struct lot { /* the events of a bucket */
	__u32 cell;
	__u64 n;
	double estimate;	    /* of their time: the middle of the bucket times their number */
	__u64 weight[MEASURES_MAX]; /* sums; the first is the latency's */
};

struct ended { /* events that ended in a slot; or, of running ones, that ran at its end */
	__s64 slot;
	__u64 width_ns, ruler;
	__u64 sum; /* exact */
	size_t n, room;
	struct lot *lot; /* by rising cell */
};

struct slots {		    /* by rising slot */
	size_t n, room, at; /* at: where the last search ended */
	struct ended *ended;
};

struct active {
	struct query q;
	__s64 last;
	int running_axis;
	__s64 width;
	struct slots events, running;
	struct coverage coverage;
	struct keytable keys;
	signed char *wanted;
	size_t n_wanted;
	struct store_reader reader;
	int err;
};

/* ---- slots and their buckets ---- */

/* Finds the place of a slot, or where to insert it. */
static size_t slots_place(struct slots *s, __s64 slot)
{
	if (s->at < s->n && s->ended[s->at].slot == slot)
		return s->at;
	if (s->at + 1 < s->n && s->ended[s->at].slot < slot && s->ended[s->at + 1].slot >= slot)
		return s->at + 1;
	return array_place(s->n, at, s->ended[at].slot < slot);
}

static struct ended *slots_at(struct slots *s, __s64 slot, __u64 width_ns, __u64 ruler)
{
	size_t at = slots_place(s, slot);

	s->at = at;
	if (at < s->n && s->ended[at].slot == slot)
		return &s->ended[at];
	if (array_grow(&s->ended, s->n, &s->room, sizeof(*s->ended)))
		return NULL;
	memmove(&s->ended[at + 1], &s->ended[at], (s->n++ - at) * sizeof(*s->ended));
	s->ended[at] = (struct ended){.slot = slot, .width_ns = width_ns, .ruler = ruler};
	return &s->ended[at];
}

static void slots_drop(struct slots *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		free(s->ended[i].lot);
	if (from < to)		/* no memory if there is no slot at all */
		memmove(&s->ended[from], &s->ended[to], (s->n - to) * sizeof(*s->ended));
	s->n -= to - from;
}

static void slots_fini(struct slots *s)
{
	slots_drop(s, 0, s->n);
	free(s->ended);
}

/* Finds the bucket of a cell, from *hint on: cells ascend. */
static struct lot *lot_at(struct ended *e, size_t *hint, __u32 cell)
{
	while (*hint < e->n && e->lot[*hint].cell < cell)
		(*hint)++;
	if (*hint < e->n && e->lot[*hint].cell == cell)
		return &e->lot[*hint];
	if (array_grow(&e->lot, e->n, &e->room, sizeof(*e->lot)))
		return NULL;
	memmove(&e->lot[*hint + 1], &e->lot[*hint], (e->n++ - *hint) * sizeof(*e->lot));
	e->lot[*hint] = (struct lot){.cell = cell};
	return &e->lot[*hint];
}

static void lot_add(struct lot *to, const struct lot *from)
{
	to->n = saturating_add(to->n, from->n);
	to->estimate += from->estimate;
	for (size_t i = 0; i < MEASURES_MAX; i++)
		to->weight[i] = saturating_add(to->weight[i], from->weight[i]);
}

/* Cells ascend, and so do the coarser ones: neighbours can be added up in place. */
static void ended_fold(struct ended *e, __u64 ruler)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->n; i++) {
		__u32 cell = e->lot[i].cell ? ruler_fold(e->ruler, ruler, e->lot[i].cell) : 0;

		if (kept && e->lot[kept - 1].cell == cell)
			lot_add(&e->lot[kept - 1], &e->lot[i]);
		else
			e->lot[kept++] = e->lot[i];
		e->lot[kept - 1].cell = cell;
	}
	e->n = kept;
	e->ruler = ruler;
}

/* Short events are one bucket, cell 0: each would be spread within its slot anyway. */
static __u32 cell_of(const struct ended *e, __u64 ruler, __u32 cell)
{
	__u32 to = ruler_fold(ruler, e->ruler, cell);

	return ruler_last(e->ruler, to) < e->width_ns / SHORT ? 0 : to;
}

static int ended_add(struct ended *e, const struct slice *s)
{
	__u64 common = ruler_common(e->ruler, s->ruler);
	struct hist_reader h;
	size_t hint = 0;
	int err = common ? hist_reader_open(&h, s->ruler, s->hist, s->hist_len) : -EINVAL;

	if (err)
		return err;
	if (common != e->ruler)
		ended_fold(e, common);
	if (!s->weight)
		e->sum = saturating_add(e->sum, h.sum);
	while (hist_reader_next(&h)) {
		struct lot *lot = lot_at(e, &hint, cell_of(e, s->ruler, h.cell));
		__u64 *to = !lot ? NULL : s->weight ? &lot->weight[s->weight - 1] : &lot->n;

		if (!to)
			return -ENOMEM;
		*to = saturating_add(*to, h.value);
		if (s->weight)
			continue;
		lot->estimate += (double)h.value * hist_middle(s->ruler, h.cell, h.min, h.max);
	}
	return h.cursor.err;
}

/* ---- what comes in ---- */

static bool active_wants(struct active *a, const struct labels *key)
{
	long at;

	if (!a->q.n_select)
		return true;
	at = keytable_at(&a->keys, key);
	if (at == (long)a->n_wanted) {
		if (array_resize(&a->wanted, a->n_wanted + 1, sizeof(*a->wanted)))
			at = -ENOMEM;
		else
			a->wanted[a->n_wanted++] = query_selects(&a->q, key);
	}
	a->err = at < 0 ? (int)at : a->err;
	return at >= 0 && a->wanted[at];
}

static void active_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct active *a = arg;
	bool runs = a->running_axis >= 0 && s->axis == a->running_axis;
	__u64 slot_ns = a->q.inst->slot_ns;
	struct ended *e;

	if (a->err || slot > a->last || (s->axis && !runs) || (runs && s->weight) || s->weight > a->q.inst->n_weights ||
	    !active_wants(a, &s->key))
		return;
	e = runs ? slots_at(&a->running, slot, 0, s->ruler)
		 : slots_at(&a->events, slot, (__u64)a->width * slot_ns, s->ruler);
	a->err = e ? ended_add(e, s) : -ENOMEM;
}

static void active_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct active *a = arg;

	last = last < a->last ? last : a->last;
	if (first <= last && !a->err)
		a->err = coverage_add(&a->coverage, source, first, last);
}

/* ---- making and freeing ---- */

int active_new(const struct query *q, __s64 last, int running_axis, struct active **ret_active)
{
	struct active *a;

	if (q->axis || q->weight || q->to_ns <= q->from_ns || last < q->to_ns / (__s64)q->inst->slot_ns - 1)
		return -EINVAL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	*a = (struct active){.q = *q, .last = last, .running_axis = running_axis, .width = 1};
	a->reader = (struct store_reader){.arg = a, .slice = active_slice, .cover = active_cover};
	*ret_active = a;
	return 0;
}

void active_free(struct active *a)
{
	if (!a)
		return;
	slots_fini(&a->events);
	slots_fini(&a->running);
	coverage_fini(&a->coverage);
	keytable_fini(&a->keys);
	free(a->wanted);
	free(a);
}

void active_width(struct active *a, __s64 n_slots)
{
	a->width = n_slots;
}

const struct store_reader *active_reader(struct active *a)
{
	return &a->reader;
}

static size_t slots_bytes(const struct slots *s)
{
	size_t bytes = s->room * sizeof(*s->ended);

	for (size_t i = 0; i < s->n; i++)
		bytes += s->ended[i].room * sizeof(*s->ended[i].lot);
	return bytes;
}

size_t active_bytes(const struct active *a)
{
	return slots_bytes(&a->events) + slots_bytes(&a->running);
}

int active_error(const struct active *a)
{
	return a->err;
}

static __s64 slot_end(const struct active *a, const struct ended *e)
{
	__s64 slot_ns = (__s64)a->q.inst->slot_ns;

	return e->slot * slot_ns + (e->width_ns ? (__s64)e->width_ns : slot_ns);
}

__s64 active_last(const struct active *a)
{
	return a->last;
}

void active_move(struct active *a, __s64 from_ns, __s64 to_ns, __s64 last)
{
	size_t n = 0;

	a->q.from_ns = from_ns;
	a->q.to_ns = to_ns;
	a->last = last;
	while (n < a->events.n && slot_end(a, &a->events.ended[n]) <= from_ns)
		n++;
	slots_drop(&a->events, 0, n);
}

void active_forget(struct active *a, __s64 first, __s64 last, __s64 *ret_first, __s64 *ret_last)
{
	__s64 slot_ns = (__s64)a->q.inst->slot_ns;
	size_t from = 0, to;

	while (from < a->events.n && slot_end(a, &a->events.ended[from]) <= first * slot_ns)
		from++;
	for (to = from; to < a->events.n && a->events.ended[to].slot <= last; to++) {
		__s64 end = slot_end(a, &a->events.ended[to]) / slot_ns - 1;

		first = a->events.ended[to].slot < first ? a->events.ended[to].slot : first;
		last = end > last ? end : last;
	}
	slots_drop(&a->events, from, to);
	*ret_first = first;
	*ret_last = last;
}

void active_forget_running(struct active *a)
{
	slots_drop(&a->running, 0, a->running.n);
}

/* ---- up to which slot we know ---- */

/* Returns the last slot that any source reported; -1: none. */
static __s64 last_covered(const struct active *a)
{
	__s64 last = -1;

	for (size_t i = 0; i < a->coverage.n_sources; i++)
		for (size_t j = 0; j < a->coverage.source[i].n_intervals; j++)
			last = a->coverage.source[i].interval[j].last > last ? a->coverage.source[i].interval[j].last
									     : last;
	return last;
}

/* Returns the last slot that as many sources reported as its neighbours.  For a slot that has just ended, some reports
 * are still in flight. */
static __s64 last_known(struct active *a)
{
	__s64 last = last_covered(a), known = last;
	__u32 most = 0, n, expected;

	for (__s64 slot = last; last >= 0 && slot > last - ACTIVE_LAGGING_SLOTS && slot >= 0; slot--) {
		coverage_count(&a->coverage, slot, slot, slot, &n, &expected);
		if (n > most) {
			most = n;
			known = slot;
		}
	}
	return known;
}

bool active_running_slots(struct active *a, __s64 *ret_first, __s64 *ret_last)
{
	__s64 last = last_known(a);

	if (a->running_axis < 0 || last < 0)
		return false;
	*ret_first = *ret_last = last;
	return true;
}

/* ---- times ---- */

/* Times are signed while they are spread.  They saturate at INT64_MAX ns of either sign, for any values that a source
 * sends. */
static __s64 time_of(__u64 ns)
{
	return ns < INT64_MAX ? (__s64)ns : INT64_MAX;
}

static __s64 time_round(double ns)
{
	const double end = 0x1p63;	/* the smallest double above INT64_MAX */

	return ns >= end ? INT64_MAX : ns <= -end ? -INT64_MAX : llround(ns);
}

static __s64 time_add(__s64 a, __s64 b)
{
	__s64 sum;

	if (!__builtin_add_overflow(a, b, &sum) && sum >= -INT64_MAX)
		return sum;
	return b < 0 ? -INT64_MAX : INT64_MAX;
}

/* ---- spreading ---- */

struct spread {				     /* of one bucket */
	double from_ns, width_ns, length_ns; /* from: begin of the slot, relative to the column from which cells are
					      * counted */
};

/* Integral of the share of events that had ended by t, if they ended evenly within `width`. */
static double ended_by(double t, double width)
{
	if (t <= 0)
		return 0;
	return t < width ? t * t / (2 * width) : t - width / 2;
}

/* Returns the share of a bucket's time that was spent by t. */
static double spent_by(const struct spread *s, double t)
{
	t -= s->from_ns;
	if (t >= s->width_ns)
		return 1;
	if (t <= -s->length_ns)
		return 0;
	if (s->length_ns < 1)
		return t / s->width_ns;
	return (ended_by(t + s->length_ns, s->width_ns) - ended_by(t, s->width_ns)) / s->length_ns;
}

struct board { /* the cells while they are being made */
	__s64 from_ns, col_ns;
	size_t n_cols, n_rows;
	__u64 *ended; /* of each column: how many events ended */
	__s64 *cell;  /* row * n_cols + col; signed, as the rest may be negative where it is estimated */
};

/* Spreads one bucket over the columns: the amount of each row. */
static void board_add(struct board *b, const struct spread *s, const __s64 amount[ROWS_MAX])
{
	double begin = floor((s->from_ns - s->length_ns) / (double)b->col_ns), end = s->from_ns + s->width_ns;
	__s64 before[ROWS_MAX] = {0};
	size_t col = begin > 0 ? (size_t)begin : 0;

	for (size_t row = 0; row < b->n_rows; row++)
		before[row] = time_round((double)amount[row] * spent_by(s, (double)col * (double)b->col_ns));
	for (; col < b->n_cols && (double)col * (double)b->col_ns < end; col++) {
		double part = spent_by(s, (double)(col + 1) * (double)b->col_ns);

		for (size_t row = 0; row < b->n_rows; row++) {
			__s64 sum = part < 1 ? time_round((double)amount[row] * part) : amount[row];
			__s64 *cell = &b->cell[row * b->n_cols + col];

			*cell = time_add(*cell, time_add(sum, -before[row]));
			before[row] = sum;
		}
	}
}

/* Do all events have the latency's weight?  If not, we take the middle of the buckets. */
static bool is_weighed(const struct ended *e)
{
	__u64 sum = 0;

	for (size_t i = 0; i < e->n; i++)
		sum = saturating_add(sum, e->lot[i].weight[0]);
	return sum == e->sum;
}

static double scale_of(const struct ended *e)
{
	double estimate = 0;

	for (size_t i = 0; i < e->n; i++)
		estimate += e->lot[i].estimate;
	return estimate > 0 ? (double)e->sum / estimate : 0;
}

/* Gives the time of a slot's buckets one after the other: whole ns that add up to the slot's exact sum. */
struct times {
	bool weighed;
	double scale, estimate;
	__s64 given;
};

static __s64 times_next(struct times *t, const struct ended *e, const struct lot *lot)
{
	__s64 to, time;

	if (t->weighed)
		return time_of(lot->weight[0]);
	t->estimate += lot->estimate;
	to = lot == &e->lot[e->n - 1] ? time_of(e->sum) : time_round(t->estimate * t->scale);
	time = to - t->given;
	t->given = to;
	return time;
}

static void spread_ended(const struct active *a, struct board *b, const struct ended *e, bool runs)
{
	struct times t = {.weighed = !runs && a->q.inst->n_weights && is_weighed(e), .scale = scale_of(e)};
	size_t n_parts = a->q.inst->n_weights ? a->q.inst->n_weights - 1 : 0;

	__s64 from_ns = slot_end(a, e) - (__s64)e->width_ns - b->from_ns, col = from_ns / b->col_ns;

	for (size_t i = 0; i < e->n; i++) {
		const struct lot *lot = &e->lot[i];
		__s64 amount[ROWS_MAX] = {0}, time = times_next(&t, e, lot), rest = time;
		const struct spread s = {(double)from_ns, (double)e->width_ns,
					 lot->n ? (double)time / (double)lot->n : 0};

		for (size_t part = 0; part < n_parts && !runs; part++) {
			amount[part] = time_of(lot->weight[part + 1]);
			rest = time_add(rest, -amount[part]);
		}
		amount[n_parts + runs] = rest;
		board_add(b, &s, amount);
		if (!runs && from_ns >= 0 && (size_t)col < b->n_cols)
			b->ended[col] = saturating_add(b->ended[col], lot->n);
	}
}

static void spread_all(struct active *a, struct board *b)
{
	__s64 known = a->running_axis < 0 ? a->last : last_known(a);

	for (size_t i = 0; i < a->events.n; i++)
		if (known < 0 || a->events.ended[i].slot <= known)
			spread_ended(a, b, &a->events.ended[i], false);
	for (size_t i = 0; i < a->running.n; i++)
		if (a->running.ended[i].slot == known)
			spread_ended(a, b, &a->running.ended[i], true);
}

/* ---- the grid ---- */

static void name_rows(const struct active *a, struct grid *g)
{
	size_t n = 0;

	for (size_t i = 1; i < a->q.inst->n_weights; i++)
		g->row_name[n++] = a->q.inst->weight[i];
	g->row_name[n++] = "rest";
	if (n < g->n_rows)
		g->row_name[n] = "running";
	for (size_t i = 0; i <= g->n_rows; i++)
		g->edge[i] = i;
}

static void fill_column(struct grid *g, const struct board *b, size_t col)
{
	__s64 sum = 0;

	for (size_t row = 0; row < g->n_rows; row++) {
		__s64 n = b->cell[row * b->n_cols + col];

		sum = time_add(sum, n);
		g->cell[row * g->n_cols + col] = n > 0 ? (__u64)n : 0;
	}
	g->column[col].count = b->ended[col];
	g->column[col].sum = sum > 0 ? (__u64)sum : 0;
	g->all.count = saturating_add(g->all.count, g->column[col].count);
	g->all.sum = saturating_add(g->all.sum, g->column[col].sum);
}

static struct grid *grid_begin(struct active *a, const struct grid *cover, size_t n_rows)
{
	__s64 known = last_known(a);
	struct grid *g = grid_new(cover->n_cols, n_rows);

	if (!g)
		return NULL;
	g->row_name = calloc(n_rows, sizeof(*g->row_name));
	if (!g->row_name) {
		grid_free(g);
		return NULL;
	}
	name_rows(a, g);
	memcpy(g->column, cover->column, g->n_cols * sizeof(*g->column));
	g->from_ns = cover->from_ns;
	g->col_ns = cover->col_ns;
	g->slot_ns = cover->slot_ns;
	g->n_sources = cover->n_sources;
	g->unit = cover->unit;
	g->weight_unit = cover->weight_unit;
	g->weight = a->q.inst->measure[0];
	g->all.lost = cover->all.lost;
	g->known_to_ns = known < 0 ? 0 : (known + 1) * (__s64)a->q.inst->slot_ns;
	return g;
}

int active_grid(struct active *a, const struct grid *cover, struct grid **ret_grid)
{
	size_t n_rows = (a->q.inst->n_weights ? a->q.inst->n_weights : 1) + (a->running_axis >= 0);
	struct board b = {
		.from_ns = cover->from_ns, .col_ns = (__s64)cover->col_ns, .n_cols = cover->n_cols, .n_rows = n_rows};
	struct grid *g = NULL;

	b.ended = calloc(b.n_cols, sizeof(*b.ended));
	b.cell = calloc(n_rows * b.n_cols, sizeof(*b.cell));
	if (b.ended && b.cell)
		g = grid_begin(a, cover, n_rows);

	if (g) {
		spread_all(a, &b);
		for (size_t col = 0; col < g->n_cols; col++)
			fill_column(g, &b, col);
		*ret_grid = g;
	}
	free(b.ended);
	free(b.cell);
	return g ? 0 : -ENOMEM;
}
