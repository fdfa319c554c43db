#include "aggregator/export/export.h"

#include "aggregator/base/clock.h"
#include "collector/core/array.h"
#include "collector/core/log.h"
#include "collector/core/saturating.h"

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
	h->classic_ruler = buckets_classic(ruler);
	h->classic = calloc(ruler_cells(h->classic_ruler), sizeof(*h->classic));
	if (h->native && h->classic)
		return h;
	histogram_free(h);
	return NULL;
}

static void exported_free(struct exported *x)
{
	for (size_t k = 0; k < x->keys.n_keys; k++)
		for (size_t i = 0; i < MEASURES_MAX; i++)
			histogram_free(x->key[k].measure[i]);
	free(x->key);
	keytable_fini(&x->keys);
	free(x);
}

struct labels export_key_normal(const struct labels *labels, __u8 *room)
{
	static const char other[] = { 5, 'o', 't', 'h', 'e', 'r' };
	__u16 len = 0;

	for (__u16 at = 0; at < labels->len; at += labels->bytes[at] + 1) {
		bool is_other = labels->len - at >= (int)sizeof(other) && !memcmp(labels->bytes + at, other, sizeof(other));
		__u16 n = is_other ? 1 : labels->bytes[at] + 1;

		memcpy(room + len, labels->bytes + at, n);
		if (is_other)
			room[len] = 0;
		len += n;
	}
	return (struct labels){ room, len };
}

/* The key of a slice; beyond the limit, that of which all labels are `other`.  NULL: no memory. */
static struct export_key *key_of(struct exported *x, const struct labels *labels, bool *ret_is_beyond)
{
	static const __u8 other[KEY_FIELDS_MAX];
	__u8 room[KEY_BYTES_MAX];
	struct labels key = export_key_normal(labels, room);
	long number = keytable_find(&x->keys, &key);

	*ret_is_beyond = number < 0 && x->keys.n_keys >= x->conf->keys && key.len;
	if (*ret_is_beyond)
		key = (struct labels){ other, (__u16)labels_count(labels) };
	if (array_grow(&x->key, x->keys.n_keys, &x->keys_room, sizeof(*x->key)))
		return NULL;
	if (number < 0 && keytable_find(&x->keys, &key) < 0)
		x->key[x->keys.n_keys] = (struct export_key){ .since_ns = now_ns() };
	number = keytable_at(&x->keys, &key);
	return number < 0 ? NULL : &x->key[number];
}

/* ---- adding ---- */

static void add_events(struct export_histogram *h, const struct slice *slice, unsigned schema)
{
	struct hist_reader r;
	double divisor;

	buckets_unit((enum ruler_unit)ruler_unit(slice->ruler), &divisor);
	if (hist_reader_open(&r, slice->ruler, slice->hist, slice->hist_len))
		return;
	h->count = saturating_add(h->count, r.count);
	h->sum = saturating_add(h->sum, r.sum);
	while (hist_reader_next(&r)) {
		__u64 *classic = &h->classic[ruler_cell(h->classic_ruler, ruler_first(slice->ruler, r.cell))];

		buckets_spread(slice->ruler, r.cell, divisor, (int)schema, r.value, h->native, h->first_bucket, h->last_bucket);
		*classic = saturating_add(*classic, r.value);
	}
}

static __u64 sum_of_cells(const struct slice *slice)
{
	struct hist_reader r;
	__u64 sum = 0;
	int err;

	for (err = hist_reader_open(&r, slice->ruler, slice->hist, slice->hist_len); !err && hist_reader_next(&r);)
		sum = saturating_add(sum, r.value);
	return sum;
}

/* Whether /metrics has this slice: a measure that adds up over time, or a weight of the first one, which all measures share. */
static bool is_exported(const struct catalog_inst *ci, const struct slice *slice)
{
	const struct instrumentation *in = &ci->in;

	return slice->axis < in->n_measures && slice->weight <= in->n_weights && !(slice->weight && slice->axis) &&
	       metric_measure_scope(ci->metric, in->measure[slice->axis]) == SCOPE_INTERVAL;
}

static int add_slice(struct exported *x, const struct catalog_inst *ci, const struct slice *slice)
{
	struct export_histogram **h;
	struct export_key *k;
	bool is_beyond;

	if (!is_exported(ci, slice))
		return 0;
	k = key_of(x, &slice->key, &is_beyond);
	if (!k)
		return -ENOMEM;
	if (slice->weight) {
		k->weight[slice->weight] = saturating_add(k->weight[slice->weight], sum_of_cells(slice));
		return 0;
	}
	h = &k->measure[slice->axis];
	if (!*h)
		*h = histogram_new(ci->in.ruler[slice->axis], x->conf->schema);
	if (!*h)
		return -ENOMEM;
	add_events(*h, slice, x->conf->schema);
	if (is_beyond && !slice->axis)
		x->n_other = saturating_add(x->n_other, sum_of_cells(slice));
	return 0;
}

/* NULL: it is not exported. */
static struct exported *exported_of(struct export *e, const struct catalog_inst *ci)
{
	struct exported *x = e->first;
	size_t i = 0;

	while (x && x->inst != ci->in.id)
		x = x->next;
	while (i < e->n_conf && (!ci->configured_name[0] || strcmp(e->conf[i].instrumentation, ci->configured_name)))
		i++;
	if (x || i == e->n_conf)
		return x;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->conf = &e->conf[i];
	x->inst = ci->in.id;
	x->since_ns = now_ns();
	x->next = e->first;
	e->first = x;
	return x;
}

static void on_stored(void *arg, const struct batch *b)
{
	struct export *e = arg;
	const struct catalog_inst *ci = e->n_conf ? catalog_find(e->catalog, b->inst) : NULL;
	struct exported *x = ci ? exported_of(e, ci) : NULL;
	__s64 last = b->slot + (b->run ? b->run - 1 : 0);
	int err = 0;

	if (!x)
		return;
	for (size_t i = 0; i < b->n_slices; i++)
		err = add_slice(x, ci, &b->slice[i]) ?: err;
	x->n_lost = saturating_add(x->n_lost, b->loss.n);
	x->last_slot = last > x->last_slot ? last : x->last_slot;
	if (err)
		log_error("no memory: events of instrumentation %llu are missing in /metrics", (unsigned long long)b->inst);
}

/* ---- life ---- */

/* Forgets deleted instrumentations, and adds those that are listed: they count also if no batch comes. */
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
	for (const struct catalog_inst *ci = catalog_first(e->catalog); ci; ci = ci->next)
		exported_of(e, ci);
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
	on_changed(e, true);
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
