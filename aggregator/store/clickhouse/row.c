#include "aggregator/store/clickhouse/row.h"

#include "collector/core/hist.h"

#include <errno.h>
#include <string.h>

#define DAY_NS 86400000000000ll

unsigned row_day(__u64 slot_ns, __s64 slot)
{
	__int128 day = (__int128)slot * (__int128)slot_ns / DAY_NS;

	return day < 0 ? 0 : day > 65535 ? 65535 : (unsigned)day;
}

/* An hour has so few rows that a day of them needs no periods. */
__s64 row_period_slots(__u64 slot_ns, enum row_kind kind)
{
	__s64 s = kind == ROW_SLOT ? 120 : kind == ROW_MINUTE || kind == ROW_STEP ? 4 * 3600 : 0;

	return s * (__s64)(1000000000 / slot_ns);
}

__s64 row_period(__u64 slot_ns, enum row_kind kind, __s64 slot)
{
	__s64 per = row_period_slots(slot_ns, kind);

	return per ? tier_down(slot, per) : 0;
}

void row_put_text(struct bytes *out, const void *text, size_t len)
{
	bytes_put_varint(out, len);
	bytes_put(out, text, len);
}

/* --- writing --- */

static bool is_large(struct hist_reader r)
{
	bool large = r.count >= ROW_LARGE;

	while (!large && hist_reader_next(&r))
		large = r.value >= ROW_LARGE;
	return large;
}

/* The columns from `n` to `counts`. */
static void put_hist(struct bytes *out, const struct row *r)
{
	struct hist_reader h = { .count = 0 };
	int err = r->slice ? hist_reader_open(&h, r->slice->ruler, r->slice->hist, r->slice->hist_len) : 0;

	if (err && !out->err)
		out->err = err;
	bytes_put_int(out, r->slice ? h.count : r->n, 8);
	bytes_put_int(out, r->slice ? h.sum : r->total, 8);
	bytes_put_int(out, h.count ? h.min : ~0ull, 8);
	bytes_put_int(out, h.count ? h.max : 0, 8);
	bytes_put_int(out, r->slice && is_large(h), 1);
	bytes_put_int(out, 0, 2);		/* two empty arrays: `data` has the histogram, since version 4 */
}

static void put_runs(struct bytes *out, const struct row *r)
{
	const __s64 ends[] = { r->first, r->last };

	for (int i = 0; i < 2; i++) {
		bytes_put_varint(out, r->kind == ROW_COVER);
		if (r->kind == ROW_COVER)
			bytes_put_int(out, (__u64)ends[i], 8);
	}
}

void row_put(struct bytes *out, const struct row *r)
{
	static const struct slice none = { .ruler = 0 };
	const struct slice *s = r->slice ? r->slice : &none;

	bytes_put_int(out, (__u64)row_period(r->slot_ns, r->kind, r->slot), 8);
	bytes_put_int(out, row_day(r->slot_ns, r->slot), 2);
	bytes_put_int(out, r->inst, 8);
	bytes_put_int(out, r->life, 4);
	bytes_put_int(out, r->kind, 1);
	bytes_put_int(out, s->axis, 1);
	bytes_put_int(out, s->weight, 1);
	bytes_put_int(out, s->ruler, 8);
	row_put_text(out, s->key.bytes, s->key.len);
	bytes_put_int(out, (__u64)r->slot, 8);
	row_put_text(out, r->source, strlen(r->source));
	bytes_put_int(out, r->incarnation, 8);
	bytes_put_int(out, (__u64)r->batch_slot, 8);
	bytes_put_int(out, r->seq, 4);
	bytes_put_int(out, r->part, 4);
	bytes_put_int(out, r->version, 8);
	bytes_put_int(out, (__u64)r->first, 8);
	bytes_put_int(out, (__u64)r->last, 8);
	put_hist(out, r);
	put_runs(out, r);
	row_put_text(out, r->slice ? r->slice->hist : r->data, r->slice ? r->slice->hist_len : r->len);
}

/* --- reading --- */

struct row_text row_get_text(struct cursor *c)
{
	__u64 len = cursor_get_varint(c);
	struct row_text t = { cursor_get(c, len), len };

	if (!t.data)
		t = (struct row_text){ (const __u8 *)"", 0 };
	return t;
}

size_t row_get_array(struct cursor *c, size_t size, const __u8 **ret_data)
{
	__u64 n = cursor_get_varint(c);

	if (n > (c->len - c->at) / size) {	/* also a length that is no length */
		c->err = -EBADMSG;
		n = 0;
	}
	*ret_data = cursor_get(c, n * size);
	return n;
}

struct row_slice row_get_slice(struct cursor *c)
{
	struct row_slice r = { .slot = (__s64)cursor_get_int(c, 8) };
	struct row_text key;

	r.slice.axis = (__u16)cursor_get_int(c, 1);
	r.slice.weight = (__u16)cursor_get_int(c, 1);
	r.slice.ruler = cursor_get_int(c, 8);
	key = row_get_text(c);
	if (key.len > KEY_BYTES_MAX)
		c->err = -EBADMSG;
	r.slice.key = (struct labels){ key.data, (__u16)key.len };
	r.n = cursor_get_int(c, 8);
	r.total = cursor_get_int(c, 8);
	r.low = cursor_get_int(c, 8);
	r.high = cursor_get_int(c, 8);
	r.n_buckets = row_get_array(c, 2, &r.bucket);
	r.n_counts = row_get_array(c, 8, &r.count);
	r.data = row_get_text(c);
	return r;
}

static void put_sparse(const struct row_slice *r, struct bytes *out)
{
	struct cursor buckets = { .data = r->bucket, .len = 2 * r->n_buckets }, counts = { .data = r->count, .len = 8 * r->n_counts };
	__u64 next = 0;

	bytes_put_varint(out, r->n);
	bytes_put_varint(out, r->total);
	bytes_put_varint(out, r->n ? r->low : 0);
	bytes_put_varint(out, r->n ? r->high : 0);
	bytes_put_varint(out, r->n_buckets);
	for (size_t i = 0; i < r->n_buckets; i++) {
		__u64 bucket = cursor_get_int(&buckets, 2);

		if (bucket < next && !out->err)
			out->err = -EBADMSG;
		bytes_put_varint(out, bucket - next);
		bytes_put_varint(out, cursor_get_int(&counts, 8));
		next = bucket + 1;
	}
}

int row_slice_encode(const struct row_slice *r, struct bytes *out)
{
	size_t was = out->len;
	int err = r->n_buckets == r->n_counts && r->slice.axis < MEASURES_MAX && r->slice.weight <= MEASURES_MAX &&
		  labels_count(&r->slice.key) >= 0 ? 0 : -EBADMSG;

	if (err)
		return err;
	if (r->data.len)
		bytes_put(out, r->data.data, r->data.len);
	else
		put_sparse(r, out);
	err = out->err ? out->err : hist_check(r->slice.ruler, out->data + was, out->len - was);
	if (err) {
		out->len = was;
		out->err = err == -EBADMSG ? 0 : out->err;
	}
	return err;
}
