#include "collector/d/output/aggregate.h"
#include "collector/d/tree/function.h"
#include "test/collector/d/d_kit.h"

#include <stdint.h>
#include <stdio.h>

/* The aggregations of a script, whose elements a test adds itself. */
struct totals_case {
	struct d_case d;
	struct d_aggregates a;
};

static void begin(struct totals_case *c, const char *script)
{
	memset(c, 0, sizeof(*c));
	assert_int_equal(d_case_check(&c->d, script), 0);
	assert_int_equal(d_aggregates_init(&c->a, &c->d.program, NULL, NULL), 0);
}

static void end(struct totals_case *c)
{
	d_aggregates_fini(&c->a);
	d_case_fini(&c->d);
}

/* The key of an element: the first part is a text if the table has one there, then integers. */
static void add(struct totals_case *c, unsigned id, const char *text, __s64 number, __s64 cell, const __u64 *words)
{
	const struct d_table *t = c->a.totals[id].aggregation->table;
	__u8 key[4096] = "";
	__u32 at = 0;

	for (__u32 i = 0; i + 1 < t->n_keys; i++) {
		if (t->key[i].is_text)
			snprintf((char *)key + at, t->key[i].room, "%s", text);
		else
			memcpy(key + at, &number, sizeof(number));
		at += t->key[i].room;
	}
	assert_int_equal(d_totals_add(&c->a.totals[id], key, cell, words), 0);
}

static void add_count(struct totals_case *c, unsigned id, const char *text, __s64 number, __s64 cell, __s64 count)
{
	const __u64 word = (__u64)count;

	add(c, id, text, number, cell, &word);
}

static void printed(struct totals_case *c, const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; i < c->a.n_totals; i++)
		c->a.totals[i].is_printed = false;
	d_aggregates_print_rest(&c->a, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

TEST(keys_have_widths_by_their_type)
{
	struct totals_case c;

	begin(&c, "BEGIN { @[\"longer text\", (char)1, (short)1, (int)1, (long)1] = count(); @b[(uint_t)1] = sum(1); }");
	add_count(&c, 0, "text", -1, 0, 5);
	add_count(&c, 1, "", -1, 0, -3);
	printed(&c, "\n  text                                                -1    -1       -1               -1                5\n"
		    " 4294967295               -3\n");
	end(&c);
}

TEST(rows_are_sorted_by_value_then_key)
{
	struct totals_case c;

	begin(&c, "BEGIN { @[\"text\"] = sum(1); }");
	add_count(&c, 0, "b", 0, 0, 7);
	add_count(&c, 0, "a", 0, 0, 7);
	add_count(&c, 0, "z", 0, 0, -7);
	printed(&c, "\n  z                                                                -7\n"
		    "  a                                                                 7\n"
		    "  b                                                                 7\n");
	c.a.sort.reverse = true;
	printed(&c, "\n  b                                                                 7\n"
		    "  a                                                                 7\n"
		    "  z                                                                -7\n");
	c.a.sort = (struct d_sort){ .by_key = true };
	printed(&c, "\n  a                                                                 7\n"
		    "  b                                                                 7\n"
		    "  z                                                                -7\n");
	end(&c);
}

TEST(keys_are_sorted_from_the_chosen_one)
{
	struct totals_case c;

	begin(&c, "BEGIN { @[\"t\", 1] = count(); }");
	c.a.sort = (struct d_sort){ .by_key = true, .key_position = 1 };
	add_count(&c, 0, "a", 2, 0, 1);
	add_count(&c, 0, "b", -1, 0, 1);
	add_count(&c, 0, "c", 1, 0, 1);
	printed(&c, "\n  b                                                        -1                1\n"
		    "  c                                                         1                1\n"
		    "  a                                                         2                1\n");
	end(&c);
}

TEST(a_quantize_is_a_table_with_a_row_more_on_each_side)
{
	struct totals_case c;

	begin(&c, "BEGIN { @ = quantize(1); }");
	add_count(&c, 0, "", 0, 0, 1);
	add_count(&c, 0, "", 0, 2, 7);
	printed(&c, "\n\n"
		    "           value  ------------- Distribution ------------- count    \n"
		    "              -1 |                                         0        \n"
		    "               0 |@@@@@                                    1        \n"
		    "               1 |                                         0        \n"
		    "               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@      7        \n"
		    "               4 |                                         0        \n\n");
	d_totals_clear(&c.a.totals[0]);
	printed(&c, "\n\n"
		    "           value  ------------- Distribution ------------- count    \n"
		    "              -1 |                                         0        \n"
		    "               0 |                                         0        \n"
		    "               1 |                                         0        \n\n");
	end(&c);
}

TEST(negative_counts_grow_to_the_left)
{
	struct totals_case c;

	begin(&c, "BEGIN { @ = lquantize(1, 0, 2, 1, 1); }");
	add_count(&c, 0, "", 0, 1, -4);
	printed(&c, "\n\n"
		    "           value  ------------- Distribution ------------- count    \n"
		    "             < 0                                         | 0        \n"
		    "               0 @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -4       \n"
		    "               1                                         | 0        \n\n");
	add_count(&c, 0, "", 0, 2, 4);
	printed(&c, "\n\n"
		    "           value  ------------- Distribution ------------- count    \n"
		    "             < 0                     |                     0        \n"
		    "               0           @@@@@@@@@@|                     -4       \n"
		    "               1                     |@@@@@@@@@@           4        \n"
		    "            >= 2                     |                     0        \n\n");
	end(&c);
}

TEST(min_max_avg_and_stddev_come_from_their_words)
{
	struct totals_case c;

	begin(&c, "BEGIN { @a = min(1); @b = max(1); @c = avg(1); @d = stddev(1); }");
	add(&c, 0, "", 0, 0, (__u64[]){ 1, INT64_MAX - (__u64)-5 });
	add(&c, 0, "", 0, 0, (__u64[]){ 1, INT64_MAX - (__u64)7 });
	add(&c, 1, "", 0, 0, (__u64[]){ 1, (__u64)-5 ^ 1ull << 63 });
	add(&c, 1, "", 0, 0, (__u64[]){ 1, (__u64)-7 ^ 1ull << 63 });
	add(&c, 2, "", 0, 0, (__u64[]){ 3, (__u64)-10 });
	add(&c, 3, "", 0, 0, (__u64[D_WORDS]){ 2, 8, 34 });			/* 3 and 5 */
	printed(&c, "\n               -5\n               -5\n               -3\n                1\n");
	for (unsigned i = 0; i < 4; i++)
		d_totals_clear(&c.a.totals[i]);
	printed(&c, "\n                0\n                0\n                0\n                0\n");
	end(&c);
}

TEST(trunc_keeps_the_largest_or_the_smallest)
{
	struct totals_case c;

	begin(&c, "BEGIN { @[1] = count(); }");
	for (unsigned i = 1; i <= 5; i++)
		add_count(&c, 0, "", i, 0, 10 * i);
	d_totals_trunc(&c.a.totals[0], &c.a.sort, 3);
	printed(&c, "\n        3               30\n        4               40\n        5               50\n");
	d_totals_trunc(&c.a.totals[0], &c.a.sort, -2);
	printed(&c, "\n        3               30\n        4               40\n");
	add_count(&c, 0, "", 4, 0, 1);
	c.a.totals[0].normal = 10;
	printed(&c, "\n        3                3\n        4                4\n");
	d_totals_trunc(&c.a.totals[0], &c.a.sort, 0);
	printed(&c, "");
	add_count(&c, 0, "", 4, 0, 10);
	printed(&c, "\n        4                1\n");
	end(&c);
}

/* f(f(A) u f(B)) = f(A u B), for every function: elements in any order, in any number of intervals. */
TEST(adding_commutes)
{
	static const char script[] = "BEGIN { @a[1] = count(); @b[1] = sum(1); @c[1] = min(1); @d[1] = max(1); @e[1] = avg(1); @f[1] = stddev(1);"
				     "@g[1] = quantize(1); @h[1] = lquantize(1, 0, 100); @i[1] = llquantize(1, 10, 0, 5, 10); }";
	enum { N = 40 };
	__u64 words[N][D_WORDS];
	__s64 key[N], cell[N];
	char *text[2] = { NULL };
	size_t len;

	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < N; i++) {
			key[i] = check_below(3);
			cell[i] = check_below(10);
			for (unsigned w = 0; w < D_WORDS; w++)
				words[i][w] = 1 + check_below(1000);
		}
		for (unsigned turn = 0; turn < 2; turn++) {
			struct totals_case c;
			FILE *out = open_memstream(&text[turn], &len);

			begin(&c, script);
			for (unsigned i = 0; i < N; i++)
				for (unsigned id = 0; id < 9; id++) {
					unsigned at = turn ? N - 1 - (i * 7 + 3) % N : i;

					add(&c, id, "", key[at], id < 6 ? 0 : cell[at], words[at]);
				}
			d_aggregates_print_rest(&c.a, out);
			fclose(out);
			end(&c);
		}
		assert_string_equal(text[0], text[1]);
		free(text[0]);
		free(text[1]);
	}
}

static __s64 largest_root(__int128 square)
{
	__s64 root = 0;

	for (__s64 step = 1ll << 42; step; step /= 2)
		if ((__int128)(root + step) * (root + step) <= square)
			root += step;
	return root;
}

/* The values of a metric, added one by one, give what the functions are defined to be. */
TEST(values_are_added_as_defined)
{
	enum { N = 30 };

	for (unsigned round = 0; round < 200; round++) {
		__s64 sum = 0, least = INT64_MAX, most = INT64_MIN, mean;
		__int128 squares = 0;
		struct totals_case c;
		struct d_row *row[5];

		begin(&c, "BEGIN { @[1] = sum(1); @b[1] = min(1); @c[1] = max(1); @d[1] = avg(1); @e[1] = stddev(1); }");
		for (unsigned i = 0; i < N; i++) {
			__s64 value = (__s64)check_below(1ull << (1 + round % 40)) - (__s64)check_below(1ull << (1 + round % 40)), key = 1;

			sum += value;
			least = value < least ? value : least;
			most = value > most ? value : most;
			squares += (__int128)value * value;
			for (unsigned id = 0; id < 5; id++)
				assert_int_equal(d_totals_add_value(&c.a.totals[id], &key, value, &row[id]), 0);
		}
		mean = sum / N;
		assert_int_equal(d_row_value(&c.a.totals[0], row[0]), sum);
		assert_int_equal(d_row_value(&c.a.totals[1], row[1]), least);
		assert_int_equal(d_row_value(&c.a.totals[2], row[2]), most);
		assert_int_equal(d_row_value(&c.a.totals[3], row[3]), mean);
		assert_int_equal(d_row_value(&c.a.totals[4], row[4]), largest_root(squares / N - (__int128)mean * mean));
		end(&c);
	}
}

TEST(printa_joins_by_the_whole_key)
{
	struct totals_case c;
	struct d_totals *all[2];
	const char *reason;
	struct d_directive *format;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	begin(&c, "BEGIN { @a[\"x\"] = count(); @b[\"longer than x\"] = sum(1); }");
	add_count(&c, 0, "x", 0, 0, 2);
	add_count(&c, 0, "y", 0, 0, 1);
	add_count(&c, 1, "x", 0, 0, -3);
	add_count(&c, 1, "only b", 0, 0, 9);
	all[0] = &c.a.totals[0];
	all[1] = &c.a.totals[1];
	assert_int_equal(d_format_parse("%-6s %@3d %@-3d|\n", 17, &c.d.arena, &format, &reason), 0);
	d_totals_printa(all, 2, format, &c.a.sort, out);
	fclose(out);
	assert_string_equal(text, "y        1 0  |\nx        2 -3 |\nonly b   0 9  |\n");
	free(text);
	end(&c);
}

TEST_MAIN()
