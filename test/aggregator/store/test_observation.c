#include "aggregator/store/observation.h"
#include "test/kit/check.h"

#define N_SLOTS 200

struct seen {
	int covered[N_SLOTS], n_spans, n_losses, n_marks;
};

static void see_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct seen *s = arg;

	s->n_spans++;
	for (__s64 slot = first; slot <= last; slot++)
		s->covered[slot]++;
}

static void see_loss(void *arg, const char *source, const struct loss *loss)
{
	((struct seen *)arg)->n_losses++;
}

static void see_mark(void *arg, const struct mark *mark)
{
	((struct seen *)arg)->n_marks++;
}

static struct seen seen_in(const struct observation *w, __s64 first, __s64 last)
{
	struct seen s = { .n_spans = 0 };
	const struct store_reader reader = { .arg = &s, .cover = see_cover, .loss = see_loss, .mark = see_mark };

	observation_read(w, first, last, &reader);
	return s;
}

static void cover(struct observation *w, const char *source, __s64 first, __s64 last)
{
	assert_int_equal(observation_reserve(w, source), 0);
	observation_cover(w, source, first, last);
}

/* Compares with a plain array of slots, for random intervals. */
TEST(coverage_is_the_union_in_fewest_intervals)
{
	for (int round = 0; round < 300; round++) {
		struct observation w = { 0 };
		bool want[N_SLOTS] = { false };
		int n_want = 0;
		struct seen s;

		for (int i = 0; i < 25; i++) {
			__s64 first = (__s64)check_below(N_SLOTS), last = first + (__s64)check_below(12);

			last = last < N_SLOTS ? last : N_SLOTS - 1;
			cover(&w, "a", first, last);
			for (__s64 slot = first; slot <= last; slot++)
				want[slot] = true;
		}
		s = seen_in(&w, 0, N_SLOTS - 1);
		for (int slot = 0; slot < N_SLOTS; slot++) {
			assert_int_equal(s.covered[slot], want[slot]);
			n_want += want[slot] && (!slot || !want[slot - 1]);
		}
		assert_int_equal(s.n_spans, n_want);
		observation_fini(&w);
	}
}

TEST(sources_are_kept_apart)
{
	struct observation w = { 0 };

	cover(&w, "a", 10, 19);
	cover(&w, "b", 15, 24);
	assert_int_equal(seen_in(&w, 0, 100).n_spans, 2);
	assert_int_equal(seen_in(&w, 0, 100).covered[17], 2);
	assert_int_equal(seen_in(&w, 20, 22).n_spans, 1);
	observation_fini(&w);
}

TEST(trimming_forgets_what_ended_before)
{
	const struct loss early = { 1, 1, 5, 9 }, late = { 1, 1, 5, 12 };
	struct observation w = { 0 };
	struct seen s;

	cover(&w, "a", 0, 4);
	cover(&w, "b", 0, 50);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(observation_reserve(&w, "b"), 0);
		observation_lose(&w, "b", i ? &late : &early);
		observation_mark(&w, &(struct mark){ MARK_CLOCK_STEP, i ? 10 : 9, 1 });
	}
	s = seen_in(&w, 0, 100);
	assert_int_equal(s.n_losses, 2);
	assert_int_equal(s.n_marks, 2);
	observation_trim(&w, 10);
	s = seen_in(&w, 0, 100);
	assert_int_equal(w.n_observers, 1);
	assert_int_equal(s.covered[9], 0);
	assert_int_equal(s.covered[10], 1);
	assert_int_equal(s.n_losses, 1);
	assert_int_equal(s.n_marks, 1);
	cover(&w, "b", 51, 60);
	assert_int_equal(w.n_observers, 1);
	cover(&w, "a", 51, 60);
	assert_int_equal(w.n_observers, 2);
	s = seen_in(&w, 0, 100);
	assert_int_equal(s.covered[50], 1);
	assert_int_equal(s.covered[60], 2);
	observation_fini(&w);
}

TEST(a_run_covers_its_slots_to_the_end)
{
	assert_int_equal(observation_last(&(struct batch){ .slot = 10, .run = 0 }), 10);
	assert_int_equal(observation_last(&(struct batch){ .slot = 10, .run = 1 }), 10);
	assert_int_equal(observation_last(&(struct batch){ .slot = 10, .run = ~0u }), 10 + (__s64)~0u - 1);
}

TEST_MAIN()
