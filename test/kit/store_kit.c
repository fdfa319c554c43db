#include "test/kit/store_kit.h"
#include "test/kit/check.h"

#include <stdio.h>

static const __u64 rulers[] = { RULER(UNIT_NS, 5, 10, 39), RULER(UNIT_NS, 3, 10, 39), RULER(UNIT_BYTES, 0, 4, 30) };

/* --- batches --- */

static void make_hist(struct slice *s, int n_values)
{
	struct bytes out = { 0 };
	struct hist h;

	assert_int_equal(hist_init(&h, s->ruler), 0);
	for (int i = 0; i < n_values; i++)
		hist_record(&h, check_value(), s->weight ? check_below(1000) : 1);
	hist_encode(&h, &out);
	hist_fini(&h);
	s->hist = out.data;
	s->hist_len = (__u32)out.len;
}

static void make_key(struct slice *s, const char *label)
{
	struct bytes out = { 0 };

	labels_put(&out, label);
	s->key = (struct labels){ out.data, (__u16)out.len };
}

static void make_slice(struct slice *s, const struct kit_shape *shape)
{
	char label[32];
	__u64 key = check_below((uint64_t)shape->n_keys);

	snprintf(label, sizeof(label), "key %llu", (unsigned long long)key);
	make_key(s, key ? label : NULL);
	s->axis = (__u16)check_below((uint64_t)shape->n_axes);
	s->weight = (__u16)(check_below(3) ? 0 : 1 + check_below((uint64_t)shape->n_axes));
	s->ruler = rulers[check_below(8) ? 0 : check_below(3)];
	make_hist(s, (int)check_below(20) + 1);
}

static void make_loss(struct batch *b, const struct kit_shape *shape, __u64 n_slots)
{
	__s64 first = shape->first + (__s64)check_below(n_slots);

	b->loss = (struct loss){ 1 + check_below(9), check_value(), first, first + (__s64)check_below(5) };
	b->clock_step_ns = (__s64)check_random() >> 20;
	b->every = check_below(3) ? 0 : 2 + (__u32)check_below(63);
}

static void make_batch(struct batch *b, const struct kit_shape *shape, __u32 seq)
{
	__u64 n_slots = (__u64)(shape->last - shape->first) + 1;

	memset(b, 0, sizeof(*b));
	snprintf(b->source, sizeof(b->source), "host %d", (int)check_below((uint64_t)shape->n_sources));
	b->incarnation = 0xfedcba9876543210ull + check_below(2);
	b->inst = KIT_INST;
	b->slot_ns = 1000000000;
	b->slot = shape->first + (__s64)check_below(n_slots);
	b->seq = seq;
	b->run = 1;
	b->n_slices = check_below(4) ? check_below((uint64_t)shape->n_slices + 1) : 0;
	b->slice = calloc(b->n_slices + 1, sizeof(*b->slice));
	assert_non_null(b->slice);
	for (size_t i = 0; i < b->n_slices; i++)
		make_slice(&b->slice[i], shape);
	if (!b->n_slices)		/* 0: its own slot all the same */
		b->run = (__u32)check_below(2 + (uint64_t)(shape->last - b->slot));
	if (shape->losses && !check_below((uint64_t)shape->losses))
		make_loss(b, shape, n_slots);
}

struct batch *kit_batches(const struct kit_shape *shape, size_t n)
{
	struct batch *batch = calloc(n, sizeof(*batch));

	assert_non_null(batch);
	for (size_t i = 0; i < n; i++)
		make_batch(&batch[i], shape, (__u32)i);
	return batch;
}

void kit_free(struct batch *batch, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < batch[i].n_slices; j++) {
			free((void *)batch[i].slice[j].hist);
			free((void *)batch[i].slice[j].key.bytes);
		}
		batch_fini(&batch[i]);
	}
	free(batch);
}

void kit_shuffle(struct batch *batch, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = check_below(i);
		struct batch other = batch[i - 1];

		batch[i - 1] = batch[j];
		batch[j] = other;
	}
}

struct batch *kit_batch(const char *source, __s64 slot, __u32 seq, const char *key, __u64 value, __u64 n)
{
	struct batch *b = calloc(1, sizeof(*b));
	struct bytes out = { 0 };
	struct hist h;

	assert_non_null(b);
	*b = (struct batch){ .inst = KIT_INST, .slot_ns = 1000000000, .slot = slot, .seq = seq, .run = 1, .n_slices = 1 };
	snprintf(b->source, sizeof(b->source), "%s", source);
	b->slice = calloc(1, sizeof(*b->slice));
	assert_non_null(b->slice);
	make_key(b->slice, key);
	b->slice->ruler = rulers[0];
	assert_int_equal(hist_init(&h, rulers[0]), 0);
	for (__u64 i = 0; i < n; i++)
		hist_record(&h, value, 1);
	hist_encode(&h, &out);
	hist_fini(&h);
	b->slice->hist = out.data;
	b->slice->hist_len = (__u32)out.len;
	return b;
}

/* --- gathering --- */

struct piece {
	__s64 slot;
	struct slice slice;		/* our own memory */
};

struct cover {
	char source[SOURCE_MAX];
	__s64 first, last;
};

struct lost {
	char source[SOURCE_MAX];
	struct loss loss;
};

struct gathered {
	__s64 first, last;
	int axis, weight;
	__s64 per;			/* slots of tier 0 in one */
	__s64 group;			/* slots of tier 0 that may come as one */
	bool whole, was_dropped;
	__u64 n_sparse;
	__s64 dropped_first, dropped_last;
	struct store_reader reader;
	size_t n_pieces, n_covers, n_lost, n_marks;
	struct piece *piece;
	struct cover *cover;
	struct lost *lost;
	struct mark *mark;
};

/* Makes room for one element more: the room doubles where n is a power of two. */
static void *grown(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	array = realloc(array, (n ? 2 * n : 1) * size);
	assert_non_null(array);
	return array;
}

/* The next element of an array; n is counted up. */
#define APPEND(array, n) ((array) = grown((array), (n), sizeof(*(array))), &(array)[(n)++])

static void *copy_of(const void *data, size_t len)
{
	void *copy = malloc(len + 1);

	assert_non_null(copy);
	if (len)
		memcpy(copy, data, len);
	return copy;
}

static void take_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct gathered *g = arg;
	struct piece *p = APPEND(g->piece, g->n_pieces);

	*p = (struct piece){ tier_down(slot, g->group), *s };
	if (g->whole)
		p->slice.key.len = 0;
	p->slice.key.bytes = copy_of(s->key.bytes, p->slice.key.len);
	p->slice.hist = copy_of(s->hist, s->hist_len);
}

static void take_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct gathered *g = arg;
	struct cover *c = APPEND(g->cover, g->n_covers);

	*c = (struct cover){ .first = first, .last = last };
	snprintf(c->source, sizeof(c->source), "%s", source);
}

static void take_loss(void *arg, const char *source, const struct loss *loss)
{
	struct gathered *g = arg;
	struct lost *l = APPEND(g->lost, g->n_lost);

	*l = (struct lost){ .loss = *loss };
	snprintf(l->source, sizeof(l->source), "%s", source);
}

static void take_mark(void *arg, const struct mark *mark)
{
	struct gathered *g = arg;

	*APPEND(g->mark, g->n_marks) = *mark;
}

static void take_sparse(void *arg, const char *source, __s64 first, __s64 last, __u64 n)
{
	struct gathered *g = arg;

	assert_true(n <= (__u64)(last - first) + 1);
	g->n_sparse += n;
}

static void take_dropped(void *arg, __s64 first, __s64 last)
{
	struct gathered *g = arg;

	assert_false(g->was_dropped);
	g->was_dropped = true;
	g->dropped_first = first;
	g->dropped_last = last;
}

struct gathered *gathered_range(const struct store_range *range)
{
	struct gathered *g = gathered_new(range->first, range->last, range->axis);

	g->per = tier_slots(1000000000, range->tier);
	g->first = tier_down(range->first, g->per);
	g->last = tier_down(range->last, g->per) + g->per - 1;
	g->weight = range->weight;
	g->whole = range->whole;
	g->group = g->per * (range->grain ? range->grain : 1);
	return g;
}

void gathered_only_slices(struct gathered *g)
{
	g->n_covers = g->n_lost = g->n_marks = 0;
}

__u64 gathered_sparse(const struct gathered *g)
{
	return g->n_sparse;
}

bool gathered_dropped(const struct gathered *g, __s64 *ret_first, __s64 *ret_last)
{
	*ret_first = g->dropped_first;
	*ret_last = g->dropped_last;
	return g->was_dropped;
}

struct gathered *gathered_new(__s64 first, __s64 last, int axis)
{
	struct gathered *g = calloc(1, sizeof(*g));

	assert_non_null(g);
	g->first = first;
	g->last = last;
	g->axis = axis;
	g->weight = -1;
	g->per = g->group = 1;
	g->reader = (struct store_reader){ .arg = g, .slice = take_slice, .cover = take_cover, .loss = take_loss,
					   .mark = take_mark, .sparse = take_sparse, .dropped = take_dropped };
	return g;
}

void gathered_free(struct gathered *g)
{
	for (size_t i = 0; i < g->n_pieces; i++) {
		free((void *)g->piece[i].slice.key.bytes);
		free((void *)g->piece[i].slice.hist);
	}
	free(g->piece);
	free(g->cover);
	free(g->lost);
	free(g->mark);
	free(g);
}

const struct store_reader *gathered_reader(struct gathered *g)
{
	return &g->reader;
}

void gather_batch(struct gathered *g, const struct batch *b)
{
	__s64 first = b->slot, last = b->run > 1 ? b->slot + b->run - 1 : b->slot;
	bool within = b->slot >= g->first && b->slot <= g->last;
	struct mark mark[BATCH_MARKS_MAX];
	size_t n;

	for (size_t i = 0; within && i < b->n_slices; i++)
		if ((g->axis < 0 || b->slice[i].axis == g->axis) && (g->weight < 0 || b->slice[i].weight == g->weight))
			take_slice(g, tier_down(b->slot, g->per), &b->slice[i]);
	first = first < g->first ? g->first : first;
	last = last > g->last ? g->last : last;
	if (first <= last)
		take_cover(g, b->source, first, last);
	if (b->loss.n && b->loss.first <= g->last && b->loss.last >= g->first)
		take_loss(g, b->source, &b->loss);
	for (n = batch_marks(b, mark); n > 0 && within; n--)
		take_mark(g, &mark[n - 1]);
}

struct gathered *gathered_sum(const struct batch *batch, size_t n, __s64 first, __s64 last, int axis)
{
	struct gathered *g = gathered_new(first, last, axis);

	for (size_t i = 0; i < n; i++)
		gather_batch(g, &batch[i]);
	return g;
}

/* --- comparing --- */

static int piece_compare(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	int order = (x->slot > y->slot) - (x->slot < y->slot);

	if (!order)
		order = x->slice.axis - y->slice.axis;
	if (!order)
		order = x->slice.weight - y->slice.weight;
	if (!order)
		order = (x->slice.ruler > y->slice.ruler) - (x->slice.ruler < y->slice.ruler);
	return order ? order : labels_compare(&x->slice.key, &y->slice.key);
}

static int cover_compare(const void *a, const void *b)
{
	const struct cover *x = a, *y = b;
	int order = strcmp(x->source, y->source);

	return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int lost_compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct lost));
}

static int mark_compare(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* qsort() of nothing at all may still not be given NULL. */
static void sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (n)
		qsort(array, n, size, compare);
}

static void merge_covers(struct gathered *g)
{
	size_t n = 0;

	sort(g->cover, g->n_covers, sizeof(*g->cover), cover_compare);
	for (size_t i = 0; i < g->n_covers; i++) {
		struct cover *c = &g->cover[i], *to = n ? &g->cover[n - 1] : NULL;

		if (to && !strcmp(to->source, c->source) && c->first <= to->last + 1)
			to->last = c->last > to->last ? c->last : to->last;
		else
			g->cover[n++] = *c;
	}
	g->n_covers = n;
}

/* Pieces i..j-1 are of the same name. */
static size_t put_sum(struct gathered *g, size_t i, struct bytes *out)
{
	const struct piece *p = &g->piece[i];
	size_t j = i;
	struct hist h;

	assert_int_equal(hist_init(&h, p->slice.ruler), 0);
	for (; j < g->n_pieces && !piece_compare(p, &g->piece[j]); j++)
		assert_int_equal(hist_decode_add(&h, p->slice.ruler, g->piece[j].slice.hist, g->piece[j].slice.hist_len), 0);
	bytes_put_int(out, (__u64)p->slot, 8);
	bytes_put_int(out, p->slice.ruler, 8);
	bytes_put_int(out, p->slice.axis, 2);
	bytes_put_int(out, p->slice.weight, 2);
	bytes_put(out, p->slice.key.bytes, p->slice.key.len);
	hist_encode(&h, out);
	hist_fini(&h);
	return j;
}

void gathered_bytes(struct gathered *g, struct bytes *ret)
{
	sort(g->piece, g->n_pieces, sizeof(*g->piece), piece_compare);
	sort(g->lost, g->n_lost, sizeof(*g->lost), lost_compare);
	sort(g->mark, g->n_marks, sizeof(*g->mark), mark_compare);
	merge_covers(g);
	for (size_t i = 0; i < g->n_pieces;)
		i = put_sum(g, i, ret);
	bytes_put_int(ret, g->n_covers, 8);
	for (size_t i = 0; i < g->n_covers; i++) {
		bytes_put_text(ret, g->cover[i].source);
		bytes_put_int(ret, (__u64)g->cover[i].first, 8);
		bytes_put_int(ret, (__u64)g->cover[i].last, 8);
	}
	bytes_put(ret, g->lost, g->n_lost * sizeof(*g->lost));
	bytes_put(ret, g->mark, g->n_marks * sizeof(*g->mark));
	assert_int_equal(ret->err, 0);
}

__u64 gathered_events(const struct gathered *g)
{
	__u64 n = 0;

	for (size_t i = 0; i < g->n_pieces; i++) {
		struct hist_reader r;

		assert_int_equal(hist_reader_open(&r, g->piece[i].slice.ruler, g->piece[i].slice.hist,
						  g->piece[i].slice.hist_len), 0);
		n += r.count;
	}
	return n;
}

__u64 gathered_lost(const struct gathered *g)
{
	__u64 n = 0;

	for (size_t i = 0; i < g->n_lost; i++)
		n += g->lost[i].loss.n;
	return n;
}

__u64 gathered_covered(const struct gathered *g)
{
	__u64 n = 0;

	merge_covers((struct gathered *)g);
	for (size_t i = 0; i < g->n_covers; i++)
		n += (__u64)(g->cover[i].last - g->cover[i].first) + 1;
	return n;
}

size_t gathered_pieces(const struct gathered *g)
{
	return g->n_pieces;
}

void gathered_without_loss(struct gathered *g)
{
	g->n_lost = 0;
}

int kit_read_range(struct store *s, const struct store_range *range, struct gathered **ret)
{
	*ret = gathered_range(range);
	return s->ops->read(s, KIT_INST, range, gathered_reader(*ret));
}

int kit_read(struct store *s, __s64 first, __s64 last, int axis, struct gathered **ret)
{
	return kit_read_range(s, &(struct store_range){ .first = first, .last = last, .axis = axis, .weight = -1 }, ret);
}

bool kit_same(struct gathered *a, struct gathered *b)
{
	struct bytes x = { 0 }, y = { 0 };
	bool same;

	gathered_bytes(a, &x);
	gathered_bytes(b, &y);
	same = x.len == y.len && !memcmp(x.data, y.data, x.len);
	bytes_fini(&x);
	bytes_fini(&y);
	return same;
}

void kit_assert_same(struct gathered *a, struct gathered *b)
{
	struct bytes x = { 0 }, y = { 0 };

	gathered_bytes(a, &x);
	gathered_bytes(b, &y);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.data, y.data, x.len);
	bytes_fini(&x);
	bytes_fini(&y);
}

/* --- counting --- */

struct counted {
	bool whole;			/* all keys are one */
	size_t n;
	struct {
		struct slice name;
		__u8 key[KEY_BYTES_MAX];
		__u64 count;
	} of[64];
};

static void count_events(void *arg, const struct slice *s, __u64 n)
{
	struct counted *c = arg;
	const struct labels key = c->whole ? (struct labels){ .len = 0 } : s->key;
	size_t i = 0;

	while (i < c->n && (c->of[i].name.axis != s->axis || c->of[i].name.weight != s->weight || c->of[i].name.key.len != key.len ||
			    memcmp(c->of[i].key, key.bytes ? key.bytes : (const __u8 *)"", key.len)))
		i++;
	if (i == c->n) {
		assert_true(c->n++ < 64);
		c->of[i].name = *s;
		c->of[i].name.key.len = key.len;
		memcpy(c->of[i].key, key.bytes ? key.bytes : (const __u8 *)"", key.len);
		c->of[i].count = 0;
	}
	c->of[i].count += n;
}

static void count_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct hist_reader r;

	assert_int_equal(hist_reader_open(&r, s->ruler, s->hist, s->hist_len), 0);
	count_events(arg, s, r.count);
}

void kit_assert_counts(struct store *s, const struct store_range *range)
{
	struct counted slices = { .whole = range->whole };
	const struct store_reader by_slice = { .arg = &slices, .slice = count_slice };

	assert_int_equal(s->ops->read(s, KIT_INST, range, &by_slice), 0);
	for (int again = 0; again < 2; again++) {
		struct counted counts = { .whole = range->whole };
		const struct store_reader by_count = { .arg = &counts, .count = count_events };

		assert_int_equal(s->ops->read(s, KIT_INST, range, &by_count), 0);
		for (size_t i = 0; i < slices.n; i++) {
			slices.of[i].name.key.bytes = slices.of[i].key;
			count_events(&counts, &slices.of[i].name, 0 - slices.of[i].count);
		}
		for (size_t i = 0; i < counts.n; i++)
			assert_true(!counts.of[i].count);
	}
}
