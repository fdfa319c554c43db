#include "aggregator/promql/evaluate.h"

#include "aggregator/promql/quantile.h"
#include "collector/core/refuse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void outcome_fini(struct outcome *o) { matrix_fini(&o->matrix); }

static int evaluate(const struct evaluation *of, const struct expression *e, struct outcome *o);

/* ---- rows: series in an order that brings together those that belong together ---- */

struct row {
	struct series_labels labels;
	double edge;
	struct series *series;
};

static int by_labels_and_edge(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = series_labels_compare(&x->labels, &y->labels);

	return order ? order : (x->edge > y->edge) - (x->edge < y->edge);
}

static void rows_free(struct row *row, size_t n)
{
	for (size_t i = 0; row && i < n; i++)
		series_labels_fini(&row[i].labels);
	free(row);
}

/* Makes a row of each series that `edge_of` takes.  sum: keep its labels; NULL: all but le. */
static int rows_make(const struct matrix *m, const struct expression *sum, struct row **ret_row, size_t *ret_n)
{
	struct row *row = calloc(m->n + 1, sizeof(*row));
	size_t n = 0;
	int err = row ? 0 : -ENOMEM;

	for (size_t i = 0; i < m->n && !err; i++) {
		struct series *s = &m->series[i];
		const char *edge = series_labels_get(&s->labels, SERIES_EDGE);

		if (!sum && (s->histogram || !*edge))
			continue;
		row[n].series = s;
		row[n].edge = sum ? 0 : strtod(edge, NULL);
		err = series_labels_copy(&s->labels, &row[n].labels);
		if (!err && sum)
			series_labels_keep(&row[n].labels, sum->label, sum->n_labels, sum->without);
		else if (!err)
			series_labels_drop(&row[n].labels, SERIES_EDGE);
		n += !err;
	}
	if (err) {
		rows_free(row, n);
		return err;
	}
	qsort(row, n, sizeof(*row), by_labels_and_edge);
	*ret_row = row;
	*ret_n = n;
	return 0;
}

/* Returns the end of the rows that have the labels of row `from`. */
static size_t rows_end(const struct row *row, size_t n, size_t from)
{
	size_t end = from + 1;

	while (end < n && !series_labels_compare(&row[end].labels, &row[from].labels))
		end++;
	return end;
}

/* ---- sum ---- */

static int add_series(struct series *to, const struct series *from, size_t n_points)
{
	int err = 0;

	for (size_t i = 0; i < n_points && !err; i++) {
		if (!from->is[i])
			continue;
		if (to->value)
			to->value[i] += from->value[i];
		else
			err = series_histogram_add(&to->histogram[i], to->schema, &from->histogram[i], from->schema, to->schema);
		to->is[i] = true;
	}
	return err;
}

static int sum_rows(const struct evaluation *of, const struct expression *e, struct row *row, size_t n, struct matrix *out)
{
	int schema = row->series->schema, err;
	struct series *to;

	for (size_t i = 1; i < n; i++) {
		if (!row[i].series->histogram != !row->series->histogram)
			return refuse(of->reason, "sum cannot add histograms and numbers: the selector chooses both");
		schema = row[i].series->schema < schema ? row[i].series->schema : schema;
	}
	err = matrix_add(out, &row->labels, row->series->histogram, schema, &to);
	if (!err && n == 1) {		/* as often: a source has already added up what the sum adds up */
		series_move(row->series, to);
		return 0;
	}
	for (size_t i = 0; i < n && !err; i++)
		err = add_series(to, row[i].series, out->n_points);
	return err;
}

/* Takes the points of series that are the only ones of their sum. */
static int evaluate_sum(const struct evaluation *of, const struct expression *e, struct matrix *in, struct matrix *out)
{
	struct row *row;
	size_t n = 0;
	int err = rows_make(in, e, &row, &n);

	if (err)
		return err;
	for (size_t from = 0, end; from < n && !err; from = end) {
		end = rows_end(row, n, from);
		err = sum_rows(of, e, row + from, end - from, out);
	}
	rows_free(row, n);
	return err;
}

/* ---- histograms ---- */

static int classic_quantiles(double q, struct row *row, size_t n, struct matrix *out)
{
	struct quantile_bucket *bucket = calloc(n, sizeof(*bucket));
	struct series *to;
	int err = bucket ? matrix_add(out, &row->labels, false, 0, &to) : -ENOMEM;

	for (size_t i = 0; i < out->n_points && !err; i++) {
		size_t n_buckets = 0;

		for (size_t k = 0; k < n; k++)
			if (row[k].series->is[i])
				bucket[n_buckets++] = (struct quantile_bucket){ row[k].edge, row[k].series->value[i] };
		to->is[i] = n_buckets;
		to->value[i] = quantile_classic(q, bucket, n_buckets);
	}
	free(bucket);
	return err;
}

static int all_classic_quantiles(double q, const struct matrix *in, struct matrix *out)
{
	struct row *row;
	size_t n = 0;
	int err = rows_make(in, NULL, &row, &n);

	if (err)
		return err;
	for (size_t from = 0, end; from < n && !err; from = end) {
		end = rows_end(row, n, from);
		err = classic_quantiles(q, row + from, end - from, out);
	}
	rows_free(row, n);
	return err;
}

static double number_of(enum expression_kind kind, double q, const struct series_histogram *h, int schema)
{
	switch (kind) {
	case EXPRESSION_QUANTILE: return quantile_native(q, h, schema);
	case EXPRESSION_COUNT: return h->count;
	case EXPRESSION_TOTAL: return h->sum;
	default: return h->sum / h->count;
	}
}

/* Makes numbers of histograms. */
static int evaluate_histograms(enum expression_kind kind, double q, const struct matrix *in, struct matrix *out)
{
	int err = kind == EXPRESSION_QUANTILE ? all_classic_quantiles(q, in, out) : 0;

	for (size_t k = 0; k < in->n && !err; k++) {
		const struct series *from = &in->series[k];
		struct series_labels labels = { 0 };
		struct series *to;

		if (!from->histogram)
			continue;
		err = series_labels_copy(&from->labels, &labels);
		if (!err)
			err = matrix_add(out, &labels, false, 0, &to);
		for (size_t i = 0; i < out->n_points && !err; i++) {
			to->is[i] = from->is[i];
			if (to->is[i])
				to->value[i] = number_of(kind, q, &from->histogram[i], from->schema);
		}
	}
	return err;
}

/* ---- operators ---- */

static double compute(char sign, double a, double b)
{
	switch (sign) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/': return a / b;
	case '%': return fmod(a, b);
	default: return pow(a, b);
	}
}

static int refuse_histograms(const struct evaluation *of, const char *sign)
{
	return refuse(of->reason, "\"%s\" of these histograms is not supported: heatscoped multiplies and divides histograms by numbers", sign);
}

/* series and a number; is_left: the number is on the left */
static int with_number(const struct evaluation *of, const struct expression *e, struct matrix *m, double number, bool is_left)
{
	const char sign[] = { e->sign, 0 };

	for (size_t k = 0; k < m->n; k++) {
		struct series *s = &m->series[k];

		if (s->histogram && e->sign != '*' && (e->sign != '/' || is_left))
			return refuse_histograms(of, sign);
		for (size_t i = 0; i < m->n_points; i++) {
			if (!s->is[i])
				continue;
			if (s->value)
				s->value[i] = is_left ? compute(e->sign, number, s->value[i]) : compute(e->sign, s->value[i], number);
			else
				series_histogram_scale(&s->histogram[i], e->sign == '*' ? number : 1 / number);
		}
	}
	return 0;
}

static int join_series(const struct evaluation *of, char sign, const struct series *a, const struct series *b, struct matrix *out)
{
	const char text[] = { sign, 0 };
	struct series_labels labels = { 0 };
	struct series *to;
	int err = a->histogram || b->histogram ? refuse_histograms(of, text) : series_labels_copy(&a->labels, &labels);

	if (!err)
		err = matrix_add(out, &labels, false, 0, &to);
	for (size_t i = 0; i < out->n_points && !err; i++) {
		to->is[i] = a->is[i] && b->is[i];
		to->value[i] = compute(sign, a->value[i], b->value[i]);
	}
	return err;
}

/* Both are sorted. */
static int join(const struct evaluation *of, char sign, const struct matrix *a, const struct matrix *b, struct matrix *out)
{
	int err = 0;

	for (size_t i = 0, k = 0; i < a->n && k < b->n && !err;) {
		int order = series_labels_compare(&a->series[i].labels, &b->series[k].labels);

		if (!order)
			err = join_series(of, sign, &a->series[i], &b->series[k], out);
		i += order <= 0;
		k += order >= 0;
	}
	return err;
}

static int evaluate_binary(const struct evaluation *of, const struct expression *e, struct outcome *o)
{
	struct outcome a = { .matrix = { .n_points = of->n_points } }, b = a;
	int err = evaluate(of, e->child[0], &a);

	if (!err)
		err = evaluate(of, e->child[1], &b);
	if (!err && a.is_number && b.is_number) {
		o->is_number = true;
		o->number = compute(e->sign, a.number, b.number);
	} else if (!err && (a.is_number || b.is_number)) {
		o->matrix = a.is_number ? b.matrix : a.matrix;
		*(a.is_number ? &b.matrix : &a.matrix) = (struct matrix){ .n_points = of->n_points };
		err = with_number(of, e, &o->matrix, a.is_number ? a.number : b.number, a.is_number);
	} else if (!err) {
		err = join(of, e->sign, &a.matrix, &b.matrix, &o->matrix);
	}
	outcome_fini(&a);
	outcome_fini(&b);
	return err;
}

static int evaluate_negative(const struct evaluation *of, const struct expression *e, struct outcome *o)
{
	const struct expression by = { .sign = '*' };
	int err = evaluate(of, e->child[0], o);

	o->number = -o->number;
	return err || o->is_number ? err : with_number(of, &by, &o->matrix, -1, false);
}

/* ---- all ---- */

/* Evaluates the argument of a function or of sum, and the function of it. */
static int evaluate_call(const struct evaluation *of, const struct expression *e, struct outcome *o)
{
	bool is_quantile = e->kind == EXPRESSION_QUANTILE;
	struct outcome q = { 0 }, in = { .matrix = { .n_points = of->n_points } };
	int err = is_quantile ? evaluate(of, e->child[0], &q) : 0;

	if (!err)
		err = evaluate(of, e->child[is_quantile], &in);
	if (!err)
		err = e->kind == EXPRESSION_SUM ? evaluate_sum(of, e, &in.matrix, &o->matrix)
						: evaluate_histograms(e->kind, q.number, &in.matrix, &o->matrix);
	outcome_fini(&in);
	if (!err && matrix_has_twins(&o->matrix))
		err = refuse(of->reason, "several series have equal labels: choose one name of series");
	return err;
}

static int evaluate(const struct evaluation *of, const struct expression *e, struct outcome *o)
{
	int err;

	switch (e->kind) {
	case EXPRESSION_NUMBER:
		o->is_number = true;
		o->number = e->number;
		return 0;
	case EXPRESSION_RATE:
	case EXPRESSION_INCREASE:
		err = of->leaf(of->arg, e, &o->matrix);
		matrix_sort(&o->matrix);
		return err;
	case EXPRESSION_NEGATIVE: return evaluate_negative(of, e, o);
	case EXPRESSION_BINARY: return evaluate_binary(of, e, o);
	default: return evaluate_call(of, e, o);
	}
}

int expression_evaluate(const struct evaluation *of, const struct expression *e, struct outcome *ret_outcome)
{
	struct outcome o = { .matrix = { .n_points = of->n_points } };
	int err = evaluate(of, e, &o);

	if (err)
		outcome_fini(&o);
	else
		*ret_outcome = o;
	return err;
}
