#include "test/kit/check.h"
#include "ui/cli/watch/list.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>

static struct list list_of(size_t n)
{
	json_t *keys = json_array(), *reply = json_pack("{s:s, s:o}", "unit", "ns", "keys", keys);
	struct list l = { .n = 0 };
	char name[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "key%zu", i);
		json_array_append_new(keys, json_pack("{s:s, s:i, s:f, s:i, s:i, s:i, s:i}", "key", name, "count", (int)(1000 * (n - i)),
						      "sum_share", 0.125, "sum", 395000000, "p50", 1000, "p99", 25000, "max", 1250000));
	}
	assert_int_equal(list_read(reply, &l), 0);
	json_decref(reply);
	return l;
}

static char *drawn_in(const struct list *l, long n_cols, long n_lines, size_t at)
{
	const struct list_place place = { 0, 0, n_lines, n_cols };
	struct bytes out = { 0 };
	struct screen s;

	assert_int_equal(screen_init(&s, n_cols, n_lines), 0);
	list_draw(&s, place, l, "KEY", at, NULL);
	screen_print(&out, (struct look){ DEPTH_PLAIN, false }, &s);
	bytes_put(&out, "", 1);
	screen_fini(&s);
	return (char *)out.data;
}

static char *drawn(const struct list *l, long n_lines, size_t at)
{
	return drawn_in(l, 80, n_lines, at);
}

/* However narrow: numbers give way, from the right. */
TEST(keys_have_names)
{
	static const struct { long n_cols; const char *row; } cases[] = {
		{ 74, ">  395 ms   12.5 %     1,000     1 us    25 us  1.25 ms  key0\n" },
		{ 72, ">  395 ms   12.5 %     1,000     1 us    25 us  key0\n" },
		{ 60, ">  395 ms   12.5 %     1,000     1 us  key0\n" },
		{ 54, ">  395 ms   12.5 %     1,000  key0\n" },
		{ 40, ">  395 ms   12.5 %  key0\n" },
		{ 20, ">  395 ms  key0\n" },
	};
	struct list l = list_of(1);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *is = drawn_in(&l, cases[i].n_cols, 3, 1);

		assert_string_equal(strchr(is, '>'), cases[i].row);
		free(is);
	}
	list_fini(&l);
}

TEST(a_list_is_a_table)
{
	struct list l = list_of(2);
	char *is = drawn(&l, 5, 1);

	assert_string_equal(is,
		"     TIME    SHARE     COUNT      P50      P99      MAX  KEY\n"
		"                                                         (all)\n"
		">  395 ms   12.5 %     2,000     1 us    25 us  1.25 ms  key0\n"
		"   395 ms   12.5 %     1,000     1 us    25 us  1.25 ms  key1\n"
		"\n");
	free(is);
	list_fini(&l);
}

TEST(the_chosen_row_is_always_seen)
{
	struct list l = list_of(30);

	for (size_t at = 0; at <= l.n; at++) {
		char *is = drawn(&l, 8, at), row[16], *mark = strchr(is, '>');

		snprintf(row, sizeof(row), at ? "  key%zu\n" : "  (all)\n", at - 1);
		assert_non_null(mark);
		assert_memory_equal(strchr(mark, '\n') + 1 - strlen(row), row, strlen(row));
		free(is);
	}
	list_fini(&l);
}

TEST(what_is_no_list_is_refused)
{
	static const char *const cases[] = {
		"{}", "{\"unit\": \"ns\"}", "{\"keys\": []}", "{\"unit\": \"ns\", \"keys\": [{}]}", "{\"unit\": \"ns\", \"keys\": [{\"key\": 7}]}",
		"{\"unit\": \"a unit of many letters\", \"keys\": []}",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *json = json_loads(cases[i], 0, NULL);
		struct list l = { .n = 99 };

		assert_int_equal(list_read(json, &l), -EBADMSG);
		assert_int_equal(l.n, 99);
		json_decref(json);
	}
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	return check_run(NULL, NULL);
}
