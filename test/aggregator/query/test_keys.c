/* Tests keys: a histogram for each over the whole range, and its text. */
#include "test/kit/query_kit.h"
#include "test/kit/check.h"

TEST(keys_add_up_to_the_grid)
{
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 5, 5);
	struct event e[400];
	struct key_fold *f;
	const struct key_total *total;
	size_t n;
	__u64 count = 0;

	kit_events(e, 400, 5);
	for (__u32 drop = 0; drop < 4; drop++) {
		q.drop = drop;
		assert_int_equal(key_fold_new(&q, &f), 0);
		for (size_t i = 0; i < 400; i++)
			kit_give(key_fold_reader(f), &e[i], 1, in.ruler[0]);
		assert_int_equal(key_fold_error(f), 0);
		total = key_fold_totals(f, KEYS_BY_COUNT, &n);
		assert_int_equal(n, drop == 0 ? 8 : drop == 1 ? 4 : drop == 2 ? 2 : 1);
		count = 0;
		for (size_t i = 0; i < n; i++) {
			count += total[i].hist.count;
			assert_true(!i || total[i - 1].hist.count >= total[i].hist.count);
			assert_int_equal(total[i].other, (drop & 2) == 0 && strstr(total[i].text, "other") != NULL);
		}
		assert_int_equal(count, 400);
		key_fold_free(f);
	}
}

/* Gives key 0 two events of 5 s, key 1 a thousand of 1 ms, key 2 three of 2 ms. */
static struct key_fold *unequal(const struct query *q, __u64 ruler)
{
	static const struct { unsigned key, n; __u64 value; } given[] = { { 1, 1000, 1000000 }, { 2, 3, 2000000 }, { 0, 2, 5000000000ull } };
	struct key_fold *f;

	assert_int_equal(key_fold_new(q, &f), 0);
	for (size_t i = 0; i < 3; i++)
		for (unsigned k = 0; k < given[i].n; k++)
			kit_give(key_fold_reader(f), &(struct event){ T0, given[i].key, 0, given[i].value }, 1, ruler);
	return f;
}

/* A few slow events come before many fast ones. */
TEST(keys_are_sorted_by_the_requested_order)
{
	static const struct { enum key_order order; const char *first, *second, *third; } cases[] = {
		{ KEYS_BY_SUM, "query/select", "execute/select", "query/update" },
		{ KEYS_BY_COUNT, "execute/select", "query/update", "query/select" },
		{ KEYS_BY_MEAN, "query/select", "query/update", "execute/select" },
		{ KEYS_BY_P50, "query/select", "query/update", "execute/select" },
		{ KEYS_BY_P90, "query/select", "query/update", "execute/select" },
		{ KEYS_BY_P99, "query/select", "query/update", "execute/select" },
		{ KEYS_BY_P999, "query/select", "query/update", "execute/select" },
		{ KEYS_BY_MAX, "query/select", "query/update", "execute/select" },
		{ KEYS_BY_KEY, "execute/select", "query/select", "query/update" },
	};
	struct instrumentation in = kit_instrumentation();
	struct query q = kit_query(&in, 5, 5);
	struct key_fold *f = unequal(&q, in.ruler[0]);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n;
		const struct key_total *total = key_fold_totals(f, cases[i].order, &n);

		assert_int_equal(n, 3);
		assert_string_equal(total[0].text, cases[i].first);
		assert_string_equal(total[1].text, cases[i].second);
		assert_string_equal(total[2].text, cases[i].third);
	}
	key_fold_free(f);
}

TEST(key_texts_join_labels)
{
	static const struct { unsigned key; const char *text; bool other; } cases[] = {
		{ 0, "query/select", false }, { 3, "execute/update", false }, { 4, "query/a/b", false },
		{ 7, "execute/other", true },
	};
	char text[KEY_BYTES_MAX];
	bool other;

	for (size_t i = 0; i < 4; i++) {
		struct bytes key = { 0 };

		kit_key(cases[i].key, &key);
		key_text(&(struct labels){ key.data, (__u16)key.len }, text, &other);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(other, cases[i].other);
		bytes_fini(&key);
	}
	key_text(&(struct labels){ NULL, 0 }, text, &other);
	assert_string_equal(text, "");
	assert_false(other);
}

TEST_MAIN()
