#include "aggregator/query/region.h"
#include "aggregator/query/keytable.h"
#include "collector/core/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct measured {
	double n, sum;			/* events, and their sum */
};

struct key_counts {
	struct pair *events;		/* per block; NULL: empty */
	struct pair time;
	struct measured measured[MEASURES_MAX];
};

struct block {
	double every;			/* how many events one stands for; 0: unknown */
	struct measured measured[MEASURES_MAX];
};

struct region {
	struct region_query q;
	size_t n_time_blocks, n_blocks;
	struct keytable keys;
	struct key_counts *key;
	size_t n_known;
	struct block *block;
	struct pair *events;		/* per block, of all keys */
	__u64 first, last;		/* values of the buckets that counted as inside; a coarse slice has wider
					 * ones */
	size_t *order;			/* keys by their bytes */
	struct region_findings found;
	struct store_reader reader;
	int err;
};

/* ---- blocks ---- */

static size_t blocks_of(const struct region_span *s)
{
	return s->to > s->from ? (size_t)(tier_divide(s->to - 1, s->block) - tier_divide(s->from, s->block)) + 1 : 0;
}

static bool is_in(const struct region_span *s, __s64 slot)
{
	return slot >= s->from && slot < s->to;
}

static size_t block_in(const struct region_span *s, __s64 slot)
{
	return (size_t)(tier_divide(slot, s->block) - tier_divide(s->from, s->block));
}

/* -1: in no block. */
static long block_at(const struct region *r, __s64 slot)
{
	if (is_in(&r->q.time, slot))
		return (long)block_in(&r->q.time, slot);
	return is_in(&r->q.baseline, slot) ? (long)(r->n_time_blocks + block_in(&r->q.baseline, slot)) : -1;
}

/* ---- slices ---- */

static struct key_counts *key_at(struct region *r, const struct labels *key)
{
	long at;

	if (!query_selects(r->q.query, key))
		return NULL;
	at = keytable_at(&r->keys, key);
	if (at >= REGION_KEYS_MAX)
		at = -E2BIG;
	if (at < 0) {
		r->err = (int)at;
		return NULL;
	}
	if ((size_t)at == r->n_known) {
		r->err = array_resize(&r->key, r->n_known + 1, sizeof(*r->key));
		if (r->err)
			return NULL;
		r->key[r->n_known++] = (struct key_counts){ 0 };
	}
	if (!r->key[at].events)
		r->key[at].events = calloc(r->n_blocks, sizeof(struct pair));
	if (!r->key[at].events)
		r->err = -ENOMEM;
	return r->err ? NULL : &r->key[at];
}

static void add_cells(struct region *r, struct key_counts *key, size_t block, const struct slice *s)
{
	__u32 from = ruler_cell(s->ruler, r->found.first), to = ruler_cell(s->ruler, r->found.last);
	bool in_time = block < r->n_time_blocks;
	struct hist_reader h;
	int err = hist_reader_open(&h, s->ruler, s->hist, s->hist_len);

	if (in_time && ruler_first(s->ruler, from) < r->first)
		r->first = ruler_first(s->ruler, from);
	if (in_time && ruler_last(s->ruler, to) > r->last)
		r->last = ruler_last(s->ruler, to);
	while (!err && hist_reader_next(&h)) {
		bool inside = in_time && h.cell >= from && h.cell <= to;
		double n = (double)h.value, time = n * hist_middle(s->ruler, h.cell, h.min, h.max);

		*(inside ? &key->events[block].in : &key->events[block].out) += n;
		*(inside ? &r->events[block].in : &r->events[block].out) += n;
		*(inside ? &key->time.in : &key->time.out) += time;
	}
	r->err = err ? err : h.cursor.err;
}

static void add_measure(struct region *r, struct key_counts *key, size_t block, const struct slice *s)
{
	struct hist_reader h;

	r->err = hist_reader_open(&h, s->ruler, s->hist, s->hist_len);
	if (r->err)
		return;
	key->measured[s->axis].n += (double)h.count;
	key->measured[s->axis].sum += (double)h.sum;
	r->block[block].measured[s->axis].n += (double)h.count;
	r->block[block].measured[s->axis].sum += (double)h.sum;
}

static void region_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct region *r = arg;
	struct key_counts *key;
	long block = block_at(r, slot);

	if (r->err || block < 0 || s->weight || s->axis >= r->q.query->inst->n_measures || r->q.points >> s->axis & 1)
		return;
	key = key_at(r, &s->key);
	if (!key)
		return;
	if (s->axis == r->q.query->axis)
		add_cells(r, key, (size_t)block, s);
	else
		add_measure(r, key, (size_t)block, s);
}

static void region_mark(void *arg, const struct mark *mark)
{
	struct region *r = arg;
	long block = block_at(r, mark->slot);

	if (block >= 0 && mark->kind == MARK_SAMPLED && (double)mark->value > r->block[block].every)
		r->block[block].every = (double)mark->value;
}

/* ---- making and freeing ---- */

static void set_edges(struct region *r)
{
	__u64 ruler = r->q.query->inst->ruler[r->q.query->axis], max = r->q.max;

	r->found.first = ruler_first(ruler, ruler_cell(ruler, r->q.min));
	r->found.last = max ? ruler_last(ruler, ruler_cell(ruler, max - 1)) : ~0ull;
}

int region_new(const struct region_query *q, struct region **ret_region)
{
	struct region *r;

	if (q->time.to <= q->time.from || q->time.block < 1 || (q->baseline.to > q->baseline.from && q->baseline.block < 1) ||
	    (q->max && q->max <= q->min) || q->query->axis < 0 || (size_t)q->query->axis >= q->query->inst->n_measures)
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->q = *q;
	r->n_time_blocks = blocks_of(&q->time);
	r->n_blocks = r->n_time_blocks + blocks_of(&q->baseline);
	r->block = calloc(r->n_blocks, sizeof(*r->block));
	r->events = calloc(r->n_blocks, sizeof(*r->events));
	r->reader = (struct store_reader){ .arg = r, .slice = region_slice, .mark = region_mark };
	if (!r->block || !r->events) {
		region_free(r);
		return -ENOMEM;
	}
	set_edges(r);
	r->first = r->found.first;
	r->last = r->found.last;
	*ret_region = r;
	return 0;
}

void region_free(struct region *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_known; i++)
		free(r->key[i].events);
	for (size_t i = 0; i < r->found.n_values; i++)
		free(r->found.value[i].value);
	for (size_t i = 0; i < r->found.n_contents; i++)
		free(r->found.content[i].value);
	free(r->found.content);
	free(r->found.value);
	free(r->found.measure);
	free(r->key);
	free(r->block);
	free(r->events);
	free(r->order);
	keytable_fini(&r->keys);
	free(r);
}

const struct store_reader *region_reader(struct region *r)
{
	return &r->reader;
}

int region_error(const struct region *r)
{
	return r->err;
}

/* ---- totals ---- */

static int by_key(const void *a, const void *b, void *arg)
{
	const struct region *r = arg;

	return labels_compare(&r->keys.key[*(const size_t *)a], &r->keys.key[*(const size_t *)b]);
}

/* Sums of fractions depend on their order, so it must not be the order of arrival. */
static int sort_keys(struct region *r)
{
	r->order = malloc((r->n_known + 1) * sizeof(*r->order));
	for (size_t i = 0; r->order && i < r->n_known; i++)
		r->order[i] = i;
	if (r->order)
		qsort_r(r->order, r->n_known, sizeof(*r->order), by_key, r);
	return r->order ? 0 : -ENOMEM;
}

/* Returns the counts of the i-th key; NULL: none of it counts. */
static const struct key_counts *counts_of(const struct region *r, size_t i)
{
	const struct key_counts *key = &r->key[r->order[i]];

	return key->events ? key : NULL;
}

static void add_up(struct region *r)
{
	double stands_for = 0, n;

	for (size_t i = 0; i < r->n_blocks; i++) {
		n = r->events[i].in + r->events[i].out;
		r->found.events.in += r->events[i].in;
		r->found.events.out += r->events[i].out;
		r->found.n_blocks += n > 0;
		stands_for += n * fmax(r->block[i].every, 1);
	}
	n = r->found.events.in + r->found.events.out;
	r->found.least = n > 0 ? stands_for / n : 1;
	for (size_t i = 0; i < r->n_known; i++)
		if (counts_of(r, i)) {
			r->found.time.in += counts_of(r, i)->time.in;
			r->found.time.out += counts_of(r, i)->time.out;
		}
}

/* ---- values of the fields ---- */

struct field_values {
	struct keytable table;		/* one label each */
	struct value_counts {
		struct pair *events;
		struct pair time;
	} *of;
	size_t n;
};

static void field_fini(struct field_values *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->of[i].events);
	free(f->of);
	keytable_fini(&f->table);
}

static struct value_counts *value_at(struct field_values *f, const struct labels *label, size_t n_blocks)
{
	long at = keytable_at(&f->table, label);

	if (at < 0 || (size_t)at < f->n)
		return at < 0 ? NULL : &f->of[at];
	if (array_resize(&f->of, f->n + 1, sizeof(*f->of)))
		return NULL;
	f->of[f->n] = (struct value_counts){ .events = calloc(n_blocks, sizeof(struct pair)) };
	return f->of[f->n].events ? &f->of[f->n++] : NULL;
}

/* Adds up the keys that have the same label of this field. */
static int field_fill(struct field_values *f, const struct region *r, unsigned field)
{
	struct bytes label = { 0 };
	int err = 0;

	for (size_t i = 0; i < r->n_known && !err; i++) {
		const struct key_counts *key = counts_of(r, i);
		struct value_counts *v;

		if (!key)
			continue;
		label.len = 0;
		labels_keep(&r->keys.key[r->order[i]], 1u << field, &label);
		v = label.err ? NULL : value_at(f, &(struct labels){ label.data, (__u16)label.len }, r->n_blocks);
		err = v ? 0 : -ENOMEM;
		for (size_t b = 0; v && b < r->n_blocks; b++) {
			v->events[b].in += key->events[b].in;
			v->events[b].out += key->events[b].out;
		}
		if (v) {
			v->time.in += key->time.in;
			v->time.out += key->time.out;
		}
	}
	bytes_fini(&label);
	return err;
}

/* Returns the least dispersion of the groups: over all values of the field, and from sampling. */
static int least_of(const struct region *r, const struct field_values *f, struct pair *ret_least)
{
	const struct pair **value = calloc(f->n + 1, sizeof(*value));

	for (size_t i = 0; value && i < f->n; i++)
		value[i] = f->of[i].events;
	if (!value)
		return -ENOMEM;
	*ret_least = contrast_spread(value, f->n, r->events, r->n_blocks);
	ret_least->in = fmax(ret_least->in, r->found.least);
	ret_least->out = fmax(ret_least->out, r->found.least);
	free(value);
	return 0;
}

/* A field with only one value cannot distinguish the groups. */
static int find_values(struct region *r, unsigned field, const struct field_values *f, struct pair least)
{
	struct region_findings *found = &r->found;
	struct finding *more = f->n > 1 ? realloc(found->value, (found->n_values + f->n) * sizeof(*more)) : NULL;

	for (size_t i = 0; i < f->n; i++)
		found->lower_bound = found->lower_bound || (f->table.key[i].len && !f->table.key[i].bytes[0]);
	if (f->n < 2)
		return 0;
	if (!more)
		return -ENOMEM;
	found->value = more;
	for (size_t i = 0; i < f->n; i++) {
		struct finding *v = &found->value[found->n_values];
		char text[LABEL_MAX + 1] = "";

		*v = (struct finding){ .field = field, .other = !f->table.key[i].len || !f->table.key[i].bytes[0],
				       .time = f->of[i].time.in };
		labels_text(&f->table.key[i], 0, text);
		v->value = strdup(text);
		if (!v->value)
			return -ENOMEM;
		found->n_values++;
		contrast_test(f->of[i].events, r->events, r->n_blocks, -1, least, &v->c);
		v->time_excess = v->time - found->time.in * v->c.mean.out;
	}
	return 0;
}

static int by_events(const void *a, const void *b)
{
	const struct content *x = a, *y = b;

	return x->events < y->events ? 1 : x->events > y->events ? -1 : strcmp(x->value, y->value);
}

/* Lists every value of a field that some event inside has. */
static int list_contents(struct region *r, unsigned field, const struct field_values *f)
{
	struct region_findings *found = &r->found;
	size_t first = found->n_contents;

	if (array_resize(&found->content, first + f->n + 1, sizeof(*found->content)))
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++) {
		struct content c = { .field = field, .other = !f->table.key[i].len || !f->table.key[i].bytes[0], .time = f->of[i].time.in };
		char text[LABEL_MAX + 1] = "";

		for (size_t b = 0; b < r->n_blocks; b++)
			c.events += f->of[i].events[b].in;
		if (c.events <= 0)
			continue;
		labels_text(&f->table.key[i], 0, text);
		c.value = strdup(text);
		if (!c.value)
			return -ENOMEM;
		found->content[found->n_contents++] = c;
	}
	qsort(found->content + first, found->n_contents - first, sizeof(*found->content), by_events);
	return 0;
}

static int add_field(struct region *r, unsigned field)
{
	struct field_values f = { 0 };
	struct pair least = { 1, 1 };
	int err = field_fill(&f, r, field);

	if (!err)
		err = least_of(r, &f, &least);
	if (!err)
		err = find_values(r, field, &f, least);
	if (!err)
		err = list_contents(r, field, &f);
	field_fini(&f);
	return err;
}

/* ---- measures ---- */

struct scores {
	struct pair *sum, *events;	/* per block */
	double square;
	size_t n;			/* distinct values */
};

static void score(struct scores *s, size_t block, const struct pair *events, double mean)
{
	s->sum[block].in += events->in * mean;
	s->sum[block].out += events->out * mean;
	s->events[block].in += events->in;
	s->events[block].out += events->out;
	s->square += (events->in + events->out) * mean * mean;
}

static void score_by_key(const struct region *r, unsigned measure, struct scores *s)
{
	for (size_t i = 0; i < r->n_known; i++) {
		const struct key_counts *key = counts_of(r, i);
		const struct measured *m = key ? &key->measured[measure] : NULL;

		if (!key || m->n <= 0)
			continue;
		s->n++;
		for (size_t b = 0; b < r->n_blocks; b++)
			score(s, b, &key->events[b], m->sum / m->n);
	}
}

static void score_by_time(const struct region *r, unsigned measure, struct scores *s)
{
	for (size_t b = 0; b < r->n_blocks; b++) {
		const struct measured *m = &r->block[b].measured[measure];

		if (m->n <= 0)
			continue;
		s->n++;
		score(s, b, &r->events[b], m->sum / m->n);
	}
}

static bool is_foreign(const struct region *r, unsigned measure)
{
	const __u64 *ruler = r->q.query->inst->ruler;

	return ruler_unit(ruler[measure]) != ruler_unit(ruler[r->q.query->axis]);
}

static int add_measure_by(struct region *r, unsigned measure, enum region_by by)
{
	struct scores s = { .sum = calloc(r->n_blocks, sizeof(*s.sum)), .events = calloc(r->n_blocks, sizeof(*s.events)) };
	struct finding *m = &r->found.measure[r->found.n_measures];
	int err = s.sum && s.events ? 0 : -ENOMEM;

	if (!err && by == REGION_BY_KEY)
		score_by_key(r, measure, &s);
	else if (!err)
		score_by_time(r, measure, &s);
	if (!err && s.n > 1) {
		*m = (struct finding){ .measure = measure, .by = by, .foreign = is_foreign(r, measure) };
		contrast_test(s.sum, s.events, r->n_blocks, s.square, (struct pair){ r->found.least, r->found.least }, &m->c);
		r->found.n_measures++;
	}
	free(s.sum);
	free(s.events);
	return err;
}

static int add_measures(struct region *r)
{
	size_t n = r->q.query->inst->n_measures;
	int err;

	r->found.measure = calloc(2 * n, sizeof(*r->found.measure));
	err = r->found.measure ? 0 : -ENOMEM;
	for (unsigned m = 0; m < n && !err; m++) {
		if ((int)m == r->q.query->axis || r->q.points >> m & 1)
			continue;
		err = add_measure_by(r, m, REGION_BY_KEY);
		if (!err)
			err = add_measure_by(r, m, REGION_BY_TIME);
	}
	return err;
}

/* ---- significance and order ---- */

static struct finding *finding_at(struct region_findings *f, size_t i)
{
	return i < f->n_values ? &f->value[i] : &f->measure[i - f->n_values];
}

/* All tests are one family; findings that could not be tested do not belong to it. */
static int adjust(struct region_findings *f)
{
	size_t n = f->n_values + f->n_measures, n_tests = 0;
	double *p = calloc(2 * n + 1, sizeof(*p)), *q = p + n;
	int err = p ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++)
		if (finding_at(f, i)->c.df)
			p[n_tests++] = finding_at(f, i)->c.p;
	if (!err)
		err = contrast_adjust(p, n_tests, q);
	for (size_t i = 0, test = 0; i < n && !err; i++) {
		struct finding *one = finding_at(f, i);

		one->q = one->c.df ? q[test++] : 1;
		one->significant = one->q <= REGION_Q;
	}
	f->n_tests = n_tests;
	free(p);
	return err;
}

/* Returns by how much x is larger than y; excesses of different units are not compared. */
static double more_of(const struct finding *x, const struct finding *y)
{
	if (x->value)
		return x->c.excess - y->c.excess;
	return x->foreign ? y->c.p - x->c.p : fabs(x->c.excess) - fabs(y->c.excess);
}

static int by_rank(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	double more = more_of(x, y);

	if (x->significant != y->significant)
		return x->significant ? -1 : 1;
	if (x->foreign != y->foreign)
		return x->foreign ? 1 : -1;
	if (more > 0 || more < 0)
		return more > 0 ? -1 : 1;
	if (x->value && x->field == y->field)
		return strcmp(x->value, y->value);
	if (x->value)
		return x->field < y->field ? -1 : 1;
	return x->measure != y->measure ? (x->measure < y->measure ? -1 : 1) : (int)x->by - (int)y->by;
}

int region_contrast(struct region *r, const struct region_findings **ret_findings)
{
	struct region_findings *f = &r->found;
	int err = sort_keys(r);

	if (!err)
		add_up(r);
	for (unsigned field = 0; field < r->q.query->inst->n_fields && !err; field++)
		err = add_field(r, field);
	if (!err)
		err = add_measures(r);
	if (!err)
		err = adjust(f);
	if (err)
		return err;
	if (f->n_values)
		qsort(f->value, f->n_values, sizeof(*f->value), by_rank);
	if (f->n_measures)
		qsort(f->measure, f->n_measures, sizeof(*f->measure), by_rank);
	f->first = r->first;
	f->last = r->last;
	*ret_findings = f;
	return 0;
}
