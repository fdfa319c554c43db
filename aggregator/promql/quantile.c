#include "aggregator/promql/quantile.h"

#include "aggregator/export/buckets.h"

#include <math.h>

/* Is the answer known without the histogram? */
static bool is_beyond(double q, double count, double *ret)
{
	*ret = isnan(q) || !(count > 0) ? NAN : q < 0 ? -INFINITY : INFINITY;
	return isnan(*ret) || q < 0 || q > 1;
}

double quantile_classic(double q, struct quantile_bucket *bucket, size_t n)
{
	size_t at = 0;
	double rank, begin, before, answer;

	if (n < 2 || !isinf(bucket[n - 1].edge))
		return NAN;
	for (size_t i = 1; i < n; i++)
		bucket[i].count = fmax(bucket[i].count, bucket[i - 1].count);
	if (is_beyond(q, bucket[n - 1].count, &answer))
		return answer;
	rank = q * bucket[n - 1].count;
	while (at < n - 1 && bucket[at].count < rank)
		at++;
	if (at == n - 1)
		return bucket[n - 2].edge;
	if (!at && bucket[0].edge <= 0)
		return bucket[0].edge;
	begin = at ? bucket[at - 1].edge : 0;
	before = at ? bucket[at - 1].count : 0;
	return begin + (bucket[at].edge - begin) * ((rank - before) / (bucket[at].count - before));
}

double quantile_native(double q, const struct series_histogram *h, int schema)
{
	double rank = q * h->count, count = 0, answer;
	__u32 at = 0, last = 0;

	if (is_beyond(q, h->count, &answer))
		return answer;
	for (at = 0; at < h->n; at++) {
		if (!(h->bucket[at] > 0))
			continue;
		last = at;
		count += h->bucket[at];
		if (count >= rank)
			break;
	}
	if (!(count > 0))
		return NAN;
	if (count < rank)		/* rounding */
		return buckets_edge(h->first + (int)last, schema);
	rank -= count - h->bucket[last];
	return exp2(ldexp(h->first + (int)last - 1 + rank / h->bucket[last], -schema));
}
