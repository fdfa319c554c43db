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
	char text[KEY_TEXT_MAX];
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

#define LETTERS "a/\\"
#define N_WORDS 121			/* of up to 4 letters */

static void word_of(size_t i, char *out)
{
	static const char letters[] = LETTERS;
	char reversed[8];
	size_t n = 0;

	for (; i; i = (i - 1) / 3)
		reversed[n++] = letters[(i - 1) % 3];
	while (n)
		*out++ = reversed[--n];
	*out = 0;
}

static struct labels key_of(struct bytes *out, const char *const *label, size_t n)
{
	bytes_clear(out);
	for (size_t i = 0; i < n; i++)
		labels_put(out, label[i]);
	return (struct labels){ out->data, (__u16)out->len };
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

TEST(different_keys_have_different_texts)
{
	static char text[N_WORDS * N_WORDS][KEY_TEXT_MAX];
	struct bytes room = { 0 };
	char a[8], b[8];

	for (size_t i = 1; i < N_WORDS; i++)		/* an empty label is `other` */
		for (size_t k = 1; k < N_WORDS; k++) {
			struct labels key;

			word_of(i, a);
			word_of(k, b);
			key = key_of(&room, (const char *[]){ a, b }, 2);
			key_text(&key, text[i * N_WORDS + k], NULL);
			assert_true(key_is(&key, text[i * N_WORDS + k]));
		}
	qsort(text, N_WORDS * N_WORDS, sizeof(*text), by_text);
	for (size_t i = 1; i < N_WORDS * N_WORDS; i++)
		if (*text[i] && !strcmp(text[i - 1], text[i]))
			fail_msg("two keys are %s", text[i]);
	bytes_fini(&room);
}

TEST(a_slash_within_a_field_is_escaped)
{
	static const struct { const char *label[3]; size_t n; const char *text; } cases[] = {
		{ { "p/q", "r" }, 2, "p\\/q/r" }, { { "p", "q/r" }, 2, "p/q/r" }, { { "p\\", "r" }, 2, "p\\\\/r" },
		{ { "/usr/sbin/x" }, 1, "/usr/sbin/x" }, { { "a\\b", "c" }, 2, "a\\b/c" }, { { "a\\/b", "c\\" }, 2, "a\\\\\\/b/c\\" }, { { "query", "/tmp/x.sock" }, 2, "query//tmp/x.sock" },
		{ { "GET", "/a/b", "200" }, 3, "GET//a/b/200" }, { { "/a/b", "x/y" }, 2, "\\/a\\/b/x/y" }, { { "/a", "/b" }, 2, "\\/a//b" },
		{ { "/a\\", "b" }, 2, "\\/a\\\\/b" },
		{ { "a", "b", "c" }, 3, "a/b/c" },
	};
	struct bytes room = { 0 };
	char text[KEY_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct labels key = key_of(&room, cases[i].label, cases[i].n);

		key_text(&key, text, NULL);
		assert_string_equal(text, cases[i].text);
	}
	bytes_fini(&room);
}

TEST(a_text_that_was_saved_without_escapes_finds_its_key)
{
	static const char *const one[] = { "p/q", "r" }, *const other[] = { "p", "q/r" }, *const path[] = { "/var/x", "r" }, *const plain[] = { "p", "q" };
	struct bytes room = { 0 };
	struct labels key = key_of(&room, one, 2);

	assert_false(key_is(&key, "p/q/r"));		/* it is the text of the other one */
	assert_true(key_is(&key, "p\\/q/r"));
	assert_false(key_is(&key, "p/q\\/r"));
	key = key_of(&room, path, 2);
	assert_true(key_is(&key, "/var/x/r"));
	assert_false(key_is(&key, "\\/var\\/x/r"));
	key = key_of(&room, other, 2);
	assert_true(key_is(&key, "p/q/r"));
	assert_false(key_is(&key, "p\\/q/r"));
	key = key_of(&room, plain, 2);
	assert_true(key_is(&key, "p/q"));
	assert_false(key_is(&key, "p\\/q"));
	bytes_fini(&room);
}

TEST_MAIN()
