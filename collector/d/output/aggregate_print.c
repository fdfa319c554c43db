#include "collector/d/output/aggregate.h"
#include "collector/d/tree/function.h"
#include "collector/d/output/stack_print.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BAR 40

/* ---- tables of quantize() and its relatives ---- */

struct table {
	const struct d_totals *totals;
	const struct d_row *row;
	const __u64 *edges;
	size_t n_edges;
	long double total;
	bool has_positive, has_negative;	/* counts */
};

static void put(char c, unsigned n, FILE *out)
{
	while (n--)
		fputc(c, out);
}

/* Bars to the right; of negative counts to the left; with both, half as long around the line. */
static void print_bar(const struct table *t, __s64 count, FILE *out)
{
	bool both = t->has_positive && t->has_negative;
	unsigned len = both ? BAR / 2 : BAR, depth = 0;

	if (t->total > 0)
		depth = (unsigned)(fabsl((long double)count) * len / t->total + 0.5L);
	if (!t->has_negative) {
		fputc('|', out);
		put('@', depth, out);
		put(' ', len - depth, out);
	} else if (!t->has_positive || count <= 0) {
		put(' ', len - depth, out);
		put('@', depth, out);
		fputc('|', out);
		put(' ', both ? len : 0, out);
	} else {
		put(' ', len, out);
		fputc('|', out);
		put('@', depth, out);
		put(' ', len - depth, out);
	}
	fprintf(out, " %-9lld\n", (long long)(count / (__s64)t->totals->normal));
}

static __s64 count_of(const struct d_row *r, __s64 cell)
{
	for (size_t i = 0; i < r->n_cells; i++)
		if (r->cells[i].cell == cell)
			return r->cells[i].count;
	return 0;
}

/* The cells with counts, and one more on each side. */
static void shown_range(const struct table *t, __s64 *ret_first, __s64 *ret_last)
{
	__s64 first, last, low = INT64_MAX, high = INT64_MIN;
	const struct d_buckets *b = &t->totals->aggregation->buckets;

	d_buckets_range(b, &first, &last);
	for (size_t i = 0; i < t->row->n_cells; i++) {
		if (!t->row->cells[i].count)
			continue;
		if (t->row->cells[i].cell < low)
			low = t->row->cells[i].cell;
		high = t->row->cells[i].cell;
	}
	if (low > high) {
		low = b->kind == BUCKETS_LINEAR ? 1 : 0;
		high = low;
	}
	*ret_first = low > first ? low - 1 : low;
	*ret_last = high < last ? high + 1 : high;
}

static void print_table(const struct d_totals *totals, const struct d_row *r, FILE *out)
{
	struct table t = { .totals = totals, .row = r };
	const struct d_buckets *b = &totals->aggregation->buckets;
	__u64 *edges = NULL;
	__s64 first, last;
	char label[32];

	if (d_buckets_edges(b, &edges, &t.n_edges))
		return;
	t.edges = edges;
	for (size_t i = 0; i < r->n_cells; i++) {
		t.total += fabsl((long double)r->cells[i].count);
		t.has_positive |= r->cells[i].count > 0;
		t.has_negative |= r->cells[i].count < 0;
	}
	shown_range(&t, &first, &last);
	fprintf(out, "\n%16s %41s %-9s\n", "value", "------------- Distribution -------------", "count");
	for (__s64 cell = first; cell <= last; cell++) {
		d_buckets_label(b, edges, t.n_edges, cell, r->n_cells && r->cells[0].cell < 0, label);
		fprintf(out, "%16s ", label);
		print_bar(&t, count_of(r, cell), out);
	}
	free(edges);
}

/* ---- keys ---- */

/* false: the key is no stack. */
static bool print_stack(const struct d_totals *t, const struct d_row *r, unsigned i, FILE *out)
{
	const struct d_key *k = &t->aggregation->table->key[i];

	if (k->stack)
		d_stack_print(t->symbols, k->stack == STACK_USER, d_row_part(t->aggregation, r, i), k->room, out);
	return k->stack;
}

static void print_key(const struct d_format_value *v, FILE *out)
{
	int width = v->size == 8 ? 16 : v->size == 4 ? 8 : v->size == 2 ? 5 : 3;

	if (v->text)
		fprintf(out, "  %-50.*s", (int)v->text_len, v->text);
	else if (v->is_signed)
		fprintf(out, " %*lld", width, (long long)v->value);
	else
		fprintf(out, " %*llu", width, (unsigned long long)v->value);
}

/* ---- lines ---- */

struct line {
	struct d_totals **all;
	struct d_row *row[D_AGGREGATIONS_MAX];	/* NULL: it has no such key */
	size_t n;
};

/* d NULL: the default format. */
static void print_value(const struct d_totals *t, const struct d_row *r, const struct d_directive *d, FILE *out)
{
	static const struct d_row none;
	struct d_format_value v = { .size = 8, .is_signed = true };

	if (!r)
		r = &none;
	if (t->aggregation->buckets.kind) {
		print_table(t, r, out);
		return;
	}
	v.value = (__u64)d_row_value(t, r);
	if (d)
		d_format_print(d, &v, 1, out);
	else
		fprintf(out, " %16lld", (long long)v.value);
}

/* An aggregation that has the line's key. */
static size_t lead_of(const struct line *l)
{
	size_t i = 0;

	while (i + 1 < l->n && !l->row[i])
		i++;
	return i;
}

static void print_default(const struct line *l, FILE *out)
{
	size_t lead = lead_of(l);
	const struct d_aggregation *of = l->all[lead]->aggregation;

	for (unsigned i = 0; i + 1 < of->table->n_keys; i++) {
		struct d_format_value v = d_row_key(of, l->row[lead], i);

		if (!print_stack(l->all[lead], l->row[lead], i, out))
			print_key(&v, out);
	}
	for (size_t i = 0; i < l->n; i++)
		print_value(l->all[i], l->row[i], NULL, out);
	fputc('\n', out);
}

static void print_formatted(const struct line *l, const struct d_directive *format, FILE *out)
{
	size_t lead = lead_of(l), at = 0;
	const struct d_aggregation *of = l->all[lead]->aggregation;
	unsigned key = 0;

	for (const struct d_directive *d = format; d; d = d->next) {
		struct d_directive one = *d;
		struct d_format_value v;

		one.next = NULL;
		fwrite(d->text, 1, d->text_len, out);
		one.text_len = 0;
		if (d->flags & FORMAT_AGG) {
			print_value(l->all[at], l->row[at], &one, out);
			at += at + 1 < l->n;
		} else if (d->conversion == '%') {
			fputc('%', out);
		} else if (d->conversion && key + 1 < of->table->n_keys) {
			v = d_row_key(of, l->row[lead], key);
			if (!print_stack(l->all[lead], l->row[lead], key, out))
				d_format_print(&one, &v, 1, out);
			key++;
		}
	}
}

static bool is_earlier(const struct line *l, size_t first, size_t turn)
{
	for (size_t before = 0; before < turn; before++)
		if (l->row[(first + before) % l->n])
			return true;
	return false;
}

/* The rows of the aggregation that decides, in its order; then those that only others have. */
void d_totals_printa(struct d_totals **all, size_t n, const struct d_directive *format, const struct d_sort *sort, FILE *out)
{
	size_t first = sort->position < n ? sort->position : 0;
	struct line l = { .all = all, .n = n };

	for (size_t i = 0; i < n; i++) {
		all[i]->is_printed = true;
		d_totals_sort(all[i], sort);
	}
	for (size_t turn = 0; turn < n; turn++) {
		const struct d_totals *lead = all[(first + turn) % n];

		for (size_t r = 0; r < lead->n_rows; r++) {
			for (size_t i = 0; i < n; i++)
				l.row[i] = d_totals_find(all[i], lead->rows[r]->key);
			if (is_earlier(&l, first, turn))
				continue;
			if (format)
				print_formatted(&l, format, out);
			else
				print_default(&l, out);
		}
	}
}

void d_aggregates_print_rest(struct d_aggregates *a, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < a->n_totals; i++) {
		if (a->totals[i].is_printed || !a->totals[i].n_rows)
			continue;
		if (!any)
			fputc('\n', out);
		any = true;
		d_totals_printa(&(struct d_totals *){ &a->totals[i] }, 1, NULL, &a->sort, out);
	}
}
