#include "test/kit/check.h"
#include "aggregator/store/coverage_compact.h"

enum { SLOTS = 2000 };

/* Makes random runs in which all slots are reported, and lists these slots. */
static size_t random_runs(struct run *run, unsigned char *reported)
{
	size_t n = 0;

	memset(reported, 0, SLOTS);
	for (__s64 at = (__s64)check_below(100); at < SLOTS - 200;) {
		__s64 len = 1 + (__s64)(check_below(4) ? check_below(4) : check_below(150));

		run[n++] = (struct run){ at, at + len - 1, (__u64)len };
		memset(reported + at, 1, (size_t)len);
		at += len + 1 + (__s64)check_below(check_below(8) ? 3 : 90);
	}
	return n;
}

static __u64 count_in(const struct run *run, size_t n, __s64 first, __s64 last)
{
	__u64 sum = 0;

	for (size_t i = 0; i < n; i++)
		if (run[i].first <= last && run[i].last >= first)
			sum += run_cut(&run[i], first, last).n;
	return sum;
}

static __u64 reported_in(const unsigned char *reported, __s64 first, __s64 last)
{
	__u64 sum = 0;

	for (__s64 at = first; at <= last; at++)
		sum += reported[at];
	return sum;
}

static void assert_in_order(const struct run *run, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_true(run[i].n && run[i].n <= run_slots(&run[i]));
		assert_true(!i || run[i].first > run[i - 1].last);
	}
}

/* Within the window every ten slots keep their count; outside, every slot does. */
TEST(every_part_keeps_its_count)
{
	static unsigned char reported[SLOTS + 10];
	static struct run run[SLOTS];

	for (int round = 0; round < 300; round++) {
		size_t n = random_runs(run, reported), n_thin;
		__s64 from = 10 * (__s64)check_below(90), to = from + 10 * (__s64)check_below(100);
		struct run *out;

		assert_int_equal(coverage_compact(run, n, from, to, 10, &out, &n_thin), 0);
		assert_in_order(out, n_thin);
		for (__s64 at = from; at < to; at += 10)
			assert_int_equal(count_in(out, n_thin, at, at + 9), reported_in(reported, at, at + 9));
		for (__s64 at = 0; at < SLOTS; at++)
			if (at < from || at >= to)
				assert_int_equal(count_in(out, n_thin, at, at), reported[at]);
		free(out);
	}
}

/* First by tens, window after window, then by hundreds: the result is the same as by hundreds at once. */
TEST(thinning_in_steps_keeps_the_count)
{
	static unsigned char reported[SLOTS + 10];
	static struct run run[SLOTS];

	for (int round = 0; round < 100; round++) {
		size_t n = random_runs(run, reported);
		struct run *now = malloc(sizeof(run)), *next;

		memcpy(now, run, n * sizeof(*run));
		for (__s64 at = 0; at < SLOTS; at += 50) {
			assert_int_equal(coverage_compact(now, n, at, at + 50, 10, &next, &n), 0);
			free(now);
			now = next;
			if (at % 100 || at < 500)
				continue;
			assert_int_equal(coverage_compact(now, n, at - 500, at - 400, 100, &next, &n), 0);
			free(now);
			now = next;
		}
		assert_in_order(now, n);
		for (__s64 at = 0; at < SLOTS; at += 100)
			assert_int_equal(count_in(now, n, at, at + 99), reported_in(reported, at, at + 99));
		free(now);
	}
}

TEST(complete_coverage_stays_one_run)
{
	const struct run whole = { 7, 100003, 99997 };
	struct run *out;
	size_t n;

	assert_int_equal(coverage_compact(&whole, 1, 600, 60000, 60, &out, &n), 0);
	assert_int_equal(n, 1);
	assert_memory_equal(out, &whole, sizeof(whole));
	free(out);
}

TEST(regular_coverage_becomes_one_run)
{
	struct run run[300], *out;
	size_t n;

	for (int i = 0; i < 300; i++)
		run[i] = (struct run){ 2 * i, 2 * i, 1 };
	assert_int_equal(coverage_compact(run, 300, 0, 600, 60, &out, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(out->first, 0);
	assert_int_equal(out->last, 599);
	assert_int_equal(out->n, 300);
	free(out);
}

TEST_MAIN()
