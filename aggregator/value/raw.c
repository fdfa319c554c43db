/* raw: writes the raw value, per key and measure. */
#include "aggregator/value/kind.h"
#include "aggregator/value/reply.h"

#include <string.h>

static bool is_of_all_measures(const struct value *v)
{
	return v->p.measure && !strcmp(v->p.measure, "*");
}

static int raw_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	int err = value_totals_folds(v, ci, axis, reason);
	struct query q;

	for (int i = 0; i < (int)v->in.n_measures && is_of_all_measures(v) && !err; i++)
		if (i != axis) {
			q = value_query(v, i);
			err = value_key_fold_add(v, &q);
		}
	return err;
}

static void put_all_stats(struct value *v, struct bytes *out)
{
	const struct key_total *total;
	size_t n;

	writer_raw(out, "{");
	for (size_t i = 0; i < v->n_key_folds; i++) {
		total = key_fold_totals(v->key_fold[i], KEYS_BY_COUNT, &n);
		writer_name(out, reply_measure(v, v->key_axis[i]));
		payload_stats(out, total, n, v->scope[v->key_axis[i]] == SCOPE_POINT ? v->n_snapshots : 0);
	}
	writer_raw(out, "}");
}

static int raw_make(struct value *v)
{
	struct bytes out = { 0 };
	size_t n;
	const struct key_total *total = key_fold_totals(v->key_fold[0], KEYS_BY_COUNT, &n);

	reply_begin(v, &out);
	writer_name(&out, "value");
	payload_raw(&out, total, n, v->in.n_fields, v->numeric, v->head.n_snapshots);
	writer_name(&out, "transformations");
	writer_raw(&out, "{}");
	if (v->p.stats || v->n_key_folds > 1) {
		writer_name(&out, "stats");
		if (is_of_all_measures(v))
			put_all_stats(v, &out);
		else
			payload_stats(&out, total, n, v->head.n_snapshots);
	}
	return reply_end(v, &out);
}

const struct value_kind value_raw = {
	.name = "raw", .class = ADMISSION_SMALL, .totals = true, .all_measures = true, .folds = raw_folds, .make = raw_make,
};
