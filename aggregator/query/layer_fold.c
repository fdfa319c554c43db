#include "aggregator/query/layer_fold.h"
#include "aggregator/query/keytable.h"
#include "collector/core/array.h"
#include "collector/core/saturating.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spot {				/* a bucket with events */
	__u64 first;			/* the lowest value of the bucket */
	__u64 n;
};

struct column {
	struct spot *spot;		/* ascending */
	size_t n;
	__u64 count, sum;
};

struct key {
	char text[KEY_TEXT_MAX];
	bool other;
	struct column *column;		/* n_cols; NULL: empty */
};

struct layer_fold {
	struct query q;
	__s64 first, last;		/* slots, inclusive */
	__u64 col_ns;
	size_t n_cols;
	bool cells;
	struct keytable keys;		/* key bytes as they come; key_of has the same indexes */
	long *key_of;			/* index into key, -1: not wanted */
	size_t n_known;
	struct key *key;
	size_t n_keys, n_spots;
	struct spot *read;		/* scratch for a slice, RULER_CELLS_MAX of them */
	struct store_reader reader;
	int err;
};

/* ---- keys ---- */

static long key_named(struct layer_fold *f, const char *text, bool make)
{
	for (size_t i = 0; i < f->n_keys; i++)
		if (!strcmp(f->key[i].text, text))
			return (long)i;
	if (!make)
		return -1;
	if (array_resize(&f->key, f->n_keys + 1, sizeof(*f->key)))
		return -ENOMEM;
	f->key[f->n_keys] = (struct key){ 0 };
	snprintf(f->key[f->n_keys].text, sizeof(f->key->text), "%s", text);
	return (long)f->n_keys++;
}

static bool is_chosen(const struct query *q) { return q->n_select && !q->exclude; }

/* Returns the layer of a new key; -1: none. */
static long key_for(struct layer_fold *f, const struct labels *labels)
{
	char text[KEY_TEXT_MAX];
	bool other = false;
	long at = f->q.n_select ? query_selected(&f->q, labels, true) : -1;
	int err = query_key_text(&f->q, labels, text, &other);

	if (f->q.exclude && at >= 0)
		return -1;
	if (!is_chosen(&f->q) || err)
		at = err ? err : key_named(f, text, true);
	else if (at >= 0)
		at = key_named(f, f->q.select[at], false);
	if (at < -1)
		f->err = (int)at;
	if (at >= 0)
		f->key[at].other = other;
	return at;
}

static struct key *key_of(struct layer_fold *f, const struct labels *labels)
{
	long at = keytable_at(&f->keys, labels);

	if (at < 0) {
		f->err = (int)at;
		return NULL;
	}
	if ((size_t)at == f->n_known) {
		f->err = array_resize(&f->key_of, f->n_known + 1, sizeof(*f->key_of));
		if (f->err)
			return NULL;
		f->key_of[f->n_known++] = key_for(f, labels);
	}
	return f->err || f->key_of[at] < 0 ? NULL : &f->key[f->key_of[at]];
}

/* ---- slices ---- */

/* Joins two ascending lists into one, in new memory. */
static int column_merge(struct column *c, const struct spot *add, size_t n)
{
	struct spot *to = malloc((c->n + n) * sizeof(*to));
	size_t at = 0, i = 0, j = 0;

	if (!to)
		return -ENOMEM;
	while (i < c->n || j < n) {
		if (j == n || (i < c->n && c->spot[i].first < add[j].first))
			to[at++] = c->spot[i++];
		else if (i == c->n || add[j].first < c->spot[i].first)
			to[at++] = add[j++];
		else
			to[at++] = (struct spot){ add[j].first, saturating_add(c->spot[i++].n, add[j].n) }, j++;
	}
	free(c->spot);
	c->spot = to;
	c->n = at;
	return 0;
}

static int column_add(struct layer_fold *f, struct column *c, const struct slice *s)
{
	struct hist_reader r;
	size_t n = 0, before = c->n;
	int err = hist_reader_open(&r, s->ruler, s->hist, s->hist_len);

	if (err)
		return err;
	while (f->cells && n < RULER_CELLS_MAX && hist_reader_next(&r))
		if (r.value)
			f->read[n++] = (struct spot){ ruler_first(s->ruler, r.cell), r.value };
	c->count = saturating_add(c->count, r.count);
	c->sum = saturating_add(c->sum, r.sum);
	if (r.cursor.err || !n)
		return r.cursor.err;
	err = column_merge(c, f->read, n);
	f->n_spots += c->n - before;
	return err ? err : f->n_spots > LAYER_SPOTS_MAX ? -E2BIG : 0;
}

static void layer_fold_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct layer_fold *f = arg;
	struct key *key;
	int err;

	if (f->err || slot < f->first || slot > f->last || s->axis != f->q.axis || s->weight != f->q.weight)
		return;
	key = key_of(f, &s->key);
	if (!key)
		return;
	if (!key->column)
		key->column = calloc(f->n_cols, sizeof(*key->column));
	err = key->column ? column_add(f, &key->column[(__u64)(slot - f->first) * f->q.inst->slot_ns / f->col_ns], s)
			  : -ENOMEM;
	if (err)
		f->err = err;
}

/* ---- making and freeing ---- */

int layer_fold_new(const struct query *q, bool cells, struct layer_fold **ret_fold)
{
	struct layer_fold *f;

	if (q->axis < 0 || (size_t)q->axis >= q->inst->n_measures || !q->inst->slot_ns || q->to_ns <= q->from_ns)
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->q = *q;
	f->cells = cells;
	query_slots(q, &f->first, &f->last);
	f->col_ns = query_col_ns(q);
	f->n_cols = (size_t)((__u64)(f->last - f->first) * q->inst->slot_ns / f->col_ns) + 1;
	f->reader = (struct store_reader){ .arg = f, .slice = layer_fold_slice };
	f->read = malloc(RULER_CELLS_MAX * sizeof(*f->read));
	if (!f->read)
		f->err = -ENOMEM;
	for (size_t i = 0; i < q->n_select && is_chosen(q) && !f->err; i++)
		if (key_named(f, q->select[i], true) < 0)
			f->err = -ENOMEM;
	if (f->err) {
		layer_fold_free(f);
		return -ENOMEM;
	}
	*ret_fold = f;
	return 0;
}

void layer_fold_free(struct layer_fold *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_keys; i++) {
		for (size_t col = 0; f->key[i].column && col < f->n_cols; col++)
			free(f->key[i].column[col].spot);
		free(f->key[i].column);
	}
	free(f->key);
	free(f->key_of);
	free(f->read);
	keytable_fini(&f->keys);
	free(f);
}

const struct store_reader *layer_fold_reader(struct layer_fold *f)
{
	return &f->reader;
}

int layer_fold_error(const struct layer_fold *f)
{
	return f->err;
}

/* ---- results ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct key *)a)->text, ((const struct key *)b)->text);
}

/* Sorting makes key_of invalid, so nothing may be added after it. */
size_t layer_fold_finish(struct layer_fold *f)
{
	if (!is_chosen(&f->q) && f->n_keys)
		qsort(f->key, f->n_keys, sizeof(*f->key), by_text);
	f->reader.slice = NULL;
	return f->n_keys;
}

const char *layer_fold_name(const struct layer_fold *f, size_t i)
{
	return f->key[i].text;
}

bool layer_fold_other(const struct layer_fold *f, size_t i)
{
	return f->key[i].other;
}

__u64 layer_fold_count(const struct layer_fold *f, size_t i, size_t col)
{
	return f->key[i].column ? f->key[i].column[col].count : 0;
}

__u64 layer_fold_sum(const struct layer_fold *f, size_t i, size_t col)
{
	return f->key[i].column ? f->key[i].column[col].sum : 0;
}

/* Returns the row that holds a value: edges ascend. */
static __u32 row_of(const struct grid *g, __u64 value)
{
	size_t low = 0, high = g->n_rows;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (g->edge[middle] <= value)
			low = middle;
		else
			high = middle;
	}
	return (__u32)low;
}

/* Turns a key's spots into cells, column after column; spots of the same row become one cell. */
static size_t cells_of(const struct layer_fold *f, const struct key *k, const struct grid *g, struct layer_cell *cell)
{
	size_t n = 0;

	for (size_t col = 0; k->column && col < f->n_cols; col++)
		for (size_t i = 0, start = n; i < k->column[col].n; i++) {
			const struct spot *s = &k->column[col].spot[i];
			__u32 row = row_of(g, s->first);

			if (n > start && cell[n - 1].row == row)
				cell[n - 1].count = saturating_add(cell[n - 1].count, s->n);
			else
				cell[n++] = (struct layer_cell){ row, (__u32)col, s->n };
		}
	return n;
}

/* Sorts by row: columns stay in order within a row. */
static void sort_by_row(const struct layer_cell *from, struct layer_cell *to, size_t n, size_t *start, size_t n_rows)
{
	memset(start, 0, (n_rows + 1) * sizeof(*start));
	for (size_t i = 0; i < n; i++)
		start[from[i].row + 1]++;
	for (size_t row = 0; row < n_rows; row++)
		start[row + 1] += start[row];
	for (size_t i = 0; i < n; i++)
		to[start[from[i].row]++] = from[i];
}

static size_t spots_of(const struct layer_fold *f, const struct key *k)
{
	size_t n = 0;

	for (size_t col = 0; k->column && col < f->n_cols; col++)
		n += k->column[col].n;
	return n;
}

static int fill_layer(const struct layer_fold *f, const struct key *k, const struct grid *g, struct layer *ret_layer)
{
	size_t n = spots_of(f, k), *start = calloc(g->n_rows + 1, sizeof(*start));
	struct layer_cell *cell = calloc(2 * n + 1, sizeof(*cell));
	int err = cell && start ? 0 : -ENOMEM;

	if (!err) {
		n = cells_of(f, k, g, cell);
		sort_by_row(cell, cell + n, n, start, g->n_rows);
		err = layer_fill(ret_layer, g, k->text, cell + n, n);
	}
	free(cell);
	free(start);
	return err;
}

int layer_fold_layers(const struct layer_fold *f, const struct grid *g, struct layers **ret_layers)
{
	struct layers *l = layers_new(f->n_keys);
	int err = !l ? -ENOMEM : g->n_cols != f->n_cols ? -EINVAL : 0;

	for (size_t i = 0; i < f->n_keys && !err; i++)
		err = fill_layer(f, &f->key[i], g, &l->layer[i]);
	if (err)
		layers_free(l);
	else
		*ret_layers = l;
	return err;
}
