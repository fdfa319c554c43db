#include "aggregator/promql/window_fold.h"

#include "aggregator/query/keytable.h"
#include "collector/core/array.h"
#include "collector/core/saturating.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct column {				/* of a unit */
	__u64 count, sum;
	int first;
	__u32 n;			/* buckets first, first + 1, ... */
	__u64 *bucket;
};

struct group {				/* keys with equal labels, as far as these are kept */
	struct series_labels labels;
	struct column *column;		/* n_units; NULL: none so far */
};

struct window_fold {
	struct window_source source;
	const struct window_plan *plan;
	const struct selector *selector;
	const struct expression *sum;
	bool is_whole, is_damaged;
	struct keytable keys;		/* as they come */
	long *group_of;			/* of a key: index into group; -1: not wanted */
	size_t n_known, n_own, n_others;
	struct group *group;
	size_t n_groups, groups_room, n_columns, n_buckets, n_made;	/* buckets of columns; of the histograms that were made */
	bool *observed;			/* of each unit: has any source reported a slot? */
	__u64 n_lost;
	/* buckets of the cells of a ruler */
	__u64 ruler, classic_ruler;
	struct buckets_cell *cell;	/* of the ruler */
	int first, last;		/* of all cells */
	__u64 *scratch;			/* first ... last, zeroed between slices */
	struct store_reader reader;
	int err;
};

/* ---- keys ---- */

static bool is_field(const struct instrumentation *in, const char *label)
{
	for (size_t i = 0; i < in->n_fields; i++)
		if (member_label_is(in->field[i], label))
			return true;
	return false;
}

static bool sum_keeps(const struct expression *sum, const char *label)
{
	for (size_t i = 0; i < sum->n_labels; i++)
		if (!strcmp(sum->label[i], label))
			return !sum->without;
	return sum->without;
}

bool window_fold_is_whole(const struct window_source *source, const struct selector *selector, const struct expression *sum)
{
	struct key_labels all;

	for (size_t i = 0; i < selector->n; i++)
		if (is_field(source->in, selector->matcher[i].label))
			return false;
	if (!sum)
		return !source->in->n_fields;
	member_field_labels(source->in, &all);
	for (size_t i = 0; i < all.all.n; i++)
		if (sum_keeps(sum, all.all.name[i]))
			return false;
	return true;
}

/* Writes the labels of a key into *ret.  key NULL: those of the instrumentation. */
static int labels_of(const struct window_fold *f, const struct labels *key, struct series_labels *ret)
{
	struct key_labels l;
	struct series_labels labels = { 0 };
	int err = series_labels_add(&labels, SERIES_NAME, f->source.name);

	member_labels(f->source.instrumentation, f->source.in, key, &l);
	for (size_t i = 0; i < l.all.n && !err; i++)
		err = series_labels_add(&labels, l.all.name[i], l.all.value[i]);
	if (err)
		series_labels_fini(&labels);
	else
		*ret = labels;
	return err;
}

/* Removes the labels that are not needed. */
static void reduce(const struct window_fold *f, struct series_labels *l)
{
	series_labels_drop(l, SERIES_NAME);
	if (f->sum)
		series_labels_keep(l, f->sum->label, f->sum->n_labels, f->sum->without);
}

/* Returns the group of these labels, which it takes. */
static long group_at(struct window_fold *f, struct series_labels *labels)
{
	for (size_t i = 0; i < f->n_groups; i++)
		if (!series_labels_compare(&f->group[i].labels, labels)) {
			series_labels_fini(labels);
			return (long)i;
		}
	if (array_grow(&f->group, f->n_groups, &f->groups_room, sizeof(*f->group))) {
		series_labels_fini(labels);
		return -ENOMEM;
	}
	f->group[f->n_groups] = (struct group){ .labels = *labels };
	return (long)f->n_groups++;
}

/* Returns the group of a key that comes for the first time; -1: it is not wanted; other: -errno. */
static long group_for(struct window_fold *f, const struct labels *raw)
{
	static const __u8 other[KEY_FIELDS_MAX];
	__u8 room[KEY_BYTES_MAX];
	struct labels key = export_key_normal(raw, room);
	struct series_labels labels;
	int err;

	if (!f->source.known || keytable_find(f->source.known, &key) < 0) {
		if (f->n_own < f->source.keys_max)
			f->n_own++;
		else if (key.len) {
			f->n_others++;
			key = (struct labels){ other, (__u16)labels_count(&key) };
		}
	}
	err = labels_of(f, &key, &labels);
	if (err)
		return err;
	if (!selector_accepts(f->selector, &labels, SERIES_EDGE)) {
		series_labels_fini(&labels);
		return -1;
	}
	reduce(f, &labels);
	return group_at(f, &labels);
}

static long whole_group(struct window_fold *f)
{
	struct series_labels labels;
	int err = f->n_groups ? 0 : labels_of(f, NULL, &labels);

	if (f->n_groups || err)
		return err;
	reduce(f, &labels);
	return group_at(f, &labels);
}

/* NULL: not wanted, or an error. */
static struct group *group_of(struct window_fold *f, const struct labels *key)
{
	long at = f->is_whole ? whole_group(f) : keytable_at(&f->keys, key), group;

	if (at < 0) {
		f->err = (int)at;
		return NULL;
	}
	if (f->is_whole)
		return &f->group[at];
	if ((size_t)at == f->n_known) {
		group = array_resize(&f->group_of, f->n_known + 1, sizeof(*f->group_of)) ? -ENOMEM : group_for(f, key);
		f->err = group < -1 ? (int)group : 0;
		if (f->err)
			return NULL;
		f->group_of[f->n_known++] = group;
	}
	return f->group_of[at] < 0 ? NULL : &f->group[f->group_of[at]];
}

/* ---- buckets ---- */

/* Finds the buckets of a ruler's cells. */
static int table_make(struct window_fold *f, __u64 ruler)
{
	__u32 n = ruler_cells(ruler);
	int first = 0, last = (int)ruler_cells(f->classic_ruler) - 1;
	__u64 *scratch;

	if (f->source.kind == SAMPLE_HISTOGRAM)
		buckets_range(ruler, f->source.divisor, f->source.schema, &first, &last);
	if (f->scratch) {		/* columns have those of the ruler before */
		first = f->first < first ? f->first : first;
		last = f->last > last ? f->last : last;
	}
	if (array_resize(&f->cell, n, sizeof(*f->cell)))
		return -ENOMEM;
	scratch = calloc((size_t)(last - first + 1), sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	free(f->scratch);
	f->scratch = scratch;
	f->first = first;
	f->last = last;
	for (__u32 cell = 0; cell < n; cell++) {
		if (f->source.kind == SAMPLE_HISTOGRAM)
			buckets_cell_make(ruler, cell, f->source.divisor, f->source.schema, &f->cell[cell]);
		else
			f->cell[cell].first = f->cell[cell].last = (int)ruler_cell(f->classic_ruler, ruler_first(ruler, cell));
	}
	f->ruler = ruler;
	return 0;
}

/* Makes the column's buckets reach from first to last. */
static int column_reach(struct window_fold *f, struct column *c, int first, int last)
{
	__u64 *bucket;

	if (c->n && c->first <= first && c->first + (int)c->n > last)
		return 0;
	if (c->n) {
		first = c->first < first ? c->first : first;
		last = c->first + (int)c->n - 1 > last ? c->first + (int)c->n - 1 : last;
	}
	bucket = calloc((size_t)(last - first + 1), sizeof(*bucket));
	if (!bucket)
		return -ENOMEM;
	if (c->n)
		memcpy(bucket + (c->first - first), c->bucket, c->n * sizeof(*bucket));
	free(c->bucket);
	f->n_buckets += (size_t)(last - first + 1) - c->n;
	c->bucket = bucket;
	c->first = first;
	c->n = (__u32)(last - first + 1);
	return f->n_buckets > WINDOW_BUCKETS_MAX ? -E2BIG : 0;
}

static int add_cells(struct window_fold *f, struct column *c, const struct slice *s, struct hist_reader *r)
{
	int low = f->last + 1, high = f->first - 1, err = s->ruler == f->ruler ? 0 : table_make(f, s->ruler);

	while (!err && hist_reader_next(r)) {
		const struct buckets_cell *cell = &f->cell[r->cell];

		if (!buckets_cell_spread(cell, r->value, f->scratch, f->first))
			buckets_spread(s->ruler, r->cell, f->source.divisor, f->source.schema, r->value, f->scratch, f->first, f->last);
		low = cell->first < low ? cell->first : low;
		high = cell->last > high ? cell->last : high;
	}
	if (err || low > high)
		return err;
	err = column_reach(f, c, low, high);
	for (int i = low; i <= high; i++) {
		if (!err)
			c->bucket[i - c->first] = saturating_add(c->bucket[i - c->first], f->scratch[i - f->first]);
		f->scratch[i - f->first] = 0;
	}
	return err;
}

static int column_add(struct window_fold *f, struct column *c, const struct slice *s)
{
	struct hist_reader r;
	int err = hist_reader_open(&r, s->ruler, s->hist, s->hist_len);

	if (err)
		return err;
	if (f->source.kind == SAMPLE_WEIGHT) {
		while (hist_reader_next(&r))
			c->sum = saturating_add(c->sum, r.value);
		return 0;
	}
	c->count = saturating_add(c->count, r.count);
	c->sum = saturating_add(c->sum, r.sum);
	return f->source.kind == SAMPLE_HISTOGRAM || f->source.kind == SAMPLE_BUCKETS ? add_cells(f, c, s, &r) : 0;
}

/* ---- what the store gives ---- */

/* The unit of a slot; -1: it is outside. */
static __s64 unit_of(const struct window_fold *f, __s64 slot)
{
	if (slot < f->plan->first_slot || slot > f->plan->last_slot)
		return -1;
	return (slot - f->plan->first_slot) / (f->plan->unit_ns / f->plan->slot_ns);
}

static void take_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct window_fold *f = arg;
	__s64 unit = unit_of(f, slot);
	struct group *g;

	if (f->err || unit < 0 || s->axis != f->source.axis || s->weight != f->source.weight)
		return;
	g = group_of(f, &s->key);
	if (!g)
		return;
	if (!g->column) {
		f->n_columns += f->plan->n_units;
		if (f->n_columns > WINDOW_COLUMNS_MAX) {
			f->err = -E2BIG;
			return;
		}
		g->column = calloc(f->plan->n_units, sizeof(*g->column));
	}
	f->err = g->column ? column_add(f, &g->column[unit], s) : -ENOMEM;
}

static void take_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct window_fold *f = arg;

	first = first < f->plan->first_slot ? f->plan->first_slot : first;
	last = last > f->plan->last_slot ? f->plan->last_slot : last;
	for (__s64 unit = unit_of(f, first); first <= last && unit <= unit_of(f, last); unit++)
		f->observed[unit] = true;
}

static void take_sparse(void *arg, const char *source, __s64 first, __s64 last, __u64 n)
{
	if (n)
		take_cover(arg, source, first, last);
}

static void take_loss(void *arg, const char *source, const struct loss *loss)
{
	struct window_fold *f = arg;

	f->n_lost = saturating_add(f->n_lost, loss->n);
}

static void take_damage(void *arg, __s64 first, __s64 last)
{
	struct window_fold *f = arg;

	f->is_damaged = true;
}

static bool take_wants(void *arg, const struct labels *raw)
{
	const struct window_fold *f = arg;
	struct series_labels labels;
	__u8 room[KEY_BYTES_MAX];
	struct labels key = export_key_normal(raw, room);
	bool is_wanted = true;

	if (f->source.known && keytable_find(f->source.known, &key) < 0)
		return true;		/* it may be among the others */
	if (!labels_of(f, &key, &labels)) {
		is_wanted = selector_accepts(f->selector, &labels, SERIES_EDGE);
		series_labels_fini(&labels);
	}
	return is_wanted;
}

/* ---- life ---- */

int window_fold_new(const struct window_source *source, const struct window_plan *plan, const struct selector *selector,
		    const struct expression *sum, struct window_fold **ret_fold)
{
	struct window_fold *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	*f = (struct window_fold){ .source = *source, .plan = plan, .selector = selector, .sum = sum };
	f->is_whole = window_fold_is_whole(source, selector, sum);
	f->n_own = source->known ? source->known->n_keys : 0;
	f->classic_ruler = buckets_classic(source->in->ruler[source->axis]);
	f->observed = calloc(plan->n_units + 1, sizeof(*f->observed));
	f->reader = (struct store_reader){ .arg = f, .slice = take_slice, .cover = take_cover, .sparse = take_sparse, .loss = take_loss,
					   .damaged = take_damage, .wants = f->is_whole || !selector->n ? NULL : take_wants };
	if (!f->observed) {
		window_fold_free(f);
		return -ENOMEM;
	}
	*ret_fold = f;
	return 0;
}

void window_fold_free(struct window_fold *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_groups; i++) {
		for (size_t unit = 0; f->group[i].column && unit < f->plan->n_units; unit++)
			free(f->group[i].column[unit].bucket);
		free(f->group[i].column);
		series_labels_fini(&f->group[i].labels);
	}
	free(f->group);
	free(f->group_of);
	free(f->cell);
	free(f->scratch);
	free(f->observed);
	keytable_fini(&f->keys);
	free(f);
}

const struct store_reader *window_fold_reader(struct window_fold *f) { return &f->reader; }
__u64 window_fold_lost(const struct window_fold *f) { return f->n_lost; }
size_t window_fold_others(const struct window_fold *f) { return f->n_others; }
bool window_fold_damaged(const struct window_fold *f) { return f->is_damaged; }

/* ---- windows ---- */

/* Sums of the units from ... to - 1, which move on.  The numbers wrap around, so that what is subtracted was added; `sum` is
 * so wide that it is not less than 2^64 by that. */
struct window {
	const struct window_fold *f;
	const struct column *column;
	size_t from, to, n_observed, n_saturated;	/* units that were observed; units whose sum saturated */
	__u64 count;
	unsigned __int128 sum;
	__u64 *bucket;			/* f->first ... f->last; NULL: none */
};

static void window_change(struct window *w, size_t unit, __u64 by)
{
	const struct column *c = &w->column[unit];

	w->n_observed += w->f->observed[unit] * by;
	w->count += by * c->count;
	w->n_saturated += by * saturated((double)c->sum);
	w->sum += (unsigned __int128)(__s64)by * c->sum;
	for (__u32 i = 0; i < c->n; i++)
		w->bucket[c->first - w->f->first + (int)i] += by * c->bucket[i];
}

static void window_move(struct window *w, size_t from, size_t to)
{
	if (from >= w->to) {
		for (; w->from < w->to; w->from++)
			window_change(w, w->from, ~(__u64)0);
		w->from = w->to = from;
	}
	for (; w->to < to; w->to++)
		window_change(w, w->to, 1);
	for (; w->from < from; w->from++)
		window_change(w, w->from, ~(__u64)0);
}

/* Where a sum saturated it is not known, and neither is an average. */
static double sum_of(const struct window *w)
{
	return w->n_saturated ? NAN : (double)w->sum / w->f->source.divisor;
}

/* The number by which a window is multiplied. */
static double factor_of(const struct window_fold *f, bool is_rate, __s64 asked_ns)
{
	return is_rate ? 1e9 / (double)f->plan->range_ns : (double)asked_ns / (double)f->plan->range_ns;
}

static int put_histogram(struct window_fold *f, const struct window *w, double factor, struct series_histogram *h)
{
	int n = w->bucket ? f->last - f->first + 1 : 0, first = 0;

	while (first < n && !w->bucket[first])
		first++;
	while (n > first && !w->bucket[n - 1])
		n--;
	*h = (struct series_histogram){ (double)w->count * factor, sum_of(w) * factor, f->first + first,
					(__u32)(n - first), NULL };
	f->n_made += h->n;
	if (!h->n)
		return 0;
	if (f->n_made > MATRIX_BUCKETS_MAX) {
		h->n = 0;
		return -E2BIG;
	}
	h->bucket = malloc(h->n * sizeof(*h->bucket));
	if (!h->bucket) {
		h->n = 0;
		return -ENOMEM;
	}
	for (__u32 i = 0; i < h->n; i++)
		h->bucket[i] = (double)w->bucket[first + (int)i] * factor;
	return 0;
}

static double number_of(const struct window *w, double factor)
{
	return w->f->source.kind == SAMPLE_COUNT ? (double)w->count * factor : sum_of(w) * factor;
}

/* Adds a series for each edge that the selector takes; edge[]: their indexes in the matrix, SIZE_MAX: not taken. */
static int add_edges(const struct window_fold *f, const struct group *g, struct matrix *out, size_t *edge)
{
	const struct export_histogram shape = { .classic_ruler = f->classic_ruler };
	int err = 0;

	for (__u32 i = 0; i < ruler_cells(f->classic_ruler) && !err; i++) {
		struct series_labels labels = { 0 };
		struct series *s;
		char text[32];

		exposition_number_text(exposition_edge(&shape, i, f->source.divisor), text);
		edge[i] = SIZE_MAX;
		if (!selector_takes(f->selector, SERIES_EDGE, text))
			continue;
		err = series_labels_copy(&g->labels, &labels);
		if (!err)
			err = series_labels_add(&labels, SERIES_EDGE, text);
		edge[i] = out->n;
		if (!err)
			err = matrix_add(out, &labels, false, 0, &s);
		series_labels_fini(&labels);
	}
	return err;
}

static void put_edges(const struct window *w, double factor, size_t point, const struct matrix *out, const size_t *edge)
{
	__u64 count = 0;

	for (__u32 i = 0; i < ruler_cells(w->f->classic_ruler); i++) {
		count += w->bucket ? w->bucket[i] : 0;
		if (edge[i] == SIZE_MAX)
			continue;
		out->series[edge[i]].is[point] = true;
		out->series[edge[i]].value[point] = (double)count * factor;
	}
}

static int put_group(struct window_fold *f, const struct group *g, double factor, struct matrix *out)
{
	size_t edge[EXPOSITION_EDGES_MAX], at = out->n;
	struct window w = { .f = f, .column = g->column };
	bool is_histogram = f->source.kind == SAMPLE_HISTOGRAM;
	struct series_labels labels = { 0 };
	struct series *s;
	int err;

	if (f->source.kind == SAMPLE_BUCKETS) {
		err = add_edges(f, g, out, edge);
	} else {
		err = series_labels_copy(&g->labels, &labels);
		if (!err)
			err = matrix_add(out, &labels, is_histogram, f->source.schema, &s);
		series_labels_fini(&labels);
	}
	if (!err && f->scratch)
		w.bucket = calloc((size_t)(f->last - f->first + 1), sizeof(*w.bucket));
	if (!err && f->scratch && !w.bucket)
		err = -ENOMEM;
	for (size_t i = 0; i < out->n_points && !err; i++) {
		size_t from = window_first(f->plan, i);

		window_move(&w, from, from + f->plan->window_units);
		if (!w.n_observed)
			continue;
		if (f->source.kind == SAMPLE_BUCKETS) {
			put_edges(&w, factor, i, out, edge);
			continue;
		}
		out->series[at].is[i] = true;
		if (is_histogram)
			err = put_histogram(f, &w, factor, &out->series[at].histogram[i]);
		else
			out->series[at].value[i] = number_of(&w, factor);
	}
	free(w.bucket);
	return err;
}

int window_fold_finish(struct window_fold *f, bool is_rate, struct matrix *out)
{
	double factor = factor_of(f, is_rate, f->plan->asked_ns);
	int err = f->err;

	for (size_t i = 0; i < f->n_groups && !err; i++)
		if (f->group[i].column)
			err = put_group(f, &f->group[i], factor, out);
	return err;
}
