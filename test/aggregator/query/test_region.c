#include "test/kit/check.h"
#include "aggregator/query/region.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define SLOT 1000000000ll
#define USERS 4
#define DIGESTS 10
#define KEYS (USERS * DIGESTS)
#define SLOTS 60
#define SLOW_NS 10000000
#define MEASURES 3			/* latency, io, cputime */
#define RUNS 200
#define SEEDS 40

static struct instrumentation in = {
	.id = 1, .granularity_ns = SLOT, .slot_ns = SLOT, .n_fields = 2, .field = { "user", "digest" },
	.n_measures = MEASURES, .measure = { "latency", "io", "cputime" },
	.ruler = { RULER(UNIT_NS, 3, 10, 33), RULER(UNIT_NS, 3, 10, 33), RULER(UNIT_NS, 3, 10, 33) },
};
static const struct query query = { .inst = &in };

/* ---- a world ---- */

struct world {
	struct hist h[SLOTS][KEYS][MEASURES];	/* cell NULL: none */
};

enum cause { NOTHING, A_DIGEST, A_USER, A_PART };

static void world_free(struct world *w)
{
	for (size_t i = 0; i < SLOTS * KEYS; i++)
		for (size_t m = 0; m < MEASURES; m++)
			hist_fini(&w->h[i / KEYS][i % KEYS][m]);
	free(w);
}

static double uniform(void) { return ((double)(check_random() >> 11) + 0.5) / 9007199254740992.0; }

static void record(struct world *w, size_t slot, size_t key, __u64 latency, __u64 io, __u64 cpu, __u64 times)
{
	const __u64 value[MEASURES] = { latency, io, cpu };

	for (size_t m = 0; m < MEASURES; m++) {
		struct hist *h = &w->h[slot][key][m];

		if (!h->cell)
			assert_int_equal(hist_init(h, in.ruler[m]), 0);
		hist_record_times(h, value[m], times);
	}
}

/* The mix of keys and the share of slow events change from slot to slot, independently. */
static void mix(double share[KEYS])
{
	double sum = 0;

	for (size_t k = 0; k < KEYS; k++)
		sum += share[k] = exp(2 * uniform() - 1) / (double)(1 + k % DIGESTS);
	for (size_t k = 0; k < KEYS; k++)
		share[k] /= sum;
}

static size_t draw(const double share[KEYS])
{
	double x = uniform();
	size_t k = 0;

	while (k < KEYS - 1 && (x -= share[k]) > 0)
		k++;
	return k;
}

/* A tenth of the events of the cause (a digest or a user) is slow, of the others one in a hundred. */
static struct world *world_of(enum cause cause, size_t which, __u64 times)
{
	struct world *w = calloc(1, sizeof(*w));
	double share[KEYS];

	assert_non_null(w);
	for (size_t slot = 0; slot < SLOTS; slot++) {
		double rate = 0.002 + 0.02 * uniform(), effort = 0.5 + uniform();

		mix(share);
		for (size_t i = 0; i < 200; i++) {
			size_t key = draw(share);
			bool caused = (cause == A_DIGEST && key % DIGESTS == which) || (cause == A_USER && key / DIGESTS == which);
			bool slow = uniform() < (caused ? 0.1 : rate * (cause == A_PART ? 5 : 1));
			__u64 latency = slow ? SLOW_NS * (2 + check_below(8)) : 100000 + check_below(400000);
			__u64 io = cause == A_PART && slow ? latency - latency / 10 : (__u64)(20000 * effort * uniform());

			record(w, slot, key, latency, io, 20000 + check_below(40000), times);
		}
	}
	return w;
}

static void give(const struct store_reader *reader, const struct world *w, size_t at, __s64 first)
{
	size_t slot = at / (KEYS * MEASURES), k = at / MEASURES % KEYS, m = at % MEASURES;
	const struct hist *h = &w->h[slot][k][m];
	struct bytes key = { 0 }, cells = { 0 };
	char user[16], digest[16];
	struct slice s;

	if (!h->cell)
		return;
	snprintf(user, sizeof(user), "user%zu", k / DIGESTS);
	snprintf(digest, sizeof(digest), "digest%zu", k % DIGESTS);
	labels_put(&key, user);
	labels_put(&key, digest);
	hist_encode(h, &cells);
	s = (struct slice){ .ruler = h->ruler, .axis = (__u16)m, .key = { key.data, (__u16)key.len }, .hist = cells.data,
			    .hist_len = (__u32)cells.len };
	reader->slice(reader->arg, first + (__s64)slot, &s);
	bytes_fini(&key);
	bytes_fini(&cells);
}

static struct region *region_of(const struct region_query *q)
{
	struct region *r;

	assert_int_equal(region_new(q, &r), 0);
	return r;
}

static const struct region_query slow = { .query = &query, .time = { 1000, 1000 + SLOTS, 1 }, .min = SLOW_NS };

/* Gives all slices in steps: with 1 in their order, with another step in another order. */
static const struct region_findings *explain(struct region *r, const struct world *w, size_t step)
{
	const struct region_findings *f;
	size_t n = SLOTS * KEYS * MEASURES;

	for (size_t i = 0, at = 0; i < n; i++, at = (at + step) % n)
		give(region_reader(r), w, at, 1000);
	assert_int_equal(region_error(r), 0);
	assert_int_equal(region_contrast(r, &f), 0);
	return f;
}

static void check_finite(const struct finding *one)
{
	assert_true(isfinite(one->c.excess) && isfinite(one->c.dispersion) && isfinite(one->time_excess));
	assert_true(one->c.p >= 0 && one->c.p <= 1 && one->q >= 0 && one->q <= 1);
	assert_true(isfinite(one->c.mean.in) && isfinite(one->c.mean.out));
}

static void check_all_finite(const struct region_findings *f)
{
	for (size_t i = 0; i < f->n_values; i++)
		check_finite(&f->value[i]);
	for (size_t i = 0; i < f->n_measures; i++)
		check_finite(&f->measure[i]);
}

static size_t n_significant(const struct region_findings *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_values; i++)
		n += f->value[i].significant;
	for (size_t i = 0; i < f->n_measures; i++)
		n += f->measure[i].significant;
	return n;
}

/* ---- laws ---- */

TEST(without_a_planted_cause_none_is_found)
{
	static const __u64 times[] = { 1, 16 };		/* all events; one in 16, each standing for 16 */

	for (size_t t = 0; t < 2; t++) {
		int n_false = 0;

		for (int run = 0; run < RUNS; run++) {
			struct world *w = world_of(NOTHING, 0, times[t]);
			struct region *r = region_of(&slow);

			for (__s64 slot = 1000; slot < 1000 + SLOTS && t; slot++)
				region_reader(r)->mark(r, &(struct mark){ .kind = MARK_SAMPLED, .slot = slot, .value = times[t] });
			n_false += n_significant(explain(r, w, 1)) > 0;
			region_free(r);
			world_free(w);
		}
		print_message("# one in %llu: %d of %d runs called something\n", (unsigned long long)times[t], n_false, RUNS);
		assert_true(n_false <= RUNS / 20);
	}
}

static bool names_first(const struct region_findings *f, enum cause cause, size_t which)
{
	char name[16];

	if (cause == A_PART)
		return f->n_measures && f->measure[0].significant && f->measure[0].measure == 1;
	snprintf(name, sizeof(name), cause == A_USER ? "user%zu" : "digest%zu", which);
	return f->n_values && f->value[0].significant && !strcmp(f->value[0].value, name);
}

TEST(a_planted_cause_is_named_first)
{
	static const char *const name[] = { "nothing", "a digest", "a user", "a part" };

	for (enum cause cause = A_DIGEST; cause <= A_PART; cause++) {
		int n_named = 0;

		for (size_t seed = 0; seed < SEEDS; seed++) {
			size_t which = cause == A_DIGEST ? check_below(DIGESTS) : check_below(USERS);
			struct world *w = world_of(cause, which, 1);
			struct region *r = region_of(&slow);

			n_named += names_first(explain(r, w, 1), cause, which);
			region_free(r);
			world_free(w);
		}
		print_message("# %s: named first in %d of %d\n", name[cause], n_named, SEEDS);
		assert_true(n_named * 100 >= SEEDS * 95);
	}
}

TEST(the_order_of_slices_does_not_matter)
{
	struct world *w = world_of(A_DIGEST, 3, 1);
	struct region *r = region_of(&slow), *other = region_of(&slow);
	const struct region_findings *f = explain(r, w, 1), *g = explain(other, w, 997);

	assert_int_equal(f->n_values, g->n_values);
	assert_int_equal(f->n_measures, g->n_measures);
	for (size_t i = 0; i < f->n_values; i++) {
		assert_string_equal(f->value[i].value, g->value[i].value);
		assert_true(f->value[i].c.p == g->value[i].c.p && f->value[i].time == g->value[i].time);
	}
	for (size_t i = 0; i < f->n_measures; i++)
		assert_true(f->measure[i].c.p == g->measure[i].c.p && f->measure[i].c.excess == g->measure[i].c.excess);
	region_free(r);
	region_free(other);
	world_free(w);
}

TEST(counts_are_exact_and_excesses_cancel_out)
{
	struct world *w = world_of(A_USER, 1, 1);
	struct region *r = region_of(&slow);
	const struct region_findings *f = explain(r, w, 1);
	double in = 0, out = 0, excess = 0, time = 0, time_excess = 0;

	for (size_t i = 0; i < f->n_values; i++) {
		if (f->value[i].field)
			continue;
		in += f->value[i].c.sum.in;
		out += f->value[i].c.sum.out;
		excess += f->value[i].c.excess;
		time += f->value[i].time;
		time_excess += f->value[i].time_excess;
	}
	assert_true(in == f->events.in && out == f->events.out && in + out == SLOTS * 200);
	assert_true(fabs(excess) < 1e-6 && fabs(time - f->time.in) < 1 && fabs(time_excess) < 1);
	assert_int_equal(f->n_blocks, SLOTS);
	region_free(r);
	world_free(w);
}

/* ---- edges ---- */

TEST(buckets_are_whole_and_edges_are_reported)
{
	const struct region_query q = { .query = &query, .time = { 1000, 1001, 1 }, .min = 1050, .max = 2000 };
	struct region *r = region_of(&q);
	const struct region_findings *f;

	assert_int_equal(region_contrast(r, &f), 0);
	assert_int_equal(f->first, ruler_first(in.ruler[0], ruler_cell(in.ruler[0], 1050)));
	assert_int_equal(f->last, ruler_last(in.ruler[0], ruler_cell(in.ruler[0], 1999)));
	assert_true(f->first <= 1050 && f->last >= 1999);
	region_free(r);
}

TEST(a_slice_of_a_coarser_ruler_widens_the_edges)
{
	const struct region_query q = { .query = &query, .time = { 1000, 1001, 1 }, .min = 5000, .max = 6000 };
	struct region *r = region_of(&q);
	const struct region_findings *f;
	struct bytes key = { 0 }, cells = { 0 };
	struct hist h;
	struct slice s;

	assert_int_equal(hist_init(&h, ruler_coarser(in.ruler[0], 0)), 0);
	hist_record(&h, 7000, 1);
	hist_encode(&h, &cells);
	labels_put(&key, "user0");
	labels_put(&key, "digest0");
	s = (struct slice){ .ruler = h.ruler, .key = { key.data, (__u16)key.len }, .hist = cells.data, .hist_len = (__u32)cells.len };
	region_reader(r)->slice(r, 1000, &s);
	assert_int_equal(region_contrast(r, &f), 0);
	assert_int_equal(f->first, 4096);
	assert_int_equal(f->last, 8191);
	assert_true(f->events.in == 1);
	hist_fini(&h);
	bytes_fini(&key);
	bytes_fini(&cells);
	region_free(r);
}

TEST(odd_rectangles_have_no_findings_and_no_nonsense)
{
	static const struct { struct region_query q; double in; size_t n_tests; } cases[] = {
		{ { .query = &query, .time = { 1000, 1060, 1 }, .min = 1ull << 33 }, 0, SIZE_MAX },	/* empty */
		{ { .query = &query, .time = { 1000, 1060, 1 } }, SLOTS * 200, SIZE_MAX },		/* everything */
		{ { .query = &query, .time = { 960, 1020, 60 }, .min = SLOW_NS }, -1, 0 },		/* one block */
		{ { .query = &query, .time = { 1000, 1001, 1 }, .min = SLOW_NS }, -1, 0 },		/* one slot */
		{ { .query = &query, .time = { 5000, 5060, 1 }, .min = SLOW_NS }, 0, 0 },		/* no events */
	};
	struct world *w = world_of(NOTHING, 0, 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct region *r = region_of(&cases[i].q);
		const struct region_findings *f = explain(r, w, 1);

		check_all_finite(f);
		assert_int_equal(n_significant(f), 0);
		if (cases[i].in >= 0)
			assert_true(f->events.in == cases[i].in);
		if (cases[i].n_tests != SIZE_MAX)
			assert_int_equal(f->n_tests, cases[i].n_tests);
		region_free(r);
	}
	world_free(w);
}

TEST(one_key_has_no_values_to_compare)
{
	struct world *w = calloc(1, sizeof(*w));
	struct region *r = region_of(&slow);
	const struct region_findings *f;

	for (size_t slot = 0; slot < SLOTS; slot++)
		for (size_t i = 0; i < 50; i++)
			record(w, slot, 7, i ? 200000 : 2 * SLOW_NS, 1000, 1000, 1);
	f = explain(r, w, 1);
	assert_int_equal(f->n_values, 0);
	check_all_finite(f);
	assert_int_equal(n_significant(f), 0);
	region_free(r);
	world_free(w);
}

/* ---- a baseline ---- */

TEST(a_baseline_is_outside)
{
	const struct region_query q = { .query = &query, .time = { 1050, 1060, 1 }, .baseline = { 1000, 1050, 1 } };
	struct world *w = world_of(NOTHING, 0, 1);
	struct region *r = region_of(&q);
	const struct region_findings *f;

	for (size_t slot = 50; slot < SLOTS; slot++)		/* a new user came, who runs only one digest */
		record(w, slot, 3, 300000, 100, 20000, 400);
	f = explain(r, w, 1);
	assert_true(f->events.in == 10 * 600 && f->events.out == 50 * 200);
	assert_string_equal(f->value[0].value, "digest3");
	assert_true(f->value[0].significant);
	region_free(r);
	world_free(w);
}

/* Three slots alone show little of what chance does; the slots before them do. */
TEST(a_baseline_makes_a_short_time_significant)
{
	static const struct region_span before[] = { { 0, 0, 0 }, { 1000, 1050, 1 } };
	int n_named[2] = { 0, 0 };

	for (size_t seed = 0; seed < SEEDS; seed++) {
		size_t which = check_below(DIGESTS);
		struct world *w = world_of(NOTHING, 0, 1);

		for (size_t slot = 50; slot < 53; slot++)
			record(w, slot, which, 2 * SLOW_NS, 1000, 20000, 5 + check_below(10));
		for (size_t b = 0; b < 2; b++) {
			const struct region_query q = { .query = &query, .time = { 1050, 1053, 1 }, .baseline = before[b], .min = SLOW_NS };
			struct region *r = region_of(&q);

			n_named[b] += names_first(explain(r, w, 1), A_DIGEST, which);
			region_free(r);
		}
		world_free(w);
	}
	print_message("# named first in %d without, in %d with a baseline\n", n_named[0], n_named[1]);
	assert_true(n_named[1] > n_named[0] && n_named[1] * 4 >= SEEDS * 3);
}

/* Bytes and nanoseconds are not compared, even if one has many more. */
TEST(measures_of_another_unit_come_last)
{
	struct world *w = calloc(1, sizeof(*w));
	const __u64 ns = in.ruler[2];
	const struct region_findings *f;
	struct region *r;

	in.ruler[2] = RULER(UNIT_BYTES, 3, 10, 33);
	r = region_of(&slow);
	for (size_t slot = 0; slot < SLOTS; slot++)
		for (size_t key = 0; key < 20; key++) {
			record(w, slot, key, 200000, 1000, 1000, 20 + check_below(10));
			record(w, slot, key, 2 * SLOW_NS, key == 3 ? SLOW_NS : 1000, key == 3 ? 1ull << 31 : 1000, key == 3 ? 9 : 1);
		}
	f = explain(r, w, 1);
	assert_true(f->measure[0].significant && f->measure[0].measure == 1);
	assert_true(f->measure[1].measure == 2 && f->measure[1].significant && f->measure[1].c.excess > f->measure[0].c.excess);
	region_free(r);
	world_free(w);
	in.ruler[2] = ns;
}

TEST(a_selection_leaves_the_rest_out)
{
	static const char *const select[] = { "user1/digest0", "user1/digest1" };
	const struct query chosen = { .inst = &in, .select = select, .n_select = 2 };
	const struct region_query q = { .query = &chosen, .time = { 1000, 1060, 1 }, .min = SLOW_NS };
	struct world *w = world_of(NOTHING, 0, 1);
	struct region *r = region_of(&q);
	const struct region_findings *f = explain(r, w, 1);

	assert_int_equal(f->n_values, 2);		/* two digests; there is one user */
	assert_true(f->events.in + f->events.out < SLOTS * 100);
	region_free(r);
	world_free(w);
}

TEST(too_many_keys_and_bad_queries_are_refused)
{
	static const struct region_query bad[] = {
		{ .query = &query, .time = { 1000, 1000, 1 } }, { .query = &query, .time = { 1000, 1001, 0 } },
		{ .query = &query, .time = { 1000, 1001, 1 }, .min = 5, .max = 5 },
	};
	struct region *r;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(region_new(&bad[i], &r), -EINVAL);
	r = region_of(&slow);
	for (int i = 0; i <= REGION_KEYS_MAX; i++) {
		struct bytes key = { 0 };
		struct slice s = { .ruler = in.ruler[0], .hist = (const __u8 *)"\0\0\0\0\0", .hist_len = 5 };
		char text[16];

		snprintf(text, sizeof(text), "%d", i);
		labels_put(&key, text);
		labels_put(&key, "x");
		s.key = (struct labels){ key.data, (__u16)key.len };
		region_reader(r)->slice(r, 1000, &s);
		bytes_fini(&key);
	}
	assert_int_equal(region_error(r), -E2BIG);
	region_free(r);
}

TEST_MAIN()
