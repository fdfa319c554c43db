#include "collector/ring/exemplar_row.h"
#include "test/kit/exemplar_kit.h"

#include <errno.h>

#define N_CPUS 3
#define SLOT_NS 1000000000ull
#define BEGIN_NS (1700000000 * SLOT_NS)

/* ---- one box ---- */

TEST(decades_are_powers_of_ten)
{
	static const struct { __u64 value; __u32 decade; } row[] = {
		{ 0, 0 }, { 9999, 0 }, { 10000, 1 }, { 99999, 1 }, { 100000, 2 }, { 1000000, 3 }, { 9999999, 3 }, { 10000000, 4 },
		{ 100000000, 5 }, { 1000000000, 6 }, { 9999999999, 6 }, { 10000000000, 7 }, { ~0ull, 7 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		assert_int_equal(exemplar_decade(row[i].value), row[i].decade);
}

static int by_falling(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

TEST(a_box_holds_the_worst_in_any_order)
{
	for (int round = 0; round < 300; round++) {
		__u32 n = 1 + (__u32)check_below(EXEMPLARS_MAX), m = (__u32)check_below(400);
		struct exemplar_box box = { 0 };
		__u64 value[400];

		for (__u32 i = 0; i < m; i++) {
			int place;

			value[i] = check_below(4) ? check_value() : check_below(5);	/* equal values are frequent */
			place = exemplar_place(&box, n, value[i]);
			assert_true(place < (int)n);
			if (place >= 0)
				exemplar_settle(&box, (__u32)place, value[i]);
		}
		qsort(value, m, sizeof(*value), by_falling);
		qsort(box.worst, box.n, sizeof(*box.worst), by_falling);
		assert_int_equal(box.n, m < n ? m : n);
		assert_memory_equal(box.worst, value, box.n * sizeof(*value));
	}
}

/* Each of ten events is drawn as often as any other: 10,000 draws, 1,000 +- 5 standard deviations. */
TEST(every_event_has_the_same_chance)
{
	int n[10] = { 0 };

	for (int round = 0; round < 10000; round++) {
		struct exemplar_box box = { 0 };
		int drawn = -1;

		for (int i = 0; i < 10; i++)
			if (exemplar_draw(&box, 2, exemplar_tag((__u32)check_random(), 1)))
				drawn = i;
		assert_true(drawn >= 0);
		n[drawn]++;
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(n[i], 850, 1150);
}

/* One event has weight nine, another weight one. */
TEST(a_weighted_event_is_drawn_as_often_as_its_weight)
{
	int n = 0;

	for (int round = 0; round < 10000; round++)
		n += exemplar_tag((__u32)check_random(), 9) > exemplar_tag((__u32)check_random(), 1);
	assert_in_range(n, 8800, 9650);		/* a little more than nine in ten: 17 in 18 */
}

/* ---- a row ---- */

struct bench {
	struct ring_plan plan;
	struct exemplar_box box[N_CPUS];
	struct exemplar exemplar[N_CPUS * (EXEMPLARS_MAX + EXEMPLAR_DECADES)];
	struct { __u64 value; __u32 tag; } all[1000];
	size_t n;
};

/* Does the same as record.bpf.c, with the same functions. */
static void offer(struct bench *b, __u32 cpu, __u64 value, __u32 tag)
{
	const struct exemplar e = { .weight = 1, .event = { .end_ns = BEGIN_NS + b->n, .field = { b->n }, .measure = { 7, value } } };
	__u32 at = ring_box(&b->plan, 0, cpu), first = ring_exemplar(&b->plan, at), decade = exemplar_decade(value);
	int place = exemplar_place(&b->box[at], b->plan.n_exemplars, value);

	if (place >= 0) {
		exemplar_settle(&b->box[at], (__u32)place, value);
		b->exemplar[first + (__u32)place] = e;
	}
	if (exemplar_draw(&b->box[at], decade, tag))
		b->exemplar[first + b->plan.n_exemplars + decade] = e;
	b->all[b->n].value = value;
	b->all[b->n++].tag = tag;
}

static void text(void *arg, unsigned field, __u64 code, char *out)
{
	snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
}

static const struct field fields[] = {
	{ "digest", "", "string", FIELD_DISCRETE, 0, 0, 0 }, { "hostname", "", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "other", "", "number", FIELD_NUMERIC, UNIT_NONE, 0, 20 }, { "latency", "", "time", FIELD_NUMERIC, UNIT_NS, 10, 39 },
};
static const struct metric metric = { "a", "b", "", "", fields, 4, SCOPE_INTERVAL, NULL, NULL, "digest" };

static void take(struct bench *b, struct bytes *out)
{
	const struct reader_labels labels = { text, NULL, &metric };
	const struct exemplar_row row = { &b->plan, b->box, b->exemplar, NULL, BEGIN_NS };

	assert_int_equal(exemplars_take(&row, &labels, out), 0);
}

static struct bench *bench_new(__u32 n_exemplars)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->plan = (struct ring_plan){ .n_exemplars = n_exemplars, .n_cpus = N_CPUS, .n_exemplar_fields = 1, .n_measures = 1, .measure = { 1 } };
	return b;
}

/* Counts the worse events; does its tag say the highest of its decade? */
static size_t n_worse(const struct bench *b, __u64 value)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->all[i].value > value;
	return n;
}

static int is_highest(const struct bench *b, size_t at)
{
	for (size_t i = 0; i < b->n; i++)
		if (exemplar_decade(b->all[i].value) == exemplar_decade(b->all[at].value) && b->all[i].tag > b->all[at].tag)
			return 0;
	return 1;
}

TEST(a_row_has_the_worst_and_the_draw_of_all_cpus)
{
	for (int round = 0; round < 200; round++) {
		struct bench *b = bench_new(1 + (__u32)check_below(20));
		size_t m = 1 + check_below(300), n_worst = 0, n_drawn = 0, n_decades = 0;
		struct bytes out = { 0 };
		struct exemplar_event t;
		struct exemplars e;

		for (size_t i = 0; i < m; i++)
			offer(b, (__u32)check_below(N_CPUS), check_value(), 1 + (__u32)check_below(1u << 30));
		take(b, &out);
		assert_int_equal(exemplars_check(out.data, out.len, SLOT_NS), 0);
		exemplars_open(&e, out.data, out.len);
		while (exemplars_next(&e, &t) > 0) {
			assert_int_equal(b->all[t.since_ns].value, t.measure[0]);	/* each event's own end */
			n_worst += t.why & EXEMPLAR_WORST;
			if (t.why & EXEMPLAR_WORST)
				assert_true(n_worse(b, t.measure[0]) < b->plan.n_exemplars);
			if (t.why & EXEMPLAR_DRAWN)
				assert_true(is_highest(b, t.since_ns) && ++n_drawn);
		}
		for (__u32 d = 0; d < EXEMPLAR_DECADES; d++) {
			size_t i = 0;

			while (i < m && exemplar_decade(b->all[i].value) != d)
				i++;
			n_decades += i < m;
		}
		assert_int_equal(n_worst, m < b->plan.n_exemplars ? m : b->plan.n_exemplars);
		assert_int_equal(n_drawn, n_decades);
		bytes_fini(&out);
		free(b);
	}
}

TEST(an_event_is_reported_once_with_its_names)
{
	struct bench *b = bench_new(5);
	struct bytes out = { 0 };
	struct exemplar_event t;
	struct exemplars e;

	offer(b, 1, 123456, 9);
	take(b, &out);
	assert_int_equal(exemplars_open(&e, out.data, out.len), 0);
	assert_true(e.n_fields == 1 && e.n_measures == 1 && e.n_left == 1 && !e.missed);
	assert_true(is_text(&e.field[0], "digest"));
	assert_true(is_text(&e.measure[0], "latency"));
	assert_int_equal(exemplars_next(&e, &t), 1);
	assert_int_equal(t.why, EXEMPLAR_WORST | EXEMPLAR_DRAWN);
	assert_true(t.tag == 9 && t.measure[0] == 123456);
	bytes_fini(&out);
	free(b);
}

TEST(an_exemplar_says_which_field_was_left_out)
{
	struct bench *b = bench_new(1);
	struct bytes out = { 0 };
	struct exemplar_event t;
	struct exemplars e;

	offer(b, 0, 5, 9);
	for (size_t i = 0; i < 2; i++)
		b->exemplar[i].shed = WANTED_FIELD(0);
	take(b, &out);
	exemplars_open(&e, out.data, out.len);
	assert_int_equal(exemplars_next(&e, &t), 1);
	assert_true(is_text(&t.field[0], KEY_SHED_LABEL));
	bytes_fini(&out);
	free(b);
}

/* A text with another name is an older one in that place, or belongs to another event. */
TEST(a_text_is_reported_only_with_its_own_event)
{
	for (int is_its = 0; is_its < 2; is_its++) {
		struct bench *b = bench_new(1);
		struct statement_text kept[2] = { { 0 },
						  { .name = 4, .as_sent = { .len = 10, .whole = 1, .text = "select 'x'" } } };
		const struct reader_labels labels = { text, NULL, &metric };
		const struct exemplar_row row = { &b->plan, b->box, b->exemplar, kept, BEGIN_NS };
		struct bytes out = { 0 };
		struct exemplar_event t;
		struct exemplars e;

		b->plan.n_cpus = 1;
		offer(b, 0, 5, 9);
		for (size_t i = 0; i < 2; i++)		/* the worst exemplar, and one of its decade */
			b->exemplar[i].event.verbatim = is_its ? 4 : 5;
		kept[0] = kept[1];
		assert_int_equal(exemplars_take(&row, &labels, &out), 0);
		exemplars_open(&e, out.data, out.len);
		assert_int_equal(exemplars_next(&e, &t), 1);
		assert_int_equal(t.text_len, is_its ? 10 : 0);
		if (is_its)
			assert_memory_equal(t.text, "select 'x'", 10);
		bytes_fini(&out);
		free(b);
	}
}

TEST(a_row_that_was_taken_is_empty)
{
	struct bench *b = bench_new(4);
	struct bytes out = { 0 };

	for (int i = 0; i < 50; i++)
		offer(b, (__u32)i % N_CPUS, check_value(), 1 + (__u32)i);
	take(b, &out);
	assert_true(out.len);
	bytes_clear(&out);
	take(b, &out);
	assert_int_equal(out.len, 0);
	bytes_fini(&out);
	free(b);
}

TEST(a_row_that_could_not_be_written_is_empty)
{
	struct bench *b = bench_new(4);
	const struct reader_labels labels = { text, NULL, &metric };
	const struct exemplar_row row = { &b->plan, b->box, b->exemplar, NULL, BEGIN_NS };
	struct bytes full = { .err = -ENOMEM }, out = { 0 };

	offer(b, 0, 5, 9);
	assert_int_equal(exemplars_take(&row, &labels, &full), -ENOMEM);
	take(b, &out);
	assert_int_equal(out.len, 0);
	free(b);
}

/* No event has a measure of scope point. */
TEST(a_point_is_not_reported)
{
	struct bench *b = bench_new(1);
	struct bytes out = { 0 };
	struct exemplar_event t;
	struct exemplars e;

	b->plan.n_measures = 2;
	b->plan.measure[1] = 0;
	b->plan.points = 1u << 1;
	offer(b, 0, 123456, 9);
	take(b, &out);
	assert_int_equal(exemplars_open(&e, out.data, out.len), 0);
	assert_true(e.n_measures == 1 && is_text(&e.measure[0], "latency"));
	assert_true(exemplars_next(&e, &t) == 1 && t.measure[0] == 123456);
	assert_int_equal(exemplars_check(out.data, out.len, SLOT_NS), 0);
	bytes_fini(&out);
	free(b);
}

TEST(those_missed_are_counted)
{
	struct bytes out = { 0 };
	struct exemplars e;

	exemplars_miss(300, &out);
	assert_int_equal(exemplars_check(out.data, out.len, SLOT_NS), 0);
	exemplars_open(&e, out.data, out.len);
	assert_true(e.missed == 300 && !e.n_left);
	bytes_fini(&out);
}

TEST_MAIN()
