#include "aggregator/store/incoming_batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int incoming_batch_new(const __u8 *data, size_t len, struct incoming_batch **ret_incoming)
{
	struct incoming_batch *a = calloc(1, sizeof(*a));
	int err = -ENOMEM;

	if (!a)
		return -ENOMEM;
	a->data = malloc(len + 1);
	if (a->data) {
		memcpy(a->data, data, len);
		a->len = len;
		err = batch_decode(a->data, len, &a->batch);
	}
	if (err) {
		incoming_batch_free(a);
		return err;
	}
	*ret_incoming = a;
	return 0;
}

void incoming_batch_free(struct incoming_batch *a)
{
	if (!a)
		return;
	batch_fini(&a->batch);
	bytes_fini(&a->keys);
	free(a->data);
	free(a);
}

__s64 incoming_batch_last(const struct incoming_batch *a)
{
	return a->batch.slot + (a->batch.run > 1 ? (__s64)a->batch.run - 1 : 0);
}

/* Each measure is counted once per event, so one axis is enough. */
__u64 incoming_batch_events(const struct incoming_batch *a)
{
	struct hist_reader r;
	__u64 n = clamp_json(a->batch.loss.n);

	for (size_t i = 0; i < a->batch.n_slices; i++) {
		const struct slice *s = &a->batch.slice[i];

		if (!s->axis && !s->weight && !hist_reader_open(&r, s->ruler, s->hist, s->hist_len))
			n = events_add(n, r.count);
	}
	return n;
}

static size_t host_fields(const struct instrumentation *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n_fields; i++)
		n += (size_t)host_field_is(in->field[i]);
	return n;
}

static const char *check_slice(const struct slice *s, const struct instrumentation *in, int n_labels)
{
	if (labels_count(&s->key) != n_labels)
		return "its keys do not have the instrumentation's fields";
	if (s->axis >= in->n_measures || s->weight > in->n_weights)
		return "it has a measure that the instrumentation does not have";
	if (!ruler_common(s->ruler, in->ruler[s->axis]))
		return "its ruler does not fit the measure's";
	return NULL;
}

static const char *check_time(const struct incoming_batch *a, const struct instrumentation *in, const struct incoming_batch_bounds *bounds)
{
	__s64 latest = (bounds->now_ns + FUTURE_MAX_NS) / (__s64)in->slot_ns;

	if (a->batch.slot_ns != in->slot_ns)
		return "its slots have another length than the instrumentation's";
	if (incoming_batch_last(a) > latest || (a->batch.loss.n && a->batch.loss.last > latest))
		return "its slot is more than 10 s in the future: compare the clocks of both machines";
	if (a->batch.loss.n && a->batch.loss.first < 0)
		return "it lost events before 1970";
	if (incoming_batch_last(a) < bounds->kept_from)
		return "its slot is older than the retention time";
	if (incoming_batch_last(a) < bounds->taken_from)
		return "the database has dropped its slot already: by max-size, or before a clock was set back";
	return NULL;
}

const char *incoming_batch_check(const struct incoming_batch *a, const struct instrumentation *in,
			  const struct incoming_batch_bounds *bounds)
{
	int n_labels = (int)(in->n_fields - host_fields(in));
	const char *why = check_time(a, in, bounds);

	for (size_t i = 0; i < a->batch.n_slices && !why; i++)
		why = check_slice(&a->batch.slice[i], in, n_labels);
	if (!why && a->batch.n_slices > (size_t)INCOMING_BATCH_KEYS_MAX * in->n_measures * (1 + in->n_weights))
		why = "it has more slices than 4096 keys can have";
	return why;
}

bool incoming_batch_lose(struct incoming_batch *a, const struct instrumentation *in, const struct incoming_batch_bounds *bounds)
{
	struct batch *b = &a->batch;
	struct loss l = { .n = b->loss.n, .sum = b->loss.sum, .first = b->slot, .last = b->slot };
	struct hist_reader r;

	if (check_time(a, in, bounds))
		return false;
	for (size_t i = 0; i < b->n_slices; i++) {
		const struct slice *s = &b->slice[i];

		if (s->axis || s->weight || hist_reader_open(&r, s->ruler, s->hist, s->hist_len))
			continue;
		l.n = events_add(l.n, r.count);
		l.sum = events_add(l.sum, r.sum);
	}
	if (b->loss.n && b->loss.first < l.first)
		l.first = b->loss.first;
	if (b->loss.n && b->loss.last > l.last)
		l.last = b->loss.last;
	if (l.n == b->loss.n)
		l.n++;			/* slices of other measures only: at least one event */
	b->loss = l;
	b->n_slices = 0;
	b->exemplars_len = 0;
	return true;
}

/* Appends the key with the host's values among its labels, in the order of the instrumentation's fields. */
static void put_with_host(struct bytes *out, const struct labels *key, const struct instrumentation *in, const char *source,
			  const struct host_labels *labels)
{
	size_t at = 0, len;

	for (size_t i = 0; i < in->n_fields; i++) {
		if (host_field_is(in->field[i])) {
			labels_put(out, host_field_value(in->field[i], source, labels));
			continue;
		}
		len = 1 + (size_t)key->bytes[at];
		bytes_put(out, key->bytes + at, len);
		at += len;
	}
}

/* Slices of one key share its bytes, before and after.  The buffer moves while it grows, so the
 * keys' pointers are set when it is complete. */
int incoming_batch_fill_host(struct incoming_batch *a, const struct instrumentation *in, const struct host_labels *labels)
{
	struct slice *slice = a->batch.slice;
	size_t n = a->batch.n_slices, *offset, *len;

	if (!host_fields(in))
		return 0;
	offset = calloc(2 * n + 1, sizeof(*offset));
	if (!offset)
		return -ENOMEM;
	len = offset + n;
	for (size_t i = 0; i < n; i++) {
		bool same = i && slice[i].key.bytes == slice[i - 1].key.bytes && slice[i].key.len == slice[i - 1].key.len;

		offset[i] = same ? offset[i - 1] : a->keys.len;
		if (!same)
			put_with_host(&a->keys, &slice[i].key, in, a->batch.source, labels);
		len[i] = same ? len[i - 1] : a->keys.len - offset[i];
	}
	for (size_t i = 0; i < n && !a->keys.err; i++)
		slice[i].key = (struct labels){ .bytes = a->keys.data + offset[i], .len = (__u16)len[i] };
	free(offset);
	return a->keys.err;
}
