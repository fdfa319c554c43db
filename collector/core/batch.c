#include "collector/core/batch.h"

#include <errno.h>
#include <stdlib.h>

#define N_KEYS_MAX (1u << 20)
#define N_SLICES_MAX (1u << 22)

static __u64 zigzag(__s64 value)
{
	return (__u64)value << 1 ^ (__u64)(value >> 63);
}

static __s64 unzigzag(__u64 value)
{
	return (__s64)(value >> 1 ^ (0 - (value & 1)));
}

void batch_fini(struct batch *b)
{
	free(b->slice);
	b->slice = NULL;
	b->n_slices = 0;
}

size_t batch_marks(const struct batch *b, struct mark ret_mark[BATCH_MARKS_MAX])
{
	size_t n = 0;

	if (b->clock_step_ns)
		ret_mark[n++] = (struct mark){ MARK_CLOCK_STEP, b->slot, b->clock_step_ns };
	if (b->every)
		ret_mark[n++] = (struct mark){ MARK_SAMPLED, b->slot, b->every };
	return n;
}

/* --- writing --- */

static void put_head(const struct batch *b, struct bytes *out)
{
	bytes_put_text(out, b->source);
	bytes_put_int(out, b->incarnation, 8);
	bytes_put_int(out, b->inst, 8);
	bytes_put_varint(out, b->slot_ns);
	bytes_put_int(out, (__u64)b->slot, 8);
	bytes_put_varint(out, b->seq);
	bytes_put_varint(out, b->run);
	bytes_put_varint(out, zigzag(b->clock_step_ns));
	bytes_put_varint(out, b->loss.n);
	if (b->loss.n) {
		bytes_put_int(out, b->loss.sum, 8);
		bytes_put_int(out, (__u64)b->loss.first, 8);
		bytes_put_int(out, (__u64)b->loss.last, 8);
	}
}

/* Numbers the keys in order of first appearance.  Slices of one key usually follow each other, so
 * the search begins at the latest key. */
static size_t number_keys(const struct batch *b, __u32 *number, const struct labels **key)
{
	size_t n_keys = 0;

	for (size_t i = 0; i < b->n_slices; i++) {
		size_t at = n_keys;

		while (at && labels_compare(key[at - 1], &b->slice[i].key))
			at--;
		if (!at) {
			key[n_keys++] = &b->slice[i].key;
			at = n_keys;
		}
		number[i] = (__u32)at - 1;
	}
	return n_keys;
}

void batch_encode(const struct batch *b, struct bytes *out)
{
	const struct labels **key = calloc(b->n_slices + 1, sizeof(*key));
	__u32 *number = calloc(b->n_slices + 1, sizeof(*number));
	size_t n_keys;

	if (!key || !number) {
		out->err = -ENOMEM;
		goto out;
	}
	n_keys = number_keys(b, number, key);
	put_head(b, out);
	bytes_put_varint(out, n_keys);
	for (size_t i = 0; i < n_keys; i++) {
		bytes_put_varint(out, key[i]->len);
		bytes_put(out, key[i]->bytes, key[i]->len);
	}
	bytes_put_varint(out, b->n_slices);
	for (size_t i = 0; i < b->n_slices; i++) {
		const struct slice *s = &b->slice[i];

		bytes_put_varint(out, number[i]);
		bytes_put_int(out, s->ruler, 8);
		bytes_put_varint(out, s->axis);
		bytes_put_varint(out, s->weight);
		bytes_put_varint(out, s->hist_len);
		bytes_put(out, s->hist, s->hist_len);
	}
	if (b->every || b->exemplars_len)
		bytes_put_varint(out, b->every);
	bytes_put(out, b->exemplars, b->exemplars_len);
out:
	free(key);
	free(number);
}

/* --- reading --- */

static void get_head(struct cursor *c, struct batch *b)
{
	__u64 seq, run;

	cursor_get_text(c, b->source, sizeof(b->source));
	b->incarnation = cursor_get_int(c, 8);
	b->inst = cursor_get_int(c, 8);
	b->slot_ns = cursor_get_varint(c);
	b->slot = (__s64)cursor_get_int(c, 8);
	seq = cursor_get_varint(c);
	run = cursor_get_varint(c);
	b->clock_step_ns = unzigzag(cursor_get_varint(c));
	b->loss.n = cursor_get_varint(c);
	if (b->loss.n) {
		b->loss.sum = cursor_get_int(c, 8);
		b->loss.first = (__s64)cursor_get_int(c, 8);
		b->loss.last = (__s64)cursor_get_int(c, 8);
	}
	b->seq = (__u32)seq;
	b->run = (__u32)run;
	if (seq >> 32 || run >> 32 || !b->source[0] || !b->slot_ns || b->slot < 0 || b->loss.first > b->loss.last)
		c->err = -EBADMSG;
	/* slot numbers that overflow when they become a time, or when run is added */
	if (!c->err && ((unsigned __int128)(__u64)b->slot + run) * b->slot_ns >> 63)
		c->err = -EBADMSG;
}

/* Reads a count of elements of at least `size` bytes each, which must not need more bytes than are left. */
static size_t get_count(struct cursor *c, size_t size, size_t most)
{
	__u64 n = cursor_get_varint(c);

	if (!c->err && (n > most || n > (c->len - c->at) / size))
		c->err = -EBADMSG;
	return c->err ? 0 : (size_t)n;
}

static void get_key(struct cursor *c, struct labels *ret)
{
	__u64 len = cursor_get_varint(c);

	if (len > KEY_BYTES_MAX)
		c->err = -EBADMSG;
	ret->len = (__u16)len;
	ret->bytes = cursor_get(c, len);
	if (!c->err && labels_count(ret) < 0)
		c->err = -EBADMSG;
}

static void get_slice(struct cursor *c, const struct labels *key, size_t n_keys, struct slice *ret)
{
	__u64 number = cursor_get_varint(c), axis, weight, len;
	struct hist_reader r;

	ret->ruler = cursor_get_int(c, 8);
	axis = cursor_get_varint(c);
	weight = cursor_get_varint(c);
	len = cursor_get_varint(c);
	ret->hist = cursor_get(c, len);
	if (number >= n_keys || axis >= MEASURES_MAX || weight > MEASURES_MAX || len > ~(__u32)0)
		c->err = -EBADMSG;
	if (c->err)
		return;
	ret->key = key[number];
	ret->axis = (__u16)axis;
	ret->weight = (__u16)weight;
	ret->hist_len = (__u32)len;
	c->err = hist_reader_open(&r, ret->ruler, ret->hist, len);
	while (!c->err && hist_reader_next(&r))
		;
	if (!c->err)
		c->err = r.cursor.err;
	if (!c->err && r.cursor.at != len)
		c->err = -EBADMSG;
}

static void get_tail(struct cursor *c, struct batch *b)
{
	__u64 every = cursor_get_varint(c);
	size_t rest = c->len - c->at;

	if ((every < 2 && (every || !rest)) || every > ~(__u32)0)
		c->err = -EBADMSG;
	b->every = (__u32)every;
	if (c->err || !rest)
		return;
	b->exemplars_len = rest;
	b->exemplars = cursor_get(c, rest);
	c->err = exemplars_check(b->exemplars, rest, b->slot_ns);
}

int batch_decode(const __u8 *data, size_t len, struct batch *ret_batch)
{
	struct cursor c = { .data = data, .len = len };
	struct batch b = { 0 };
	struct labels *key;
	size_t n_keys;

	get_head(&c, &b);
	n_keys = get_count(&c, 1, N_KEYS_MAX);
	key = calloc(n_keys + 1, sizeof(*key));
	if (!key)
		return -ENOMEM;
	for (size_t i = 0; i < n_keys && !c.err; i++)
		get_key(&c, &key[i]);
	b.n_slices = get_count(&c, 17, N_SLICES_MAX);	/* number, ruler, axis, weight, length, 5 varints */
	b.slice = calloc(b.n_slices + 1, sizeof(*b.slice));
	if (!b.slice)
		c.err = -ENOMEM;
	for (size_t i = 0; i < b.n_slices && !c.err; i++)
		get_slice(&c, key, n_keys, &b.slice[i]);
	if (!c.err && c.at < len)
		get_tail(&c, &b);
	if (!c.err && c.at != len)
		c.err = -EBADMSG;
	free(key);
	if (c.err) {
		batch_fini(&b);
		return c.err;
	}
	*ret_batch = b;
	return 0;
}

int batch_decode_head(const __u8 *data, size_t len, struct batch *ret_batch)
{
	struct cursor c = { .data = data, .len = len };

	*ret_batch = (struct batch){ 0 };
	get_head(&c, ret_batch);
	return c.err;
}
