#include "aggregator/query/exemplar_fold.h"
#include "test/kit/exemplar_kit.h"

#include <errno.h>
#include <stdio.h>

#define SLOT_NS 1000000000ull
#define N_SOURCES 4
#define N_SLOTS 3
#define N_EVENTS 400

struct event_of {
	int source, slot;
	struct kit_exemplar e;
};

static int by_value(const void *a, const void *b)
{
	const struct event_of *x = a, *y = b;

	return (x->e.value < y->e.value) - (x->e.value > y->e.value);
}

/* Writes a source's report of a slot: its own n worst, its own draw of each decade. */
static void report_write(struct bytes *out, const struct event_of *event, size_t n_events, int source, int slot, size_t n_worst)
{
	struct kit_exemplar listed[EXEMPLARS_MAX + EXEMPLAR_DECADES];
	const struct kit_exemplar *best[EXEMPLAR_DECADES] = { NULL };
	size_t n = 0, rank = 0;

	for (size_t i = 0; i < n_events; i++) {
		const struct kit_exemplar **at = &best[exemplar_decade(event[i].e.value)];

		if (event[i].source == source && event[i].slot == slot && (!*at || event[i].e.tag > (*at)->tag))
			*at = &event[i].e;
	}
	for (size_t i = 0; i < n_events; i++) {
		int drawn = best[exemplar_decade(event[i].e.value)] == &event[i].e;

		if (event[i].source != source || event[i].slot != slot)
			continue;
		if (rank++ >= n_worst && !drawn)
			continue;
		listed[n] = event[i].e;
		listed[n].worst = rank <= n_worst;
		listed[n++].tag = drawn ? event[i].e.tag : 0;
	}
	kit_exemplars(out, 1, listed, n);
}

/* Is it among the n worst of its slot over all sources?  Does it have the highest tag of its decade there? */
static int why_of(const struct event_of *event, size_t at, size_t n_worst)
{
	size_t rank = 0, higher = 0;

	for (size_t i = 0; i < N_EVENTS; i++) {
		if (event[i].slot != event[at].slot)
			continue;
		rank += i < at;
		higher += exemplar_decade(event[i].e.value) == exemplar_decade(event[at].e.value) && event[i].e.tag > event[at].e.tag;
	}
	return (rank < n_worst ? EXEMPLAR_WORST : 0) | (higher ? 0 : EXEMPLAR_DRAWN);
}

static void make_events(struct event_of *event)
{
	for (int i = 0; i < N_EVENTS; i++)
		event[i] = (struct event_of){ (int)check_below(N_SOURCES), (int)check_below(N_SLOTS),
					      /* all different */
					      { .value = check_value() / 4 * 1000 + (__u64)i, .since_ns = (__u64)i,
						.tag = 1 + (__u32)check_below(1u << 30), .text = "select ?" } };
	qsort(event, N_EVENTS, sizeof(*event), by_value);
}

static void add_all(struct exemplar_fold *f, const struct event_of *event, size_t n_worst)
{
	char source[16];

	for (int slot = 0; slot < N_SLOTS; slot++)
		for (int s = 0; s < N_SOURCES; s++) {
			struct bytes b = { 0 };

			report_write(&b, event, N_EVENTS, s, slot, n_worst);
			snprintf(source, sizeof(source), "db%d", s);
			assert_int_equal(exemplar_fold_add(f, source, 100 + slot, b.data, b.len), 0);
			bytes_fini(&b);
		}
}

TEST(the_worst_and_the_draw_of_a_merge_are_those_of_all)
{
	for (int round = 0; round < 60; round++) {
		const struct exemplar_wish w = { .slot_ns = SLOT_NS, .n_worst = 1 + check_below(20), .n = 1000,
						 .why = EXEMPLAR_WORST | EXEMPLAR_DRAWN };
		const struct exemplar_listed *list;
		struct event_of event[N_EVENTS];
		struct exemplar_fold *f;
		size_t n, at = 0;
		__u64 missed;

		make_events(event);
		assert_int_equal(exemplar_fold_new(&w, &f), 0);
		add_all(f, event, w.n_worst);
		assert_int_equal(exemplar_fold_list(f, &list, &n, &missed), 0);
		assert_int_equal(missed, N_SLOTS * N_SOURCES);
		for (size_t i = 0; i < N_EVENTS; i++) {
			int why = why_of(event, i, w.n_worst);

			if (!why)
				continue;
			assert_true(at < n);
			assert_int_equal(list[at].event.measure[0], event[i].e.value);
			assert_int_equal(list[at].event.why, why);
			assert_int_equal(list[at].end_ns, (100 + event[i].slot) * (__s64)SLOT_NS + (__s64)event[i].e.since_ns);
			assert_int_equal(list[at].of->source[2] - '0', event[i].source);
			at++;
		}
		assert_int_equal(at, n);
		exemplar_fold_free(f);
	}
}

TEST(those_asked_for_are_the_worst_of_those_in_the_range)
{
	for (int round = 0; round < 60; round++) {
		struct exemplar_wish w = { .slot_ns = SLOT_NS, .n_worst = 10, .n = 1 + check_below(12), .min = check_value(),
					   .why = 1 + (__u8)check_below(3) };
		const struct exemplar_listed *list;
		struct event_of event[N_EVENTS];
		struct exemplar_fold *f;
		size_t n, at = 0;
		__u64 missed;

		w.max = check_below(2) ? w.min + 1 + check_value() / 2 : 0;
		make_events(event);
		assert_int_equal(exemplar_fold_new(&w, &f), 0);
		add_all(f, event, w.n_worst);
		assert_int_equal(exemplar_fold_list(f, &list, &n, &missed), 0);
		assert_true(n <= w.n);
		for (size_t i = 0; i < N_EVENTS && at < w.n; i++) {
			__u64 value = event[i].e.value;

			if (!(why_of(event, i, w.n_worst) & w.why) || value < w.min || (w.max && value >= w.max))
				continue;
			assert_true(at < n);
			assert_int_equal(list[at++].event.measure[0], value);
		}
		assert_int_equal(at, n);
		exemplar_fold_free(f);
	}
}

TEST(no_exemplars_give_an_empty_list)
{
	const struct exemplar_wish w = { .slot_ns = SLOT_NS, .n_worst = 5, .n = 5, .why = EXEMPLAR_WORST };
	const struct exemplar_listed *list;
	struct exemplar_fold *f;
	struct bytes b = { 0 };
	__u64 missed;
	size_t n;

	assert_int_equal(exemplar_fold_new(&w, &f), 0);
	assert_int_equal(exemplar_fold_list(f, &list, &n, &missed), 0);
	assert_true(!n && !missed);
	exemplar_fold_free(f);
	assert_int_equal(exemplar_fold_new(&w, &f), 0);
	kit_exemplars(&b, 4, NULL, 0);
	assert_int_equal(exemplar_fold_add(f, "a", 1, b.data, b.len), 0);
	assert_int_equal(exemplar_fold_add(f, "a", 1, b.data, 1), -EBADMSG);
	assert_int_equal(exemplar_fold_list(f, &list, &n, &missed), 0);
	assert_true(!n && missed == 4);
	exemplar_fold_free(f);
	exemplar_fold_free(NULL);
	bytes_fini(&b);
}

TEST_MAIN()
