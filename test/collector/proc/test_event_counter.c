#include "collector/proc/event_counter.h"
#include "test/kit/check.h"

#include <stdio.h>

#define SECOND 1000000000ll
#define T0 1700000000ll

static const struct field fields[] = {
	{ "thing", "thing", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "kind", "kind", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "used", "used", "percent", FIELD_NUMERIC, UNIT_PERCENT, 0, 10 },
	{ "size", "size", "size", FIELD_NUMERIC, UNIT_BYTES, 10, 40 },
};
static const struct metric things = { "test", "things", "things", "things", fields, 5, SCOPE_POINT, NULL, NULL, NULL };
static const struct probe_conf conf = { .source = "here", .incarnation = 7 };

struct caught {				/* the batches, decoded from their bytes */
	struct batch batch[64];
	struct bytes bytes[64];
	size_t n;
};

static void catch(void *arg, const struct batch *b)
{
	struct caught *c = arg;

	assert_true(c->n < 64);
	batch_encode(b, &c->bytes[c->n]);
	assert_int_equal(batch_decode(c->bytes[c->n].data, c->bytes[c->n].len, &c->batch[c->n]), 0);
	c->n++;
}

static void caught_fini(struct caught *c)
{
	for (size_t i = 0; i < c->n; i++) {
		batch_fini(&c->batch[i]);
		bytes_fini(&c->bytes[i]);
	}
	c->n = 0;
}

static void label(void *arg, unsigned field, __u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "%c%llu", field ? 'k' : 't', (unsigned long long)code);
}

static struct event_counter *event_counter_of(const char *decomposition, __u32 n_keys)
{
	static const struct event_counter_labels labels = { label, NULL };
	struct instrumentation in = { .id = 3, .module = "test", .stat = "things", .measure = { "size", "used" },
				      .n_measures = 2, .granularity_ns = SECOND, .slot_ns = SECOND, .ruler_bits = 5,
				      .n_keys = n_keys };
	char reason[REASON_MAX];
	struct event_counter *t;

	if (strchr(decomposition, 't'))
		strcpy(in.field[in.n_fields++], "thing");
	if (strchr(decomposition, 'k'))
		strcpy(in.field[in.n_fields++], "kind");
	assert_int_equal(instrumentation_bind(&in, &things, reason), 0);
	assert_int_equal(event_counter_new(&things, &in, &conf, T0, &labels, &t), 0);
	return t;
}

static struct event event(__u64 thing, __u64 kind, __u64 used, __u64 size)
{
	return (struct event){ .field = { thing, kind }, .measure = { used, size } };
}

static void key_of(const struct slice *s, char *out)
{
	char label[LABEL_MAX + 1];

	out[0] = 0;
	for (int i = 0; i < labels_count(&s->key); i++) {
		assert_int_equal(labels_text(&s->key, (unsigned)i, label), 0);
		strcat(out, i ? "/" : "");
		strcat(out, label);
	}
}

/* Checks count, sum, min and max of one axis of a key, and that its cells are those of the values. */
static void assert_slice(const struct batch *b, const char *key, __u16 axis, const __u64 *value, size_t n)
{
	for (size_t i = 0; i < b->n_slices; i++) {
		const struct slice *s = &b->slice[i];
		char text[KEY_BYTES_MAX];
		struct hist got, want;

		key_of(s, text);
		if (strcmp(text, key) || s->axis != axis || s->weight)
			continue;
		assert_int_equal(hist_init(&got, s->ruler), 0);
		assert_int_equal(hist_init(&want, s->ruler), 0);
		assert_int_equal(hist_decode_add(&got, s->ruler, s->hist, s->hist_len), 0);
		for (size_t j = 0; j < n; j++)
			hist_record(&want, value[j], 1);
		assert_int_equal(got.count, want.count);
		assert_int_equal(got.sum, want.sum);
		assert_int_equal(got.min, want.min);
		assert_int_equal(got.max, want.max);
		assert_memory_equal(got.cell, want.cell, ruler_cells(s->ruler) * sizeof(*got.cell));
		hist_fini(&got);
		hist_fini(&want);
		return;
	}
	fail_msg("no slice of \"%s\" and axis %u", key, axis);
}

TEST(a_batch_has_the_added_events)
{
	struct caught c = { 0 };
	const struct batch_sink sink = { catch, &c };
	struct event_counter *t = event_counter_of("tk", 8);
	const struct event e[] = { event(1, 2, 50, 4096), event(2, 2, 0, 9), event(1, 2, 70, 8192), event(1, 3, 5, 5) };

	for (size_t i = 0; i < 4; i++)
		assert_int_equal(event_counter_add(t, &e[i]), 0);
	assert_int_equal(event_counter_send(t, T0, &sink), 0);
	event_counter_clock_step(t, -1500000);
	event_counter_clock_step(t, -500000);
	assert_int_equal(event_counter_send_empty(t, T0 + 6, &sink), 0);
	assert_int_equal(event_counter_send_empty(t, T0 + 6, &sink), 0);	/* there is none */
	assert_int_equal(event_counter_next(t), T0 + 6);
	assert_int_equal(c.n, 2);		/* and not three */
	assert_string_equal(c.batch[0].source, "here");
	assert_int_equal(c.batch[0].incarnation, 7);
	assert_int_equal(c.batch[0].inst, 3);
	assert_int_equal(c.batch[0].slot, T0);
	assert_int_equal(c.batch[0].seq, 0);
	assert_int_equal(c.batch[0].run, 1);
	assert_int_equal(c.batch[0].n_slices, 6);
	assert_slice(&c.batch[0], "t1/k2", 0, (const __u64[]){ 4096, 8192 }, 2);	/* axis 0: size, as requested */
	assert_slice(&c.batch[0], "t1/k2", 1, (const __u64[]){ 50, 70 }, 2);
	assert_slice(&c.batch[0], "t2/k2", 1, (const __u64[]){ 0 }, 1);
	assert_slice(&c.batch[0], "t1/k3", 0, (const __u64[]){ 5 }, 1);
	assert_int_equal(c.batch[1].n_slices, 0);
	assert_int_equal(c.batch[1].run, 5);
	assert_int_equal(c.batch[1].seq, 1);
	assert_int_equal(c.batch[1].slot, T0 + 1);
	assert_int_equal(c.batch[1].clock_step_ns, -2000000);
	event_counter_add(t, &e[0]);
	assert_int_equal(event_counter_send(t, T0, &sink), 0);		/* an amendment */
	assert_int_equal(c.batch[2].clock_step_ns, 0);
	assert_int_equal(event_counter_next(t), T0 + 6);
	caught_fini(&c);
	event_counter_free(t);
}

/* With a metric of events: the weight is its first measure itself. */
TEST(weights_are_sums_along_the_first_measure)
{
	static const struct metric events = { "test", "things", "things", "things", fields, 5, SCOPE_INTERVAL, NULL, "size", NULL };
	static const struct event_counter_labels labels = { label, NULL };
	const struct event e[] = { event(1, 0, 50, 4096), event(1, 0, 50, 5), event(1, 0, 7, 100) };
	struct instrumentation in = { .id = 3, .module = "test", .stat = "things", .measure = { "used" }, .n_measures = 1,
				      .weight = { "used", "size" }, .n_weights = 2, .granularity_ns = SECOND, .slot_ns = SECOND,
				      .ruler_bits = 5, .n_keys = 4 };
	struct caught c = { 0 };
	const struct batch_sink sink = { catch, &c };
	char reason[REASON_MAX];
	struct event_counter *t;

	assert_int_equal(instrumentation_bind(&in, &events, reason), 0);
	assert_int_equal(event_counter_new(&events, &in, &conf, T0, &labels, &t), 0);
	assert_true(event_counter_wanted(t) == (WANTED_MEASURE(0) | WANTED_MEASURE(1)));
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(event_counter_add(t, &e[i]), 0);
	assert_int_equal(event_counter_send(t, T0, &sink), 0);
	assert_int_equal(c.batch[0].n_slices, 3);
	assert_slice(&c.batch[0], "", 0, (const __u64[]){ 50, 50, 7 }, 3);
	for (size_t i = 1; i < 3; i++) {
		const struct slice *s = &c.batch[0].slice[i];
		struct hist h;

		assert_true(!s->axis && s->weight == i && s->ruler == in.weight_ruler);
		assert_int_equal(hist_init(&h, s->ruler), 0);
		assert_int_equal(hist_decode_add(&h, s->ruler, s->hist, s->hist_len), 0);
		assert_true(h.count == 3 && h.sum == 107);
		assert_int_equal(hist_total(&h), i == 1 ? 107 : 4201);
		assert_int_equal(h.cell[ruler_cell(s->ruler, 50)], i == 1 ? 100 : 4101);
		hist_fini(&h);
	}
	caught_fini(&c);
	event_counter_free(t);
}

TEST(keys_beyond_the_cap_are_other)
{
	struct caught c = { 0 };
	const struct batch_sink sink = { catch, &c };
	struct event_counter *t = event_counter_of("t", 2);

	for (int slot = 0; slot < 3; slot++) {
		for (__u64 thing = 1; thing <= 4; thing++) {
			struct event e = event(thing, 0, thing, 1000 * thing);

			event_counter_add(t, &e);
		}
		event_counter_send(t, T0 + slot, &sink);
		assert_slice(&c.batch[slot], "t1", 1, (const __u64[]){ 1 }, 1);
		assert_slice(&c.batch[slot], "t2", 1, (const __u64[]){ 2 }, 1);
		assert_slice(&c.batch[slot], "other", 1, (const __u64[]){ 3, 4 }, 2);
	}
	caught_fini(&c);
	event_counter_free(t);
}

TEST(a_key_not_seen_for_long_is_forgotten)
{
	struct caught c = { 0 };
	const struct batch_sink sink = { catch, &c };
	struct event_counter *t = event_counter_of("t", 2);
	struct event one = event(1, 0, 1, 1), two = event(2, 0, 2, 2), three = event(3, 0, 3, 3);
	__s64 forget = EVENT_COUNTER_FORGET_NS / SECOND;

	event_counter_add(t, &one);
	event_counter_add(t, &two);
	event_counter_send(t, T0, &sink);
	event_counter_add(t, &two);
	event_counter_send(t, T0 + forget, &sink);	/* key 1 is still known */
	event_counter_add(t, &three);
	event_counter_send(t, T0 + forget + 1, &sink);	/* key 3 comes too early; then key 1 is forgotten */
	event_counter_add(t, &three);
	event_counter_add(t, &two);
	event_counter_send(t, T0 + forget + 2, &sink);
	assert_slice(&c.batch[2], "other", 1, (const __u64[]){ 3 }, 1);
	assert_slice(&c.batch[3], "t3", 1, (const __u64[]){ 3 }, 1);
	assert_slice(&c.batch[3], "t2", 1, (const __u64[]){ 2 }, 1);
	caught_fini(&c);
	event_counter_free(t);
}

TEST(without_fields_there_is_one_key)
{
	struct caught c = { 0 };
	const struct batch_sink sink = { catch, &c };
	struct event_counter *t = event_counter_of("", 1);

	for (__u64 i = 1; i <= 3; i++) {
		struct event e = event(i, i, i, i);

		event_counter_add(t, &e);
	}
	event_counter_send(t, T0, &sink);
	assert_int_equal(c.batch[0].n_slices, 2);
	assert_slice(&c.batch[0], "", 1, (const __u64[]){ 1, 2, 3 }, 3);
	caught_fini(&c);
	event_counter_free(t);
}

TEST(dropped_events_are_not_sent)
{
	struct caught c = { 0 };
	const struct batch_sink sink = { catch, &c };
	struct event_counter *t = event_counter_of("t", 4);
	struct event e = event(1, 0, 1, 1), later = event(1, 0, 9, 9);

	event_counter_add(t, &e);
	event_counter_drop(t);
	event_counter_add(t, &later);
	event_counter_send(t, T0, &sink);
	assert_slice(&c.batch[0], "t1", 1, (const __u64[]){ 9 }, 1);
	caught_fini(&c);
	event_counter_free(t);
}

/* Random events in random slots add up to one histogram of all of them. */
TEST(nothing_is_lost)
{
	struct caught c = { 0 };
	const struct batch_sink sink = { catch, &c };
	struct event_counter *t = event_counter_of("tk", 16);
	__u64 count = 0, sum = 0, want_sum = 0;

	for (int slot = 0; slot < 40; slot++) {
		for (int i = 0; i < 100; i++) {
			struct event e = event(check_below(6), check_below(6), 1, check_below(100000));

			want_sum += e.measure[1];
			assert_int_equal(event_counter_add(t, &e), 0);
		}
		event_counter_send(t, T0 + slot, &sink);
	}
	for (size_t i = 0; i < c.n; i++)
		for (size_t j = 0; j < c.batch[i].n_slices; j++) {
			struct hist_reader r;

			hist_reader_open(&r, c.batch[i].slice[j].ruler, c.batch[i].slice[j].hist, c.batch[i].slice[j].hist_len);
			count += c.batch[i].slice[j].axis == 0 ? r.count : 0;
			sum += c.batch[i].slice[j].axis == 0 ? r.sum : 0;
		}
	assert_int_equal(count, 4000);
	assert_int_equal(sum, want_sum);
	caught_fini(&c);
	event_counter_free(t);
}

TEST_MAIN()
