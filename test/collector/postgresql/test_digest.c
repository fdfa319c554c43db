/* Which texts are one statement to PostgreSQL, except for their literals, and which are different statements. */
#include "collector/postgresql/digest.h"
#include "collector/postgresql/digest_text.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"
#include "test/kit/digest_kit.h"

#include <string.h>

static __u64 digest_text(const char *sql, size_t len, int whole, char *out)
{
	return digest_text_by(postgresql_digest_read, sql, len, whole, out);
}

TEST(literals_are_one_symbol)
{
	static const char *const cases[][2] = {
		{ "SELECT c FROM t WHERE id=5", "select c from t where id = ?" },
		{ "  select\tC\n from t where id = $1 ;", "select c from t where id = ?" },
		{ "select 1.5e-3, .5, 1e10", "select ?" },
		{ "select 'it''s', E'a\\'b', e'\\\\', b'1', X'1F', N'a'", "select ?" },
		{ "select 'a\\', b", "select ? , b" },
		{ "select $$a 'b$$, $tag$ $$ $b$ $ta $tag$, $1", "select ?" },
		{ "select $tag$ $$tag$, a", "select ? , a" },
		{ "select $a$ $a$b$ $a$", "select ? b$ ?" },
		{ "select \"User\".\"a\"\"b\", user", "select \"User\" . \"a\"\"b\" , user" },
		{ "select a::int, '5'::text, x[1:2]", "select a :: int , ? :: text , x [ ? : ? ]" },
		{ "select a -- 'x\n, 5 /* a /* b */ 'c */ , d", "select a , ? , d" },
		{ "select 5--5\n+6", "select ? + ?" },
		{ "select a -5, -5, b - - 5, b*-3", "select a - ? , b - ? , b * ?" },
		{ "select a from t where b in (1, $2, 'c')", "select a from t where b in ( ? )" },
		{ "insert into t values (1,'x'), (2, NULL), (3, true)", "insert into t values ( ? )" },
		{ "select a ? 'b', a # 5", "select a ? ? , a # ?" },
		{ "select a$b, _c", "select a$b , _c" },
		{ "select eu'x'", "select eu ?" },
		{ "select e'a' \n\t 'it\\'s', b, 'x'\n'y', 'u' 'v'", "select ? , b , ? ?" },
		{ "select U&'\\0061', u&\"a\", u & 5", "select ? , \"a\" , u & ?" },
		{ "select 0xfe-5, 0x1e+5, 0o17, 0b1, 1_000.5e-1_0, t.null, t.true", "select ? - ? + ? , t . null , t . true" },
		{ "select a from \"2020_sales\" where b = $1::int and c<-5 and d->>'x' = $2", "select a from \"2020_sales\" where b = ? :: int and c < ? and d - > > ? = ?" },
		{ "DEALLOCATE dbdpg_p3204_1", "deallocate ?" }, { "deallocate prepare \"a\"\"b\";", "deallocate prepare ?" },
		{ "deallocate ALL", "deallocate all" }, { "execute a (5)", "execute a ( ? )" }, { "prepare a as select 1", "prepare a as select ?" },
		{ "", "empty" }, { " ; ", "empty" }, { "/* a", "empty" }, { "-- a", "empty" }, { "select \"a", "select" }, { "select 'a", "select ?" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char out[LABEL_MAX + 1], again[LABEL_MAX + 1];
		__u64 code = digest_text(cases[i][0], strlen(cases[i][0]), 1, out);

		if (strcmp(out, cases[i][1]))
			fail_msg("\"%s\" is \"%s\", not \"%s\"", cases[i][0], out, cases[i][1]);
		if (strcmp(out, "empty") && digest_text(out, strlen(out), 1, again) != code)
			fail_msg("\"%s\" does not read as itself", out);
	}
}

TEST(a_text_may_be_cut_anywhere)
{
	const char *sql = "SELECT \"A b\", -5.0e+3::int FROM t -- c\n WHERE b IN ('it''s', $$x$$) AND n = x'4' /* a /* b */ */ OR a--1; ";
	char out[LABEL_MAX + 1], text[LABEL_MAX + 1];

	digest_text(sql, strlen(sql), 1, out);
	for (size_t n = 0; n <= strlen(sql); n++) {
		digest_text(sql, n, 0, text);
		assert_non_null(strstr(text, "… #"));
		*strstr(text, "…") = 0;
		text[strlen(text) - (text[0] && text[strlen(text) - 1] == ' ')] = 0;
		if (strncmp(text, out, strlen(text)))
			fail_msg("cut after %zu: \"%s\" does not begin \"%s\"", n, text, out);
	}
}

static __u64 statement_of(const char *sql, int whole)
{
	struct digest d;

	memset(&d, 0xa5, sizeof(d));	/* digest_begin() must be enough */
	digest_begin(&d, 0);
	for (; *sql; sql++)
		digest_byte(&d, (__u8)*sql);
	digest_code(&d, whole);
	return digest_statement(&d, whole);
}

TEST(a_statement_is_its_first_word)
{
	static const struct { const char *sql; __u64 code; } cases[] = {
		{ "select 1", STATEMENT_CODE("select") }, { "-- a\n /* b */ ((SELECT 1))", STATEMENT_CODE("select") },
		{ ";; WITH a AS (SELECT 1) INSERT", STATEMENT_CODE("with") }, { "deallocate all", STATEMENT_CODE("dealloca") },
		{ "VACUUM", STATEMENT_CODE("vacuum") }, { "nonsense", STATEMENT_MISC }, { "5 select", STATEMENT_MISC },
		{ "\"select\" 1", STATEMENT_MISC }, { "'a' select", STATEMENT_MISC }, { "e'a' select", STATEMENT_MISC }, { "", STATEMENT_MISC },
		{ "$$a$$ select", STATEMENT_MISC }, { "- select", STATEMENT_MISC },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (statement_of(cases[i].sql, 1) != cases[i].code)
			fail_msg("%s", cases[i].sql);
	assert_true(statement_of("-- ", 0) == STATEMENT_UNKNOWN);
	assert_true(statement_of("select a", 0) == STATEMENT_CODE("select"));
}

TEST(random_statements_are_their_tokens)
{
	static const struct digest_style style = {
		{ "select", "from", "where", "\"2020 Sales\"", "\"a\"\"b\"", "a$b", "limit", "col_x", "_id", "u", "e" },
		{ "5", "1.5e3", "1E-7", "0x1f", "1_000", "'it''s -- \\'", "E'a\\'b'", "$$a'b$$", "null", "$1", "U&'x'" },
		{ "\n", "\t", "/* ' /* */ \" */", "-- \"\n", "/**/" },
	};

	digests_are_of_the_tokens(postgresql_digest_read, &style);
}

TEST_MAIN()
