#include "test/kit/check.h"
#include "aggregator/query/active.h"

#include <errno.h>

#define SECOND	1000000000ll
#define T0	1700000040ll /* s; a whole minute */
#define N_PARTS 2
#define EVENTS	4000
#define SPAN_S	1200 /* events end in so many seconds */

static struct instrumentation in = {
	.id = 1,
	.granularity_ns = SECOND,
	.slot_ns = SECOND,
	.n_fields = 1,
	.field = {"statement"},
	.n_measures = 2,
	.measure = {"latency", "age"},
	.ruler = {RULER(UNIT_NS, 5, 10, 39), RULER(UNIT_NS, 5, 10, 39)},
	.n_weights = 1 + N_PARTS,
	.weight = {"latency", "cputime", "futex"},
	.weight_ruler = RULER(UNIT_NS, 3, 10, 39),
};

struct event {
	__s64 end_ns; /* relative to T0 */
	__u64 latency, part[N_PARTS];
};

/* ---- giving ---- */

static __u64 weight_of(const struct event *e, size_t weight)
{
	return weight ? e->part[weight - 1] : e->latency;
}

static void give_hist(struct active *a, __s64 slot, int axis, size_t weight, const struct hist *h, const char *key)
{
	struct bytes bytes = {0}, labels = {0};
	struct slice s = {.ruler = h->ruler, .axis = (__u16)axis, .weight = (__u16)weight};

	hist_encode(h, &bytes);
	labels_put(&labels, key);
	s.key = (struct labels){labels.data, (__u16)labels.len};
	s.hist = bytes.data;
	s.hist_len = (__u32)bytes.len;
	active_reader(a)->slice(a, slot, &s);
	assert_int_equal(active_error(a), 0);
	bytes_fini(&labels);
	bytes_fini(&bytes);
}

/* Gives the events that ended within seconds from..from+n-1 after T0, as one slot; weights up to n_weights. */
static void give_slot(struct active *a, const struct event *e, size_t n_events, __s64 from, __s64 n, size_t n_weights,
		      const char *key)
{
	for (size_t weight = 0; weight <= n_weights; weight++) {
		struct hist h;
		bool any = false;

		assert_int_equal(hist_init(&h, weight ? in.weight_ruler : in.ruler[0]), 0);
		for (size_t i = 0; i < n_events; i++) {
			if (e[i].end_ns < from * SECOND || e[i].end_ns >= (from + n) * SECOND)
				continue;
			any = true;
			if (weight)
				hist_weigh(&h, e[i].latency, 1, weight_of(&e[i], weight - 1));
			else
				hist_record(&h, e[i].latency, 1);
		}
		if (any)
			give_hist(a, T0 + from, 0, weight, &h, key);
		hist_fini(&h);
	}
}

static void give_running(struct active *a, __s64 second, __u64 age, __u64 n)
{
	struct hist h;

	assert_int_equal(hist_init(&h, in.ruler[1]), 0);
	hist_record_times(&h, age, n);
	give_hist(a, T0 + second, 1, 0, &h, "update");
	hist_fini(&h);
}

static void give_cover(struct active *a, const char *source, __s64 first, __s64 last)
{
	active_reader(a)->cover(a, source, T0 + first, T0 + last);
	assert_int_equal(active_error(a), 0);
}

/* ---- reading ---- */

/* Makes one for the seconds from..to after T0, read up to second `last`. */
static struct active *active_of(__s64 from, __s64 to, __s64 column_s, __s64 last, int running_axis)
{
	const struct query q = {.inst = &in,
				.from_ns = (T0 + from) * SECOND,
				.to_ns = (T0 + to) * SECOND,
				.n_cols = (size_t)((to - from) / column_s)};
	struct active *a;

	assert_int_equal(active_new(&q, T0 + last, running_axis, &a), 0);
	return a;
}

static struct grid *grid_of(struct active *a, __s64 from, __s64 to, __s64 column_s)
{
	struct grid *cover = grid_new((size_t)((to - from) / column_s), 1), *g;

	assert_non_null(cover);
	cover->from_ns = (T0 + from) * SECOND;
	cover->col_ns = (__u64)(column_s * SECOND);
	cover->slot_ns = SECOND;
	assert_int_equal(active_grid(a, cover, &g), 0);
	grid_free(cover);
	return g;
}

static __u64 cell(const struct grid *g, const char *name, size_t col)
{
	for (size_t row = 0; row < g->n_rows; row++)
		if (!strcmp(g->row_name[row], name))
			return g->cell[row * g->n_cols + col];
	fail_msg("no row %s", name);
	return 0;
}

static __u64 row_sum(const struct grid *g, const char *name)
{
	__u64 sum = 0;

	for (size_t col = 0; col < g->n_cols; col++)
		sum += cell(g, name, col);
	return sum;
}

static double load(const struct grid *g, size_t col)
{
	return (double)g->column[col].sum / (double)g->col_ns;
}

/* ---- random events ---- */

static void random_events(struct event *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		e[i].end_ns = (__s64)check_below(SPAN_S * SECOND);
		e[i].latency = check_random() >> (25 + check_below(30)); /* up to 550 s */
		e[i].part[0] = check_below(e[i].latency + 1);
		e[i].part[1] = check_below(e[i].latency - e[i].part[0] + 1);
	}
}

static void exact_sums(const struct event *e, size_t n, __u64 *ret_latency, __u64 ret_part[N_PARTS])
{
	*ret_latency = 0;
	memset(ret_part, 0, N_PARTS * sizeof(*ret_part));
	for (size_t i = 0; i < n; i++) {
		*ret_latency += e[i].latency;
		for (size_t part = 0; part < N_PARTS; part++)
			ret_part[part] += e[i].part[part];
	}
}

#define BEGIN (-600) /* no event began before it */

/* Gives the events in slots of slot_s seconds. */
static struct grid *spread(const struct event *e, __s64 slot_s, __s64 column_s, size_t n_weights)
{
	struct active *a = active_of(BEGIN, SPAN_S, column_s, SPAN_S - 1, -1);
	struct grid *g;

	active_width(a, slot_s);
	for (__s64 second = 0; second < SPAN_S; second += slot_s)
		give_slot(a, e, EVENTS, second, slot_s, n_weights, "select");
	g = grid_of(a, BEGIN, SPAN_S, column_s);
	active_free(a);
	return g;
}

static const __s64 columns_s[] = {1, 2, 5, 60};

TEST(all_columns_add_up_to_the_exact_sum_of_the_latencies)
{
	struct event *e = calloc(EVENTS, sizeof(*e));
	__u64 latency, part[N_PARTS];

	for (unsigned round = 0; round < 3; round++) {
		random_events(e, EVENTS);
		exact_sums(e, EVENTS, &latency, part);
		for (size_t i = 0; i < 4; i++)
			for (__s64 slot_s = 1; slot_s <= 60; slot_s *= 60) {
				struct grid *g = spread(e, slot_s, columns_s[i], 1 + N_PARTS);

				assert_int_equal(g->all.sum, latency);
				assert_int_equal(g->all.count, EVENTS);
				assert_int_equal(row_sum(g, "cputime"), part[0]);
				assert_int_equal(row_sum(g, "futex"), part[1]);
				assert_int_equal(row_sum(g, "rest"), latency - part[0] - part[1]);
				grid_free(g);
			}
	}
	free(e);
}

/* Events without weights: their time is estimated bucket by bucket, and all of it belongs to the rest. */
TEST(without_weights_the_sum_is_exact_too)
{
	struct event *e = calloc(EVENTS, sizeof(*e));
	__u64 latency, part[N_PARTS];
	struct grid *g;

	random_events(e, EVENTS);
	exact_sums(e, EVENTS, &latency, part);
	g = spread(e, 1, 5, 0);
	assert_int_equal(g->all.sum, latency);
	assert_int_equal(row_sum(g, "rest"), latency);
	grid_free(g);
	free(e);
}

TEST(long_columns_are_exactly_the_sums_of_short_ones)
{
	struct event *e = calloc(EVENTS, sizeof(*e));
	struct grid *fine;

	random_events(e, EVENTS);
	fine = spread(e, 1, 1, 1 + N_PARTS);
	for (size_t i = 1; i < 4; i++) {
		struct grid *g = spread(e, 1, columns_s[i], 1 + N_PARTS);

		for (size_t row = 0; row < g->n_rows; row++)
			for (size_t col = 0; col < g->n_cols; col++) {
				__u64 sum = 0;

				for (size_t j = 0; j < (size_t)columns_s[i]; j++)
					sum += fine->cell[row * fine->n_cols + col * (size_t)columns_s[i] + j];
				assert_int_equal(g->cell[row * g->n_cols + col], sum);
			}
		grid_free(g);
	}
	grid_free(fine);
	free(e);
}

static __s64 overlap(const struct event *e, __s64 from_ns, __s64 to_ns)
{
	__s64 begin = e->end_ns - (__s64)e->latency;

	from_ns = begin > from_ns ? begin : from_ns;
	to_ns = e->end_ns < to_ns ? e->end_ns : to_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* The error: on each side of an event one slot, and the width of its weight's bucket, an eighth. */
TEST(columns_are_true_but_for_a_slot_and_a_bucket)
{
	struct event *e = calloc(EVENTS, sizeof(*e));
	struct grid *g;
	double wrong = 0, allowed = 0;

	random_events(e, EVENTS);
	g = spread(e, 1, 1, 1 + N_PARTS);
	for (size_t col = 0; col < g->n_cols; col++) {
		__s64 from_ns = (BEGIN + (__s64)col) * SECOND, truth = 0;

		for (size_t i = 0; i < EVENTS; i++)
			truth += overlap(&e[i], from_ns, from_ns + SECOND);
		wrong += (double)llabs((long long)g->column[col].sum - truth);
	}
	for (size_t i = 0; i < EVENTS; i++) {
		double each = 2 * ((double)SECOND + (double)e[i].latency / 8);

		allowed += each < 2 * (double)e[i].latency ? each : 2 * (double)e[i].latency;
	}
	assert_true(wrong < allowed / 2);
	grid_free(g);
	free(e);
}

/* ---- the pile-up ---- */

/* n events ended in one second.  So many were under way in the seconds before; in the two seconds at the ends, of which
 * only the slot is known, half of them. */
TEST(a_pile_up_is_as_high_as_it_was_for_as_long_as_it_took)
{
	static const struct {
		size_t n;
		__s64 length_s, end;
	} cases[] = {{9, 30, 200}, {1, 1, 3}, {9, 27, 60}, {160, 2, 90}, {3, 400, 500}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e[160];
		struct active *a = active_of(0, 600, 1, 599, -1);
		struct grid *g;
		__s64 end = cases[i].end, begin = end - cases[i].length_s;

		for (size_t j = 0; j < cases[i].n; j++)
			e[j] = (struct event){end * SECOND + (__s64)j,
					      (__u64)(cases[i].length_s * SECOND),
					      {0, (__u64)(cases[i].length_s * SECOND)}};
		give_slot(a, e, cases[i].n, end, 1, 1 + N_PARTS, "update");
		g = grid_of(a, 0, 600, 1);
		for (__s64 col = 0; col < 600; col++) {
			double n = (double)cases[i].n, expected = col > begin && col < end     ? n
								  : col == begin || col == end ? n / 2
											       : 0;

			assert_true(load(g, (size_t)col) == expected);
			assert_int_equal(cell(g, "futex", (size_t)col), g->column[col].sum);
		}
		grid_free(g);
		active_free(a);
	}
}

TEST(time_before_the_range_is_left_out)
{
	struct event e[9];
	struct active *a = active_of(100, 150, 5, 149, -1);
	struct grid *g;

	for (size_t i = 0; i < 9; i++)
		e[i] = (struct event){120 * SECOND, 60 * SECOND, {0}};
	give_slot(a, e, 9, 120, 1, 1 + N_PARTS, "update");
	g = grid_of(a, 100, 150, 5);
	for (size_t col = 0; col < 4; col++)
		assert_true(load(g, col) == 9);
	assert_true(load(g, 4) == 0.9); /* half of the first of its five seconds */
	assert_int_equal(g->all.sum, 9 * 41 * SECOND / 2 + 0);
	grid_free(g);
	active_free(a);
}

TEST(events_that_ended_after_the_range_are_spread_into_it)
{
	struct event e[9];
	struct active *a = active_of(0, 100, 10, 400, -1);
	struct grid *g;

	for (size_t i = 0; i < 9; i++)
		e[i] = (struct event){350 * SECOND, 280 * SECOND, {0}};
	give_slot(a, e, 9, 350, 1, 1 + N_PARTS, "update");
	g = grid_of(a, 0, 100, 10);
	assert_true(load(g, 6) == 0);
	assert_true(load(g, 8) == 9);
	assert_true(load(g, 9) == 9);
	grid_free(g);
	active_free(a);
}

/* ---- what runs ---- */

TEST(running_events_count_from_their_start)
{
	struct active *a = active_of(0, 100, 1, 99, 1);
	struct grid *g;
	__s64 first, last;

	give_cover(a, "db", 0, 59);
	assert_true(active_running_slots(a, &first, &last));
	assert_int_equal(first, T0 + 59);
	assert_int_equal(last, T0 + 59);
	give_running(a, 58, 23 * SECOND, 9); /* another slot: the same queries, a second younger */
	give_running(a, 59, 24 * SECOND, 9);
	g = grid_of(a, 0, 100, 1);
	for (size_t col = 0; col < 100; col++)
		assert_true(load(g, col) == (col >= 36 && col < 60 ? 9 : 0));
	assert_int_equal(row_sum(g, "running"), 9 * 24 * SECOND);
	assert_int_equal(g->known_to_ns, (T0 + 60) * SECOND);
	grid_free(g);
	active_forget_running(a); /* read again: once, even if events were read again before */
	give_running(a, 59, 24 * SECOND, 9);
	g = grid_of(a, 0, 100, 1);
	assert_int_equal(row_sum(g, "running"), 9 * 24 * SECOND);
	grid_free(g);
	active_free(a);
}

/* One of two hosts has not reported the last slot yet.  Its running exchanges are known up to the slot before, so both
 * hosts are read as of that slot. */
TEST(all_sources_are_taken_at_the_same_time)
{
	const struct event e = {59 * SECOND, 10 * SECOND, {0}};
	struct active *a = active_of(0, 100, 1, 99, 1);
	struct grid *g;
	__s64 first, last;

	give_cover(a, "one", 0, 59);
	give_cover(a, "two", 0, 58);
	assert_true(active_running_slots(a, &first, &last));
	assert_int_equal(last, T0 + 58);
	give_slot(a, &e, 1, 59, 1, 1 + N_PARTS, "select"); /* it ran at the end of the slot before */
	give_running(a, 58, 9 * SECOND, 1);
	g = grid_of(a, 0, 100, 1);
	assert_int_equal(row_sum(g, "running"), 9 * SECOND);
	assert_int_equal(g->all.sum, 9 * SECOND);
	grid_free(g);
	active_free(a);
}

/* A source that is gone does not delay the others. */
TEST(a_source_that_is_gone_is_not_waited_for)
{
	struct active *a = active_of(0, 100, 1, 99, 1);
	__s64 first, last;

	give_cover(a, "one", 0, 80);
	give_cover(a, "two", 0, 20);
	assert_true(active_running_slots(a, &first, &last));
	assert_int_equal(last, T0 + 80);
	active_free(a);
}

/* ---- reading again, moving, selecting ---- */

TEST(a_slot_is_read_again)
{
	struct event *e = calloc(EVENTS, sizeof(*e));
	struct active *a = active_of(BEGIN, SPAN_S, 1, SPAN_S - 1, -1);
	struct grid *once, *again;
	__s64 first, last;

	random_events(e, EVENTS);
	once = spread(e, 1, 1, 1 + N_PARTS);
	for (__s64 second = 0; second < SPAN_S; second++)
		give_slot(a, e, EVENTS, second, 1, 1 + N_PARTS, "select");
	active_forget(a, T0 + 100, T0 + 130, &first, &last);
	assert_int_equal(first, T0 + 100);
	assert_int_equal(last, T0 + 130);
	for (__s64 second = 130; second >= 100; second--)
		give_slot(a, e, EVENTS, second, 1, 1 + N_PARTS, "select");
	again = grid_of(a, BEGIN, SPAN_S, 1);
	assert_memory_equal(again->cell, once->cell, once->n_rows * once->n_cols * sizeof(*once->cell));
	grid_free(once);
	grid_free(again);
	active_free(a);
	free(e);
}

TEST(sums_of_slots_are_forgotten_as_a_whole)
{
	const struct event e = {70 * SECOND, SECOND, {0}};
	struct active *a = active_of(0, 300, 60, 299, -1);
	struct grid *g;
	__s64 first, last;

	active_width(a, 60);
	give_slot(a, &e, 1, 60, 60, 1 + N_PARTS, "select");
	active_forget(a, T0 + 110, T0 + 125, &first, &last);
	assert_int_equal(first, T0 + 60);
	assert_int_equal(last, T0 + 125);
	g = grid_of(a, 0, 300, 60);
	assert_int_equal(g->all.sum, 0);
	grid_free(g);
	active_free(a);
}

TEST(a_range_moves_on)
{
	struct event *e = calloc(EVENTS, sizeof(*e));
	struct active *a = active_of(0, 600, 1, 599, -1);
	struct grid *whole, *moved;

	random_events(e, EVENTS);
	whole = spread(e, 1, 1, 1 + N_PARTS);
	for (__s64 second = 0; second < 600; second++)
		give_slot(a, e, EVENTS, second, 1, 1 + N_PARTS, "select");
	active_move(a, (T0 + 600) * SECOND, (T0 + SPAN_S) * SECOND, T0 + SPAN_S - 1);
	for (__s64 second = 600; second < SPAN_S; second++)
		give_slot(a, e, EVENTS, second, 1, 1 + N_PARTS, "select");
	moved = grid_of(a, 600, SPAN_S, 1);
	for (size_t col = 0; col < moved->n_cols; col++)
		assert_true(llabs((long long)(moved->column[col].sum - whole->column[600 - BEGIN + col].sum)) <
			    EVENTS); /* 1 ns each */
	grid_free(whole);
	grid_free(moved);
	active_free(a);
	free(e);
}

TEST(keys_may_be_chosen)
{
	const char *const select[] = {"update"};
	const struct query q = {.inst = &in,
				.from_ns = T0 * SECOND,
				.to_ns = (T0 + 100) * SECOND,
				.n_cols = 100,
				.select = select,
				.n_select = 1};
	const struct event e = {50 * SECOND, 10 * SECOND, {0}};
	struct active *a;
	struct grid *g;

	assert_int_equal(active_new(&q, T0 + 99, -1, &a), 0);
	give_slot(a, &e, 1, 50, 1, 1 + N_PARTS, "update");
	give_slot(a, &e, 1, 50, 1, 1 + N_PARTS, "select");
	g = grid_of(a, 0, 100, 1);
	assert_int_equal(g->all.sum, 10 * SECOND);
	grid_free(g);
	active_free(a);
}

/* ---- what is too large ---- */

/* Gives n events of that length; with a weight: events with that weight. */
static void give_huge(struct active *a, __s64 second, int axis, size_t weight, __u64 length, __u64 n, const char *key)
{
	struct hist h;

	assert_int_equal(hist_init(&h, weight ? in.weight_ruler : in.ruler[axis]), 0);
	if (weight)
		hist_weigh(&h, length, 1, n);
	else
		hist_record_times(&h, length, n);
	give_hist(a, T0 + second, axis, weight, &h, key);
	hist_fini(&h);
}

/* Two slots in which events of two keys end, with lengths of different buckets, one of them short; and running
 * events. */
static struct active *active_of_huge(__u64 n, bool weighed)
{
	struct active *a = active_of(0, 100, 1, 99, 1);
	size_t n_weights = weighed ? 1 + N_PARTS : 0;

	give_cover(a, "db", 0, 99);
	for (int i = 0; i < 6; i++)
		for (size_t weight = 0; weight <= n_weights; weight++)
			give_huge(a, 50 + i / 3, 0, weight, i % 3 ? 20 * SECOND : 1, n, i % 3 == 1 ? "select" : "update");
	give_huge(a, 99, 1, 0, 30 * SECOND, n, "select");
	give_huge(a, 99, 1, 0, 30 * SECOND, n, "update");
	return a;
}

/* A source may send any number: times saturate at the largest signed number, and are spread as such. */
TEST(sums_that_are_too_large_saturate)
{
	static const __u64 huge[] = {~0ull, ~0ull / 2 + 1, ~0ull / 2};

	for (size_t i = 0; i < 6; i++) {
		bool weighed = i % 2;
		struct active *a = active_of_huge(huge[i / 2], weighed);
		struct grid *g = grid_of(a, 0, 100, 1);

		assert_true(g->all.count == ~0ull && g->column[50].count == ~0ull && g->column[49].count == 0);
		assert_true(g->all.sum >= INT64_MAX && row_sum(g, "running") == INT64_MAX);
		for (size_t at = 0; at < g->n_rows * g->n_cols; at++)
			assert_true(g->cell[at] <= INT64_MAX);
		for (size_t col = 0; col < g->n_cols; col++)
			assert_true(g->column[col].sum <= INT64_MAX);
		assert_true(cell(g, weighed ? "cputime" : "rest", 50) > INT64_MAX / 100);
		assert_true(cell(g, weighed ? "rest" : "cputime", 50) == 0);
		grid_free(g);
		active_free(a);
	}
}

/* ---- refusals ---- */

TEST(refuses_a_measure_without_events_or_a_range)
{
	struct query q = {.inst = &in, .axis = 1, .from_ns = T0 * SECOND, .to_ns = (T0 + 10) * SECOND};
	struct active *a;

	assert_int_equal(active_new(&q, T0 + 9, -1, &a), -EINVAL);
	q.axis = 0;
	assert_int_equal(active_new(&q, T0 + 8, -1, &a), -EINVAL); /* it ends before its range */
	q.to_ns = q.from_ns;
	assert_int_equal(active_new(&q, T0 + 9, -1, &a), -EINVAL);
}

TEST(refuses_bytes_that_are_no_histogram)
{
	const __u8 bytes[] = {1, 2, 3};
	const struct slice s = {.ruler = in.ruler[0], .hist = bytes, .hist_len = sizeof(bytes)};
	struct active *a = active_of(0, 10, 1, 9, -1);

	active_reader(a)->slice(a, T0, &s);
	assert_int_equal(active_error(a), -EBADMSG);
	active_free(a);
}

TEST_MAIN()
