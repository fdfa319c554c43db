#include "aggregator/export/export.h"

#include "collector/core/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct export {
	struct store_queue *store_queue;
	struct catalog *catalog;
	struct store_queue_observer store_observer;
	struct catalog_observer catalog_observer;
	const struct export_conf *conf;
	size_t n_conf;
	struct exported *first;
};

/* ---- keys and histograms ---- */

static void histogram_free(struct export_histogram *h)
{
	if (!h)
		return;
	free(h->native);
	free(h->classic);
	free(h);
}

static struct export_histogram *histogram_new(__u64 ruler, unsigned schema)
{
	struct export_histogram *h = calloc(1, sizeof(*h));
	double divisor;

	if (!h)
		return NULL;
	buckets_unit((enum ruler_unit)ruler_unit(ruler), &divisor);
	buckets_range(ruler, divisor, (int)schema, &h->first_bucket, &h->last_bucket);
	h->native = calloc((size_t)(h->last_bucket - h->first_bucket + 1), sizeof(*h->native));
	h->classic_ruler = ruler_coarser(ruler, EXPORT_CLASSIC_BITS);
	h->classic = calloc(ruler_cells(h->classic_ruler), sizeof(*h->classic));
	if (h->native && h->classic)
		return h;
	histogram_free(h);
	return NULL;
}

static void key_free(struct export_key *k)
{
	for (size_t i = 0; i < MEASURES_MAX; i++)
		histogram_free(k->measure[i]);
	free(k->bytes);
	free(k);
}

static void exported_free(struct exported *x)
{
	while (x->key) {
		struct export_key *k = x->key;

		x->key = k->next;
		key_free(k);
	}
	free(x);
}

static struct export_key *find_key(const struct exported *x, const struct labels *key)
{
	struct export_key *k = x->key;

	while (k && (k->len != key->len || memcmp(k->bytes, key->bytes, key->len)))
		k = k->next;
	return k;
}

static struct export_key *add_key(struct exported *x, const struct labels *key)
{
	struct export_key *k = calloc(1, sizeof(*k));

	if (k)
		k->bytes = malloc(key->len + 1);
	if (!k || !k->bytes) {
		free(k);
		return NULL;
	}
	memcpy(k->bytes, key->bytes, key->len);
	k->len = key->len;
	*x->end = k;
	x->end = &k->next;
	x->n_keys++;
	return k;
}

/* Whether all its labels are `other`. */
static bool is_other(const struct export_key *k)
{
	for (__u16 i = 0; i < k->len; i++)
		if (k->bytes[i])
			return false;
	return k->len;
}

/* The key of a slice; beyond the limit, that of `other` labels.  NULL: no memory. */
static struct export_key *key_of(struct exported *x, const struct labels *labels)
{
	static const __u8 other[KEY_FIELDS_MAX];
	struct labels key = *labels;
	struct export_key *k = find_key(x, &key);

	if (k)
		return k;
	if (x->n_keys < x->conf->keys || !key.len)
		return add_key(x, &key);
	key = (struct labels){ other, (__u16)labels_count(labels) };
	k = find_key(x, &key);
	return k ? k : add_key(x, &key);
}

/* ---- adding ---- */

static void add_events(struct export_histogram *h, const struct slice *slice, unsigned schema)
{
	struct hist_reader r;
	double divisor;
	int err;

	buckets_unit((enum ruler_unit)ruler_unit(slice->ruler), &divisor);
	err = hist_reader_open(&r, slice->ruler, slice->hist, slice->hist_len);
	if (err)
		return;
	h->count += r.count;
	h->sum += r.sum;
	while (hist_reader_next(&r)) {
		buckets_spread(slice->ruler, r.cell, divisor, (int)schema, r.value, h->native, h->first_bucket);
		h->classic[ruler_cell(h->classic_ruler, ruler_first(slice->ruler, r.cell))] += r.value;
	}
}

static __u64 cells_of(const struct slice *slice)
{
	struct hist_reader r;
	__u64 sum = 0;
	int err;

	for (err = hist_reader_open(&r, slice->ruler, slice->hist, slice->hist_len); !err && hist_reader_next(&r);)
		sum += r.value;
	return sum;
}

/* The ruler that the instrumentation gives the measure; a slice of another range does not fit. */
static bool fits(const struct instrumentation *in, const struct slice *slice)
{
	return slice->axis < in->n_measures && slice->weight <= in->n_weights &&
	       ruler_common(in->ruler[slice->axis], slice->ruler) == ruler_coarser(in->ruler[slice->axis], ruler_bits(slice->ruler));
}

static bool is_interval(const struct catalog_inst *ci, unsigned axis)
{
	return metric_measure_scope(ci->metric, ci->in.measure[axis]) == SCOPE_INTERVAL;
}

static int add_slice(struct exported *x, const struct catalog_inst *ci, const struct slice *slice)
{
	struct export_histogram **h;
	struct export_key *k;

	/* the weights of the first measure are those of all */
	if ((slice->weight && slice->axis) || !fits(&ci->in, slice) || !is_interval(ci, slice->axis))
		return 0;
	k = key_of(x, &slice->key);
	if (!k)
		return -ENOMEM;
	if (slice->weight) {
		k->weight[slice->weight] += cells_of(slice);
		return 0;
	}
	h = &k->measure[slice->axis];
	if (!*h)
		*h = histogram_new(ci->in.ruler[slice->axis], x->conf->schema);
	if (!*h)
		return -ENOMEM;
	add_events(*h, slice, x->conf->schema);
	if (!slice->axis && is_other(k) && find_key(x, &slice->key) != k)
		x->n_other += cells_of(slice);
	return 0;
}

/* NULL: it is not exported. */
static struct exported *exported_of(struct export *e, const struct catalog_inst *ci)
{
	struct exported *x = e->first;
	size_t i = 0;

	while (x && x->inst != ci->in.id)
		x = x->next;
	while (i < e->n_conf && strcmp(e->conf[i].instrumentation, ci->configured_name))
		i++;
	if (x || i == e->n_conf)
		return x;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->conf = &e->conf[i];
	x->inst = ci->in.id;
	x->end = &x->key;
	x->next = e->first;
	e->first = x;
	return x;
}

static void on_stored(void *arg, const struct batch *b)
{
	struct export *e = arg;
	const struct catalog_inst *ci = e->n_conf ? catalog_find(e->catalog, b->inst) : NULL;
	struct exported *x = ci && ci->configured_name[0] ? exported_of(e, ci) : NULL;
	int err = 0;

	if (!x)
		return;
	for (size_t i = 0; i < b->n_slices; i++)
		err = add_slice(x, ci, &b->slice[i]) ?: err;
	x->n_lost += b->loss.n;
	x->last_slot = b->slot > x->last_slot ? b->slot : x->last_slot;
	if (err)
		log_error("no memory: events of instrumentation %llu are missing in /metrics", (unsigned long long)b->inst);
}

/* ---- life ---- */

/* Forgets deleted instrumentations. */
static void on_changed(void *arg, bool wanted)
{
	struct export *e = arg;

	for (struct exported **at = &e->first; *at;) {
		struct exported *x = *at;

		if (catalog_find(e->catalog, x->inst)) {
			at = &x->next;
			continue;
		}
		*at = x->next;
		exported_free(x);
	}
}

int export_new(struct store_queue *store_queue, struct catalog *catalog, const struct export_conf *conf, size_t n, struct export **ret_export)
{
	struct export *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	*e = (struct export){ .store_queue = store_queue, .catalog = catalog, .conf = conf, .n_conf = n };
	e->store_observer = (struct store_queue_observer){ .stored = on_stored, .arg = e };
	e->catalog_observer = (struct catalog_observer){ .changed = on_changed, .arg = e };
	store_queue_observe(store_queue, &e->store_observer);
	catalog_observe(catalog, &e->catalog_observer);
	*ret_export = e;
	return 0;
}

void export_free(struct export *e)
{
	if (!e)
		return;
	store_queue_unobserve(e->store_queue, &e->store_observer);
	catalog_unobserve(e->catalog, &e->catalog_observer);
	while (e->first) {
		struct exported *x = e->first;

		e->first = x->next;
		exported_free(x);
	}
	free(e);
}

const struct exported *export_first(const struct export *e) { return e->first; }
