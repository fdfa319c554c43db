#include "aggregator/query/query.h"
#include "aggregator/store/coverage.h"
#include "aggregator/query/keytable.h"
#include "collector/core/amount.h"
#include "collector/core/array.h"
#include "collector/core/saturating.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Cells of all columns together, at most; beyond it columns use a coarser ruler (see column_ruler). */
#define CELLS_MAX (8u << 20)
/* The least number of octaves of rows, and where they begin if there are no data. */
#define OCTAVES_SHOWN 7
#define OCTAVE_EMPTY 17			/* 2^17 ns = 131 us .. 2^24 ns = 17 ms */

struct used {				/* cells from..to-1; from >= to: none */
	__u32 from, to;
};

struct fold {
	struct query q;
	__s64 first, last;		/* slots, inclusive */
	__u64 col_ns;
	size_t n_cols;
	__u64 ruler;			/* columns start with this ruler */
	struct hist *col;		/* cell NULL: empty */
	struct used *used;		/* range of their cells; set when all slices are in */
	struct grid_column *column;	/* lost events and marks, until they are in the grid */
	__u64 lost;
	struct coverage coverage;
	struct keytable keys;		/* with `wanted`: which keys are selected */
	signed char *wanted;
	size_t n_wanted;
	struct store_reader reader;
	int err;
};

void query_slots(const struct query *q, __s64 *ret_first, __s64 *ret_last)
{
	__s64 slot_ns = (__s64)q->inst->slot_ns;

	*ret_first = q->from_ns / slot_ns;
	*ret_last = q->to_ns / slot_ns - 1;
}

__u64 query_col_ns(const struct query *q)
{
	__u64 unit = q->inst->granularity_ns, n_units = ((__u64)(q->to_ns - q->from_ns) + unit - 1) / unit;
	__u64 n_cols = q->n_cols ? q->n_cols : 1;

	return (n_units + n_cols - 1) / n_cols * unit;
}

/* Puts \ before each `/`, and doubles the backslashes before a `/` and at the end.  Returns the length. */
static size_t escape_label(const char *label, char *out)
{
	size_t at = 0, n_backslashes = 0;

	for (;; label++) {
		if (*label == '/' || !*label)
			for (; n_backslashes; n_backslashes--)
				out[at++] = '\\';
		if (!*label)
			break;
		n_backslashes = *label == '\\' ? n_backslashes + 1 : 0;
		if (*label == '/')
			out[at++] = '\\';
		out[at++] = *label;
	}
	return at;
}

/* Is one of the labels a path from / on, and has no other one a / or a backslash?  Then the text needs no escapes: the
 * path begins where a label would be empty, and as many labels follow as there are. */
static bool has_one_path(const struct labels *key)
{
	char label[LABEL_MAX + 1];
	unsigned n_paths = 0;

	for (unsigned i = 0; (int)i < labels_count(key); i++) {
		if (labels_text(key, i, label) || strchr(label, '\\') || (strchr(label, '/') && *label != '/'))
			return false;
		n_paths += *label == '/';
	}
	return n_paths == 1;
}

/* escape: all labels but the last, which ends the text. */
static void join_labels(const struct labels *key, bool escape, char *out, bool *ret_other)
{
	char label[LABEL_MAX + 1];
	size_t at = 0, end = 0;
	bool other = false;

	for (unsigned i = 0; end < key->len; i++) {
		if (labels_text(key, i, label))
			break;
		other = other || !key->bytes[end];
		end += 1u + key->bytes[end];
		if (i)
			out[at++] = '/';
		if (escape && end < key->len)
			at += escape_label(label, out + at);
		else
			at = (size_t)(stpcpy(out + at, label) - out);
	}
	out[at] = 0;
	if (ret_other)
		*ret_other = other;
}

void key_text(const struct labels *key, char *out, bool *ret_other)
{
	join_labels(key, !has_one_path(key), out, ret_other);
}

/* May it be the text of a key with n labels?  Then it has n - 1 before the last one, and none of them is empty but for a
 * path, which has_one_path(). */
static bool may_be_text(const char *text, int n)
{
	size_t n_backslashes = 0, len = 0;
	const char *all = text;

	for (; *text && n > 1; text++) {
		bool divides = *text == '/' && n_backslashes % 2 == 0;

		if (divides && !len)
			return !strchr(all, '\\');
		n -= divides;
		len = divides ? 0 : len + 1;
		n_backslashes = *text == '\\' ? n_backslashes + 1 : 0;
	}
	return n <= 1;
}

bool key_is(const struct labels *key, const char *text)
{
	char own[KEY_TEXT_MAX];

	key_text(key, own, NULL);
	if (!strcmp(own, text))
		return true;
	if (may_be_text(text, labels_count(key)))
		return false;
	join_labels(key, false, own, NULL);
	return !strcmp(own, text);
}

bool query_selects(const struct query *q, const struct labels *key)
{
	if (!q->n_select)
		return true;
	return q->exclude != (query_selected(q, key, q->select_kept) >= 0);
}

/* Returns the full ruler, unless so many columns of it would not fit in memory. */
static __u64 column_ruler(const struct query *q, size_t n_cols)
{
	__u64 full = q->weight ? q->inst->weight_ruler : q->inst->ruler[q->axis], ruler = full;

	for (__u32 bits = ruler_bits(full); bits && ruler_cells(ruler) * n_cols > CELLS_MAX; bits--)
		ruler = ruler_coarser(full, bits - 1);
	return ruler;
}

static size_t column_of(const struct fold *f, __s64 slot)
{
	return (size_t)((__u64)(slot - f->first) * f->q.inst->slot_ns / f->col_ns);
}

static bool fold_wants(struct fold *f, const struct labels *key)
{
	long at;

	if (!f->q.n_select)
		return true;
	at = keytable_at(&f->keys, key);
	if (at < 0) {
		f->err = -ENOMEM;
		return false;
	}
	if ((size_t)at == f->n_wanted) {
		f->err = array_resize(&f->wanted, f->n_wanted + 1, sizeof(*f->wanted));
		if (f->err)
			return false;
		f->wanted[f->n_wanted++] = query_selects(&f->q, key);
	}
	return f->wanted[at];
}

static void fold_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct fold *f = arg;
	struct hist *h;
	int err = 0;

	if (f->err || slot < f->first || slot > f->last || s->axis != f->q.axis || s->weight != f->q.weight ||
	    !fold_wants(f, &s->key))
		return;
	h = &f->col[column_of(f, slot)];
	if (!h->cell)
		err = hist_init(h, f->ruler);
	if (!err)
		err = hist_decode_once(h, s->ruler, s->hist, s->hist_len);
	if (err)
		f->err = err;
}

static void fold_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct fold *f = arg;

	if (last < f->first || first > f->last || f->err)
		return;
	f->err = coverage_add(&f->coverage, source, first, last);
}

static void fold_sparse(void *arg, const char *source, __s64 first, __s64 last, __u64 n)
{
	struct fold *f = arg;
	const struct run run = { first, last, n };

	if (last >= f->first && first <= f->last && !f->err)
		f->err = coverage_add_sparse(&f->coverage, source, &run);
}

static void fold_dropped(void *arg, __s64 first, __s64 last)
{
	struct fold *f = arg;

	first = first > f->first ? first : f->first;
	last = last < f->last ? last : f->last;
	for (size_t col = column_of(f, first); first <= last && col <= column_of(f, last); col++)
		f->column[col].marks |= GRID_DROPPED;
}

static void fold_loss(void *arg, const char *source, const struct loss *loss)
{
	struct fold *f = arg;
	__s64 first = loss->first > f->first ? loss->first : f->first;
	__s64 last = loss->last < f->last ? loss->last : f->last;

	if (!loss->n || last < first)
		return;
	f->lost = saturating_add(f->lost, loss->n);
	for (size_t col = column_of(f, first); col <= column_of(f, last); col++)
		f->column[col].lost = saturating_add(f->column[col].lost, loss->n);
}

static void fold_mark(void *arg, const struct mark *mark)
{
	struct fold *f = arg;
	struct grid_column *c;

	if (mark->slot < f->first || mark->slot > f->last)
		return;
	c = &f->column[column_of(f, mark->slot)];
	if (mark->kind == MARK_CLOCK_STEP && mark->value)
		c->marks |= GRID_CLOCK_STEP;
	if (mark->kind == MARK_SAMPLED && mark->value > c->every) {
		c->marks |= GRID_SAMPLED;
		c->every = (__u32)mark->value;
	}
}

static int query_check(const struct query *q)
{
	__s64 slot_ns = (__s64)q->inst->slot_ns;

	if (slot_ns <= 0 || q->from_ns < 0 || q->to_ns <= q->from_ns || q->from_ns % slot_ns || q->to_ns % slot_ns ||
	    q->axis < 0 || (size_t)q->axis >= q->inst->n_measures || !q->inst->granularity_ns ||
	    !ruler_valid(q->inst->ruler[q->axis]) || q->weight < 0 || (size_t)q->weight > q->inst->n_weights)
		return -EINVAL;
	return 0;
}

int fold_new(const struct query *q, struct fold **ret_fold)
{
	struct fold *f;
	int err = query_check(q);

	if (err)
		return err;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->q = *q;
	query_slots(q, &f->first, &f->last);
	f->col_ns = query_col_ns(q);
	f->n_cols = column_of(f, f->last) + 1;
	f->ruler = column_ruler(q, f->n_cols);
	f->col = calloc(f->n_cols, sizeof(*f->col));
	f->used = calloc(f->n_cols, sizeof(*f->used));
	f->column = calloc(f->n_cols, sizeof(*f->column));
	f->reader = (struct store_reader){ .arg = f, .slice = fold_slice, .cover = fold_cover, .loss = fold_loss,
					   .mark = fold_mark, .sparse = fold_sparse, .dropped = fold_dropped };
	if (!f->col || !f->used || !f->column) {
		fold_free(f);
		return -ENOMEM;
	}
	*ret_fold = f;
	return 0;
}

void fold_free(struct fold *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->col && i < f->n_cols; i++)
		hist_fini(&f->col[i]);
	free(f->col);
	free(f->used);
	free(f->column);
	coverage_fini(&f->coverage);
	keytable_fini(&f->keys);
	free(f->wanted);
	free(f);
}

int fold_expect(struct fold *f, const char *source, __s64 first)
{
	return coverage_expect(&f->coverage, source, first);
}

void fold_reach(struct fold *f, __u64 min, __u64 max)
{
	f->q.row_min = min;
	f->q.row_max = max;
}

const struct store_reader *fold_reader(struct fold *f)
{
	return &f->reader;
}

int fold_error(const struct fold *f)
{
	return f->err;
}

/* Returns the last slot that ended by then. */
static __s64 last_before(const struct fold *f, __s64 ns)
{
	return ns / (__s64)f->q.inst->slot_ns - 1;
}

__u32 fold_min_reporting(struct fold *f)
{
	return coverage_fewest(&f->coverage, f->first, f->last, last_before(f, f->q.now_ns));
}

double fold_observed(struct fold *f)
{
	__s64 over = last_before(f, f->q.now_ns), last = f->last < over ? f->last : over;

	return last < f->first ? 0 : (double)coverage_seen(&f->coverage, f->first, last) / (double)(last - f->first + 1);
}

__u64 fold_snapshots(struct fold *f, __s64 from_ns, __s64 to_ns)
{
	__s64 slot_ns = (__s64)f->q.inst->slot_ns;

	return coverage_seen(&f->coverage, from_ns / slot_ns, to_ns / slot_ns - 1);
}

static void fill_column(struct grid_column *c, const struct hist *h, bool percentiles)
{
	static const __u32 p[] = { 500000, 900000, 990000 };
	__u64 value[3] = { 0 };

	if (!h->count)
		return;
	if (percentiles)
		hist_percentiles(h, p, 3, value);
	c->count = h->count;
	c->sum = h->sum;
	c->min = h->min;
	c->max = h->max;
	c->p50 = value[0];
	c->p90 = value[1];
	c->p99 = value[2];
}

/* Adds all columns into one histogram, whose ruler is the one into which all columns fold.  In the same pass it takes
 * what each column has besides its cells: columns are megabytes, so we read them once. */
static int add_up(struct fold *f, struct hist *ret_all)
{
	int err = hist_init(ret_all, f->ruler);

	for (size_t i = 0; i < f->n_cols && !err; i++) {
		if (!f->col[i].cell)
			continue;
		hist_used(&f->col[i], &f->used[i].from, &f->used[i].to);
		err = hist_add(ret_all, &f->col[i]);
		fill_column(&f->column[i], &f->col[i], !f->q.cells_only && !f->q.weight);
	}
	if (err)
		hist_fini(ret_all);
	return err;
}

struct rows {
	__u64 ruler;
	__u32 first, last;		/* rows shown, inclusive */
	__u64 from;			/* for which ruler the table is made: maps its cells to rows of `ruler`; 0: none
					 * yet */
	__u16 row_of[RULER_CELLS_MAX];
};

/* Keeps a table, as most columns have the same ruler. */
static const __u16 *rows_of(struct rows *rows, __u64 from)
{
	for (__u32 i = 0; rows->from != from && i < ruler_cells(from); i++)
		rows->row_of[i] = (__u16)ruler_fold(from, rows->ruler, i);
	rows->from = from;
	return rows->row_of;
}

static void rows_reach(struct rows *rows, __u32 first, __u32 last)
{
	rows->first = first < rows->first ? first : rows->first;
	rows->last = last > rows->last ? last : rows->last;
}

/* A percentage has few values: they need no coarser rows. */
static __u64 row_ruler(const struct query *q, __u64 ruler)
{
	return ruler_unit(ruler) == UNIT_PERCENT ? ruler : ruler_coarser(ruler, q->row_bits);
}

/* Chooses the rows with data and one more on each side, but at least OCTAVES_SHOWN octaves; for a percentage
 * all of 0 .. 100, so that its picture also shows how much is left. */
static void rows_choose(struct rows *rows, const struct query *q, const struct hist *all)
{
	__u32 n = ruler_cells(rows->ruler), low = ruler_low(rows->ruler), bits = ruler_bits(rows->ruler);
	__u32 wanted, least = OCTAVES_SHOWN << bits, start = OCTAVE_EMPTY > low ? (OCTAVE_EMPTY - low) << bits : 0;

	if (ruler_unit(rows->ruler) == UNIT_PERCENT)
		least = 0;
	if (ruler_family(rows->ruler) == RULER_LINEAR_START)
		start = 0;
	rows->first = n;
	rows->last = 0;
	for (__u32 i = 0; i < ruler_cells(all->ruler); i++) {
		__u32 row = all->cell[i] ? ruler_fold(all->ruler, rows->ruler, i) : n;

		if (row < n)
			rows_reach(rows, row ? row - 1 : 0, row + 1 < n ? row + 1 : row);
	}
	if (ruler_unit(rows->ruler) == UNIT_PERCENT)
		rows_reach(rows, ruler_cell(rows->ruler, 0), ruler_cell(rows->ruler, 100));
	if (q->row_min || q->row_max)
		rows_reach(rows, ruler_cell(rows->ruler, q->row_min), ruler_cell(rows->ruler, q->row_max));
	if (rows->first > rows->last)
		rows->first = rows->last = start + least / 2 < n ? start + least / 2 : n / 2;
	wanted = least < n ? least : n;
	while (rows->last - rows->first + 1 < wanted) {
		if (rows->first)
			rows->first--;
		if (rows->last + 1 < n && rows->last - rows->first + 1 < wanted)
			rows->last++;
	}
}

static void grid_fill_edges(struct grid *g, const struct rows *rows)
{
	for (__u32 row = rows->first; row <= rows->last; row++)
		g->edge[row - rows->first] = ruler_first(rows->ruler, row);
	g->edge[g->n_rows] = rows->last + 1 < ruler_cells(rows->ruler) ? ruler_first(rows->ruler, rows->last + 1)
								       : GRID_NO_EDGE;
}

/* So many neighbouring columns: their cells of a row are one cache line. */
#define ABREAST 8

/* Fills n columns of one ruler, from `col` on. */
static void grid_fill_cells(struct grid *g, struct rows *rows, const struct fold *f, size_t col, size_t n)
{
	const __u16 *row_of = rows_of(rows, f->col[col].ruler);
	const __u64 *cell[ABREAST];
	__u32 from = RULER_CELLS_MAX, end = 0;

	for (const struct used *u = &f->used[col]; u < &f->used[col + n]; u++) {
		if (u->from >= u->to)
			continue;
		from = u->from < from ? u->from : from;
		end = u->to > end ? u->to : end;
	}
	for (size_t i = 0; i < n; i++)
		cell[i] = f->col[col + i].cell;
	for (__u32 at = from; at < end; at++) {
		__u64 *to = &g->cell[(size_t)(row_of[at] - rows->first) * g->n_cols + col];

		for (size_t i = 0; i < n; i++) {
			__u64 more = cell[i][at];

			to[i] = to[i] + more < more ? ~(__u64)0 : to[i] + more;
		}
	}
}

/* Returns how many columns from this one on have cells of one ruler; 0: it has no cells. */
static size_t n_abreast(const struct fold *f, size_t col)
{
	size_t n = 0;

	while (n < ABREAST && col + n < f->n_cols && f->col[col + n].cell && f->col[col + n].ruler == f->col[col].ruler)
		n++;
	return n;
}

static void grid_fill(struct grid *g, struct rows *rows, const struct fold *f)
{
	for (size_t col = 0, n; col < f->n_cols; col += n ? n : 1) {
		n = n_abreast(f, col);
		if (n)
			grid_fill_cells(g, rows, f, col, n);
	}
}

static void column_fill_coverage(struct fold *f, struct grid_column *c, __s64 first, __s64 last)
{
	__s64 settled = last_before(f, f->q.now_ns - SETTLE_NS), over = last_before(f, f->q.now_ns);

	coverage_count(&f->coverage, first, last, settled, &c->n_reporting, &c->n_expected);
	if (last > settled && last <= over)
		coverage_count(&f->coverage, first, last, over, &c->n_reporting, &c->n_expected);
	if (f->q.scope == SCOPE_POINT)
		c->n_snapshots = coverage_seen(&f->coverage, first, last);
	if (last > over || (last > settled && c->n_reporting < c->n_expected))
		c->marks |= GRID_IN_PROGRESS;
}

static void grid_fill_coverage(struct grid *g, struct fold *f)
{
	__s64 per = (__s64)(f->col_ns / f->q.inst->slot_ns);

	for (size_t col = 0; col < g->n_cols; col++) {
		__s64 first = f->first + (__s64)col * per, last = first + per - 1;

		column_fill_coverage(f, &g->column[col], first, last < f->last ? last : f->last);
	}
	g->n_sources = (__u32)f->coverage.n_sources;
	g->point = f->q.scope == SCOPE_POINT;
}

static void grid_fill_summary(struct grid_summary *s, const struct hist *all, __u64 lost, bool ranks)
{
	s->lost = lost;
	if (!all->count)
		return;
	*s = (struct grid_summary){ .count = all->count, .sum = all->sum, .min = all->min, .max = all->max, .lost = lost };
	if (!ranks)
		return;
	s->stddev = hist_stddev(all);
	s->p50 = hist_percentile(all, 500000);
	s->p90 = hist_percentile(all, 900000);
	s->p99 = hist_percentile(all, 990000);
	s->p999 = hist_percentile(all, 999000);
}

const char *query_unit(const struct instrumentation *in, int axis)
{
	return amount_unit_name(ruler_unit(in->ruler[axis]));
}

static struct grid *grid_of(struct fold *f, const struct hist *all)
{
	const struct query *q = &f->q;
	struct rows rows = { .ruler = row_ruler(q, all->ruler) };
	struct grid *g;

	rows_choose(&rows, q, all);
	g = grid_new(f->n_cols, rows.last - rows.first + 1);
	if (!g)
		return NULL;
	grid_fill_edges(g, &rows);
	memcpy(g->column, f->column, f->n_cols * sizeof(*g->column));
	grid_fill(g, &rows, f);
	grid_fill_coverage(g, f);
	grid_fill_summary(&g->all, all, f->lost, !q->weight);
	g->all.n_snapshots = fold_snapshots(f, q->from_ns, q->to_ns);
	g->from_ns = q->from_ns;
	g->col_ns = f->col_ns;
	g->slot_ns = q->inst->slot_ns;
	g->unit = query_unit(q->inst, q->axis);
	g->latency = !strcmp(q->inst->measure[q->axis], GRID_LATENCY);
	g->weight_unit = "events";
	g->weight = q->weight ? q->inst->weight[q->weight - 1] : NULL;
	return g;
}

struct grid *fold_grid(struct fold *f)
{
	struct hist all;
	struct grid *g = NULL;

	if (!f->err && !add_up(f, &all)) {
		g = grid_of(f, &all);
		hist_fini(&all);
	}
	return g;
}
