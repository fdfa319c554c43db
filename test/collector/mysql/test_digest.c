/* Which texts are one statement, except for their literals, and which are different statements. */
#include "collector/mysql/digest.h"
#include "collector/mysql/digest_text.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"
#include "test/kit/digest_kit.h"
#include "test/kit/fingerprint_kit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static __u64 digest_text(const char *sql, size_t len, int whole, char *out)
{
	return digest_text_by(mysql_digest_read, sql, len, whole, out);
}

/* If `want` ends with #, a code is in that place. */
static void is(const char *sql, const char *want)
{
	char out[LABEL_MAX + 1];

	size_t n = strlen(want);

	digest_text(sql, strlen(sql), 1, out);
	if (n && want[n - 1] == '#' ? strncmp(out, want, n) : strcmp(out, want))
		fail_msg("\"%s\" is \"%s\", not \"%s\"", sql, out, want);
}

static void words_and_literals(void **state)
{
	static const char *const cases[][2] = {
		{ "SELECT c FROM sbtest1 WHERE id=5", "select c from sbtest1 where id = ?" },
		{ "  select\tC\n from `SbTest1` where id = ? ;", "select c from sbtest1 where id = ?" },
		{ "select 1", "select ?" }, { "select 1.5e-3", "select ?" }, { "select 0xff, x'41', b'01'", "select ?" },
		{ "select 'it''s', \"a\"\"b\", 'a\\'b'", "select ?" }, { "select n'a', _utf8'b', _latin1 'c', _binary /* c */ 0x41", "select ?" },
		{ "select null, TRUE, false", "select ?" }, { "select \\N, 1", "select ?" }, { "select a=\\N/*x*/", "select a = ?" },
		{ "select \\n", "select \\ n" }, { "select 1 \\", "select ? \\" }, { "insert into t values (\\N, 1), (2, \\N)", "insert into t values ( ? )" }, { "select nullx, `null`", "select nullx , null #" },
		{ "select a from t where b is null", "select a from t where b is ?" },
		{ "select @a, @@global.x", "select @a , @@global . x" },
		{ "select `a b` from t", "select a b from t #" }, { "select _id 'x', _id'x' from t", "select _id ? , _id ? from t" },
		{ "select x '41', n\"a\"", "select x ? , n ?" },
		{ "insert into t values ('x' 'y')", "insert into t values ( ? ? )" },
		{ "", "empty" }, { " ; ", "empty" }, { ";;", "empty" }, { "-- x", "empty" }, { "/* x */", "empty" }, { "empty", "empty #" }, { "a;b", "a ; b" }, { "a;;b", "a ; b" }, { "a;b;", "a ; b" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is(cases[i][0], cases[i][1]);
}

static void a_list_of_literals_is_one_literal(void **state)
{
	is("select a from t where b in (1,2,3)", "select a from t where b in ( ? )");
	is("select a from t where b in (1)", "select a from t where b in ( ? )");
	is("select a from t where b in (1,c,3)", "select a from t where b in ( ? , c , ? )");
	is("insert into t (a, b) values (1,'x'), (2, NULL),(3,-4)", "insert into t ( a , b ) values ( ? )");
	is("insert into t values (1,'x'), (2, now())", "insert into t values ( ? ) , ( ? , now ( ) )");
	is("insert into t values (1), (c)", "insert into t values ( ? ) , ( c )");
	is("insert into t values (1), ((2))", "insert into t values ( ? ) , ( ( ? ) )");
	is("insert into t values (1), (2) on duplicate key update a=1", "insert into t values ( ? ) on duplicate key update a = ?");
	is("insert into t values (1), x", "insert into t values ( ? ) , x");
	is("insert into t values (1), (2 + 3)", "insert into t values ( ? ) , ( ? + ? )");
	is("insert into t values (1), (2, 3 + 4)", "insert into t values ( ? ) , ( ? + ? )");
	is("select (1,), (2), (3", "select ( ? , ) , ( ? )");
	is("select a, 1, 2, b limit 5, 10", "select a , ? , b limit ?");
}

static void signs_and_comments(void **state)
{
	is("select a from t where b = -5", "select a from t where b = ?");
	is("select a from t where b = - 5 and c=+.5", "select a from t where b = ? and c = ?");
	is("select a -5, a - 5, a-b, (a)-5", "select a - ? , a - ? , a - b , ( a ) - ?");
	is("select -5 where +5 and -5 or -5 and not -5", "select ? where ? and ? or ? and not ?");
	is("order by -5 limit -5 having -5; return -5", "order by ? limit ? having ? ; return ?");
	is("select a between -5 and -3 or a like -1", "select a between ? and ? or a like ?");
	is("select case when -1 then -2 else -3 end - 4", "select case when ? then ? else ? end - ?");
	is("select now() + interval -1 day where a =-\n5", "select now ( ) + interval ? day where a = ?");
	is("select a , .5, 0.5, -.5, 0xe+5, 0xd+5, 0b1, 00, a.b", "select a , ? + ? + ? , a . b");
	is("select 5--5", "select ? - ?");
	is("select 5-- 5\n+6", "select ? + ?");
	is("select 5 --\n, 6", "select ?");
	is("select /* a ' ` */ 1 # x\n, 2 -- y", "select ?");
	is("/*!40001 SQL_NO_CACHE */ select /*M! 1 */ * from t", "sql_no_cache select ? * from t");
	is("select 2*/*c*/3", "select ? * ?");
	is("select a / b /**/ / c", "select a / b / c");
	is("/*! a * b */ c", "a * b c");
	is("select -", "select -");
	is("/**/ empty", "empty #");
}

static void names_may_begin_with_a_digit(void **state)
{
	is("select a from 2020_sales where 1st = 1", "select a from 2020_sales where 1st = ?");
	is("select s.1st, 2nd from t1db.2020_sales s", "select s . 1st , 2nd from t1db . 2020_sales s");
	is("select 1e5, 1E+5, 1e-5, 1e from t", "select ? , 1e from t");
	is("select 1e5x, 1.5x, 1e5.5", "select ? x , ? x , ? ?");
	is("select 1e+x, 1e--x, 1e-- x", "select 1e + x , 1e - - x , 1e");
	is("select db.1e5, x.0x1, t.5, t.5.6, db. 1e5", "select db . 1e5 , x . 0x1 , t . 5 , t . 5 . 6 , db . ? #");
	is("select 0x1f, 0xfg, 0x, 0b01, 0b012, 0b, 0b1, 0b", "select ? , 0xfg , 0x , ? , 0b012 , 0b , ? , 0b");
	is("select 1$, $1, 1_000, 7\xc3\xa9, 7@x", "select 1$ , $1 , 1_000 , 7\xc3\xa9 , 7@x");
	is("select -2020_sales, - 1e5, -5 from t where -1st > -1", "select - 2020_sales , ? from t where - 1st > ?");
	is("select t.null, t.true, true.null, t.select from t where t.limit -5", "select t . null , t . true , true . null , t . select from t where t . limit - ? #");
	is("select `t`.null, `t` . x, (t).x, `t`.5", "select t . null , t . x , ( t ) . x , t ?");
	is("/*!50001 1 */ /*!1 */ /*!123456 2 */ /*!1234567*/ 3", "? ? ? ? ?");
}

/* In ANSI_QUOTES double quotes are for names, and no literal becomes a name. */
static void double_quotes_are_names_in_ansi_quotes(void **state)
{
	static const struct { const char *sql, *same; } cases[] = {
		{ "select \"a\" from \"t\" where \"b\" = 'x'", "select a from t where b = 'y'" },
		{ "select \"a b\", \"c`d\"", "select `a b`, `c``d`" }, { "select \"a\"\"b\"", "select `a\"b`" }, { "select `a`, '\"x'", "select a, '\"'" },
		{ "select n\"a\"", "select n a" }, { "select \"it's\", 'x'", "select `it's`, 'y'" }, { "select a from \"2020\".\"1e5\"", "select a from `2020`.`1e5`" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int mode = 2; mode < 4; mode++) {
			__u64 table, same_table, code = code_of((const uint8_t *)cases[i].sql, strlen(cases[i].sql), mode, &table);

			if (code != code_of((const uint8_t *)cases[i].same, strlen(cases[i].same), 0, &same_table) || table != same_table)
				fail_msg("\"%s\" is not \"%s\"", cases[i].sql, cases[i].same);
		}
}

/* The server takes these texts for different statements. */
static void names_are_as_they_are_quoted(void **state)
{
	static const char *const sql[] = {
		"select a b from t", "select `a b` from t", "select `a``b` from t", "select `a`, `b` from t", "select `a , b` from t", "select ab from t",
		"select a.b from t", "select `a.b` from t", "select `a . b` from t", "select ? from t", "select `?` from t", "select `a ``b` from t",
		"select 2020 from t", "select `2020` from t", "select 2020_ from t", "select 1e5 from t",
		"select 1e5x from t", "select t.1e5 from t", "select t.1e6 from t",
	};
	const size_t n = sizeof(sql) / sizeof(*sql);
	char out[LABEL_MAX + 1];

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			int same = digest_text(sql[i], strlen(sql[i]), 1, out) == digest_text(sql[j], strlen(sql[j]), 1, out);
			int want = (strchr("?2", sql[i][7]) || !strncmp(sql[i] + 7, "1e5 ", 4)) && (strchr("?2", sql[j][7]) || !strncmp(sql[j] + 7, "1e5 ", 4));

			if (strstr(sql[i], "2020_") || strstr(sql[j], "2020_"))
				want = 0;
			if (same != want)
				fail_msg("\"%s\" and \"%s\"", sql[i], sql[j]);
		}
}

static void a_text_may_be_cut_anywhere(void **state)
{
	const char *sql = "SELECT /*! x */ `a b`, -5.0e+3 FROM t -- c\n WHERE b IN ('it''s', NULL) AND n = x'4' OR a--1; ";
	char out[LABEL_MAX + 1], text[LABEL_MAX + 1];
	__u64 code = digest_text(sql, strlen(sql), 1, out);
	struct digest d;

	memset(&d, 0xa5, sizeof(d));	/* digest_begin() must be enough */
	digest_begin(&d, 1);
	for (size_t i = 0; i < strlen(sql); i++)
		digest_byte(&d, (__u8)sql[i]);
	assert_true(digest_code(&d, 1) == code);
	for (size_t n = 0; n <= strlen(sql); n++) {
		digest_text(sql, n, 0, text);
		assert_non_null(strstr(text, "… #"));
		*strstr(text, "…") = 0;
		text[strlen(text) - (text[0] && text[strlen(text) - 1] == ' ')] = 0;
		if (strncmp(text, out, strlen(text)))
			fail_msg("cut after %zu: \"%s\" does not begin \"%s\"", n, text, out);
	}
}

static __u64 fingerprint_of(const uint8_t *text, size_t len)
{
	return fingerprint_by(text, len, 0);
}

/* The number of values in a list, and which statement came first, change neither key nor label; a cut text has
 * another key and label. */
static void a_label_depends_on_the_tokens_alone(void **state)
{
	static char few[100000], many[100000], ordered[100000];
	char a[LABEL_MAX + 1], b[LABEL_MAX + 1];
	size_t n = 0, m = 0;

	n += (size_t)sprintf(few, "select a from t where b in (1, 2, 3)");
	m += (size_t)sprintf(many, "select a from t where b in (0");
	for (unsigned i = 0; i < 2000; i++)
		m += (size_t)sprintf(many + m, ", %u", 1000 + i * 7);
	many[m++] = ')';
	assert_true(digest_text(few, n, 1, a) == digest_text(many, m, 1, b));
	assert_string_equal(a, "select a from t where b in ( ? )");
	assert_string_equal(b, a);
	assert_true(digest_text(few, n, 0, a) == digest_text(many, m, 0, b));
	assert_string_equal(b, a);
	is("select a from t where b in (1)", "select a from t where b in ( ? )");
	assert_true(!strncmp(a, "select a from t where b in ( ? ) … #", strlen("select a from t where b in ( ? ) … #")));
	memcpy(ordered, many, m);
	memcpy(ordered + m, " order by a", 11);
	assert_true(digest_text(many, m, 1, a) != digest_text(ordered, m + 11, 1, b));
	digest_text("/* only the begin", 17, 0, a);
	assert_true(!strncmp(a, " … #", strlen(" … #")));
}

/* Texts in the same row have one fingerprint; texts of two rows have different ones. */
static void texts_of_one_fingerprint_differ_in_numbers(void **state)
{
	static const char *const rows[][4] = {
		{ "select c from t where id=5", "select c from t where id=123456789", "select c from t where id=0" },
		{ "select c from t where id= 5", "select c from t where id= 77" },
		{ "select c from t1 where id=5" }, { "select c from t2 where id=5" },
		{ "select 1,-2 , (3)", "select 11,-0 , (33)" },
		{ "1", "22" }, { "?" }, { "" }, { "select 1;", "select 2;" }, { "select 1" , "select 222" },
		{ "select 1.5" }, { "select 1.6" }, { "select 1e5" }, { "select 1e6" }, { "select 0x1" }, { "select 0x2" }, { "select @1" }, { "select @2" },
		{ "select t.1" }, { "select t.2" }, { "select 1x from t" }, { "select 2x from t" }, { "select $1" }, { "select $2" },
		{ "select '5'" }, { "select '6'" }, { "select ' 5 '", "select ' 6 '" }, { "select \xc3\xa9" "1" }, { "select \xc3\xa9" "2" },
		{ "/*!50001 select */ 1", "/*!50001 select */ 2" }, { "/*!50002 select */ 1" },
	};
	const size_t n = sizeof(rows) / sizeof(*rows);

	for (size_t i = 0; i < 4 * n; i++)
		for (size_t j = 0; j < 4 * n; j++) {
			const char *a = rows[i / 4][i % 4], *b = rows[j / 4][j % 4];

			if (a && b && (fingerprint_of((const uint8_t *)a, strlen(a)) ==
				       fingerprint_of((const uint8_t *)b, strlen(b))) != (i / 4 == j / 4))
				fail_msg("\"%s\" and \"%s\"", a, b);
		}
	assert_int_equal(fingerprint_of((const uint8_t *)"select `a 5`", 12), 0);
	assert_int_equal(fingerprint_by((const uint8_t *)"select \"a 5\"", 12, 1), 0);
	assert_int_not_equal(fingerprint_by((const uint8_t *)"select \"a 5\"", 12, 0), 0);
}

static void fingerprint_depends_on_its_seed(void **state)
{
	struct fingerprint a, b;

	for (unsigned i = 0; i < 64; i++) {
		fingerprint_begin(&a, i / 8, 0);
		fingerprint_begin(&b, i % 8, 0);
		fingerprint_byte(&a, 'x');
		fingerprint_byte(&b, 'x');
		assert_int_equal(fingerprint_end(&a) == fingerprint_end(&b), i / 8 == i % 8);
	}
}

/* Texts that differ in their last byte mostly have different places. */
static void sketches_spread_over_the_places(void **state)
{
	char text[] = "select count(*) from orders_?";
	int seen[256] = { 0 }, n = 0;

	for (char last = 'a'; last <= 'z'; last++) {
		__u32 place;

		text[sizeof(text) - 2] = last;
		place = fingerprint_place(fingerprint_of((const uint8_t *)text, sizeof(text) - 1), 8);
		assert_true(place < 256);
		n += !seen[place]++;
	}
	assert_true(n > 20);
}

/* Texts with the same fingerprint are the same statement: texts put together from pieces, and the same with other
 * numbers. */
static void texts_of_one_fingerprint_are_one_statement(void **state)
{
	static const char *const pieces[] = {
		"select ", "from ", "t", "1", "23", "0", "x", ".", ",", "(", ")", "'", "\"", "\\", "-", "--", "/*", "*/", "!", "/", "*", "#",
		"\n", "e", "@", "$", "=", "0x", "0b", "`", "_binary",
		" ", ";", "+", "?", "%", "in ", "insert into ", "values ", "null", "_utf8", "\xc3\xa9", "<", "_",
	};
	size_t said = 0;

	srand(1);
	for (unsigned i = 0; i < 200000; i++) {
		uint8_t text[256];
		size_t len = 0;

		for (unsigned k = 1 + rand() % 14; k; k--) {
			const char *piece = pieces[(unsigned)rand() % (sizeof(pieces) / sizeof(*pieces))];

			memcpy(text + len, piece, strlen(piece));
			len += strlen(piece);
		}
		said += check_fingerprint(text, len, (uint8_t)rand());
	}
	assert_true(said > 20000);
}

static void a_label_reads_as_itself(void **state)
{
	static const char *const sql[] = {
		"select a from t where b in (1,2)", "select `null`", "select `it's`", "select \"\xff\" `\xff\x01\xc3\xa9`", "", "none", "unknown", "shed",
		"select caf\xc3\xa9 from t",
	};
	char longest[600], out[LABEL_MAX + 1];
	__u64 code, again;

	for (size_t i = 0; i < sizeof(sql) / sizeof(*sql); i++) {
		code = digest_text(sql[i], strlen(sql[i]), 1, out);
		assert_int_equal(digest_codes_by(mysql_digest_read, out, &again, 1), 1);
		if (code != again)
			fail_msg("\"%s\" does not read as itself", out);
	}
	for (size_t i = 0; i < sizeof(longest); i++)
		longest[i] = i % 7 ? 'a' : ' ';
	code = digest_text(longest, sizeof(longest), 1, out);
	assert_int_equal(strlen(out), LABEL_MAX);
	assert_int_equal(digest_codes_by(mysql_digest_read, out, &again, 1), 1);
	assert_true(code == again);
	for (__u64 special = 0; special < 2; special++) {
		digest_label_unseen(special, out);
		assert_int_equal(digest_codes_by(mysql_digest_read, out, &again, 1), 1);
		assert_true(again == special);
	}
	digest_label_unseen(0xabcdef0123456789ull, out);
	assert_int_equal(digest_codes_by(mysql_digest_read, out, &again, 1), 1);
	assert_true(again == 0xabcdef0123456789ull);
	assert_int_equal(digest_codes_by(mysql_digest_read, "select 1", &again, 0), -E2BIG);
}

static void random_statements_are_their_tokens(void **state)
{
	static const struct digest_style style = {
		{ "select", "from", "where", "2020_sales", "1e", "0xfg", "a$b", "limit", "col_x", "_id", "@v" },
		{ "5", "1.5e3", "1E-7", "0x1f", "0b01", "'it''s -- '", "\"a`b\"", "x'41'", "null", "TRUE", "_utf8mb4 'x\\''" },
		{ "\n", "\t", "/* ' */", "-- \"\n", "# `\n", "/**/" },
	};

	digests_are_of_the_tokens(mysql_digest_read, &style);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(words_and_literals),
	cmocka_unit_test(a_list_of_literals_is_one_literal),
	cmocka_unit_test(signs_and_comments),
	cmocka_unit_test(names_may_begin_with_a_digit),
	cmocka_unit_test(double_quotes_are_names_in_ansi_quotes),
	cmocka_unit_test(names_are_as_they_are_quoted),
	cmocka_unit_test(a_text_may_be_cut_anywhere),
	cmocka_unit_test(a_label_depends_on_the_tokens_alone),
	cmocka_unit_test(texts_of_one_fingerprint_differ_in_numbers),
	cmocka_unit_test(fingerprint_depends_on_its_seed),
	cmocka_unit_test(sketches_spread_over_the_places),
	cmocka_unit_test(texts_of_one_fingerprint_are_one_statement),
	cmocka_unit_test(a_label_reads_as_itself),
	cmocka_unit_test(random_statements_are_their_tokens),
};

CHECK_MAIN(tests)
