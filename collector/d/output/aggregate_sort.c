#include "collector/d/output/aggregate.h"
#include "collector/d/tree/function.h"

#include <stdlib.h>
#include <string.h>

struct order {
	const struct d_totals *totals;
	const struct d_sort *sort;
	const __u64 *edges;
	size_t n_edges;
};

static int compare_values(const struct d_format_value *a, const struct d_format_value *b)
{
	size_t len = a->text_len < b->text_len ? a->text_len : b->text_len;
	int order;

	if (a->text) {
		order = memcmp(a->text, b->text, len);
		return order ? order : (a->text_len > b->text_len) - (a->text_len < b->text_len);
	}
	if (a->is_signed)
		return ((__s64)a->value > (__s64)b->value) - ((__s64)a->value < (__s64)b->value);
	return (a->value > b->value) - (a->value < b->value);
}

/* From the key at `key_position` on, then those before it. */
static int compare_keys(const struct order *o, const struct d_row *a, const struct d_row *b)
{
	unsigned n = o->totals->aggregation->table->n_keys - 1;
	int order = 0;

	for (unsigned i = 0; !order && i < n; i++) {
		unsigned at = (i + (o->sort->key_position < n ? o->sort->key_position : 0)) % n;
		struct d_format_value x = d_row_key(o->totals->aggregation, a, at), y = d_row_key(o->totals->aggregation, b, at);

		if (o->totals->aggregation->table->key[at].stack)
			order = memcmp(d_row_part(o->totals->aggregation, a, at), d_row_part(o->totals->aggregation, b, at),
				       o->totals->aggregation->table->key[at].room);
		else
			order = compare_values(&x, &y);
	}
	return order;
}

static __s64 zero_count(const struct d_row *r)
{
	for (size_t i = 0; i < r->n_cells; i++)
		if (!r->cells[i].cell)
			return r->cells[i].count;
	return 0;
}

/* The sum of the values that the cells of all events stand for. */
static long double worth(const struct order *o, const struct d_row *r)
{
	long double sum = 0;

	for (size_t i = 0; i < r->n_cells; i++)
		sum += (long double)r->cells[i].count *
		       d_buckets_value(&o->totals->aggregation->buckets, o->edges, o->n_edges, r->cells[i].cell);
	return sum;
}

static int compare_worth(const struct order *o, const struct d_row *a, const struct d_row *b)
{
	long double x = worth(o, a), y = worth(o, b);
	__s64 zero_a = zero_count(a), zero_b = zero_count(b);

	return x != y ? (x > y) - (x < y) : (zero_a > zero_b) - (zero_a < zero_b);
}

static int compare_rows(const struct order *o, const struct d_row *a, const struct d_row *b)
{
	__s64 x, y;

	if (o->totals->aggregation->buckets.kind)
		return compare_worth(o, a, b);
	x = d_row_value(o->totals, a);
	y = d_row_value(o->totals, b);
	if (o->totals->aggregation->function->id == FUNCTION_COUNT)
		return ((__u64)x > (__u64)y) - ((__u64)x < (__u64)y);
	return (x > y) - (x < y);
}

static int compare(const void *a, const void *b, void *context)
{
	const struct order *o = context;
	const struct d_row *x = *(struct d_row *const *)a, *y = *(struct d_row *const *)b;
	int order = o->sort->by_key ? compare_keys(o, x, y) : compare_rows(o, x, y);

	if (!order)
		order = o->sort->by_key ? compare_rows(o, x, y) : compare_keys(o, x, y);
	return o->sort->reverse ? -order : order;
}

void d_totals_sort(struct d_totals *t, const struct d_sort *sort)
{
	struct order o = { .totals = t, .sort = sort };
	__u64 *edges = NULL;

	if (t->aggregation->buckets.kind && !d_buckets_edges(&t->aggregation->buckets, &edges, &o.n_edges))
		o.edges = edges;
	qsort_r(t->rows, t->n_rows, sizeof(*t->rows), compare, &o);
	free(edges);
	if (t->n_rows)
		d_totals_index(t, t->index_len);
}
