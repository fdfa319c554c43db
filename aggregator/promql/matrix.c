#include "aggregator/promql/matrix.h"

#include "collector/core/array.h"

static void series_fini(struct series *s, size_t n_points)
{
	for (size_t i = 0; s->histogram && i < n_points; i++)
		free(s->histogram[i].bucket);
	free(s->histogram);
	free(s->value);
	free(s->is);
	series_labels_fini(&s->labels);
}

int matrix_add(struct matrix *m, struct series_labels *labels, bool is_histogram, int schema, struct series **ret_series)
{
	struct series s = { .labels = *labels, .schema = schema };
	int err = (m->n + 1) * m->n_points > MATRIX_POINTS_MAX ? -E2BIG : array_grow(&m->series, m->n, &m->room, sizeof(s));

	*labels = (struct series_labels){ 0 };
	if (!err) {
		s.is = calloc(m->n_points + 1, sizeof(*s.is));
		if (is_histogram)
			s.histogram = calloc(m->n_points + 1, sizeof(*s.histogram));
		else
			s.value = calloc(m->n_points + 1, sizeof(*s.value));
		err = s.is && (s.histogram || s.value) ? 0 : -ENOMEM;
	}
	if (err) {
		series_fini(&s, 0);
		return err;
	}
	m->series[m->n] = s;
	*ret_series = &m->series[m->n++];
	return 0;
}

void matrix_fini(struct matrix *m)
{
	for (size_t i = 0; i < m->n; i++)
		series_fini(&m->series[i], m->n_points);
	free(m->series);
	*m = (struct matrix){ .n_points = m->n_points };
}

void series_move(struct series *from, struct series *to)
{
	free(to->is);
	free(to->value);
	free(to->histogram);
	to->is = from->is;
	to->value = from->value;
	to->histogram = from->histogram;
	from->is = NULL;
	from->value = NULL;
	from->histogram = NULL;
}

static int by_labels(const void *a, const void *b)
{
	return series_labels_compare(&((const struct series *)a)->labels, &((const struct series *)b)->labels);
}

void matrix_sort(struct matrix *m)
{
	if (m->n)
		qsort(m->series, m->n, sizeof(*m->series), by_labels);
}

bool matrix_has_twins(struct matrix *m)
{
	matrix_sort(m);
	for (size_t i = 1; i < m->n; i++)
		if (!by_labels(&m->series[i - 1], &m->series[i]))
			return true;
	return false;
}

/* The bucket of a coarser schema that holds bucket i: each of them has 2^by. */
static int coarser(int i, int by)
{
	int up = i + (1 << by) - 1;

	return up >= 0 ? up >> by : -((-up + (1 << by) - 1) >> by);
}

/* Adds the buckets to those of `to`, which become more if needed. */
static int add_buckets(struct series_histogram *to, const struct series_histogram *from, int by)
{
	int first = coarser(from->first, by), last = coarser(from->first + (int)from->n - 1, by);
	double *bucket;

	if (!from->n)
		return 0;
	if (!to->n || first < to->first || last >= to->first + (int)to->n) {
		int new_first = to->n && to->first < first ? to->first : first;
		int new_last = to->n && to->first + (int)to->n - 1 > last ? to->first + (int)to->n - 1 : last;

		bucket = calloc((size_t)(new_last - new_first + 1), sizeof(*bucket));
		if (!bucket)
			return -ENOMEM;
		if (to->n)
			memcpy(bucket + (to->first - new_first), to->bucket, to->n * sizeof(*bucket));
		free(to->bucket);
		to->bucket = bucket;
		to->first = new_first;
		to->n = (__u32)(new_last - new_first + 1);
	}
	for (__u32 i = 0; i < from->n; i++)
		to->bucket[coarser(from->first + (int)i, by) - to->first] += from->bucket[i];
	return 0;
}

int series_histogram_add(struct series_histogram *to, int to_schema, const struct series_histogram *from, int from_schema, int schema)
{
	struct series_histogram before = *to;
	int err = 0;

	if (to_schema != schema) {
		to->bucket = NULL;
		to->n = 0;
		err = add_buckets(to, &before, to_schema - schema);
		free(before.bucket);
	}
	if (!err)
		err = add_buckets(to, from, from_schema - schema);
	to->count += from->count;
	to->sum += from->sum;
	return err;
}

void series_histogram_scale(struct series_histogram *h, double by)
{
	h->count *= by;
	h->sum *= by;
	for (__u32 i = 0; i < h->n; i++)
		h->bucket[i] *= by;
}
