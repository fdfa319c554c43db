/* average, percentile: return one number of all events of the interval, for all keys together; null if there were
 * none, or for the mean if their sum saturated. */
#include "aggregator/value/kind.h"
#include "aggregator/value/reply.h"
#include "collector/core/saturating.h"

static void number_settle(struct value *v, int axis)
{
	v->drop = ~0u;
}

/* NULL: there were no events. */
static const struct hist *hist_of(struct value *v)
{
	size_t n;
	const struct key_total *total = key_fold_totals(v->key_fold[0], KEYS_BY_COUNT, &n);

	return n && total->hist.count ? &total->hist : NULL;
}

static int average_make(struct value *v)
{
	const struct hist *h = hist_of(v);
	struct bytes out = { 0 };

	reply_begin(v, &out);
	writer_name(&out, "average");
	if (h && !saturated((double)h->sum))
		writer_real(&out, (double)h->sum / (double)h->count);
	else
		writer_raw(&out, "null");
	return reply_end(v, &out);
}

static int percentile_make(struct value *v)
{
	const struct hist *h = hist_of(v);
	struct bytes out = { 0 };

	reply_begin(v, &out);
	writer_name(&out, "percentile");
	if (h)
		writer_number(&out, hist_percentile(h, (__u32)v->p.millionths));
	else
		writer_raw(&out, "null");
	return reply_end(v, &out);
}

const struct value_kind value_average = {
	.name = "average", .class = ADMISSION_SMALL, .totals = true, .settle = number_settle, .folds = value_totals_folds, .make = average_make,
};

const struct value_kind value_percentile = {
	.name = "percentile", .class = ADMISSION_SMALL, .totals = true, .settle = number_settle, .folds = value_totals_folds, .make = percentile_make,
};
