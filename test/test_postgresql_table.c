/* The first table that a statement of PostgreSQL's names: table.h by its tokens, with names folded as the server folds them. */
#include "collector/postgresql_digest.h"
#include "check.h"

#define NONE "-"
#define UNKNOWN "?"

/* The name, or one of the two above. */
static const char *table_of(const char *sql, size_t n, int whole)
{
	static char out[NAME_ROOM + 1];
	struct digest d;
	__u64 code;

	memset(&d, 0xa5, sizeof(d));
	digest_begin(&d, 1);
	for (size_t i = 0; i < n; i++)
		digest_byte(&d, (__u8)sql[i]);
	digest_code(&d, whole);
	code = table_code(&d.table, whole);
	memcpy(out, d.table.name.text, d.table.name.n);
	out[d.table.name.n] = 0;
	return code == NAME_NONE ? NONE : code == NAME_UNKNOWN ? UNKNOWN : out;
}

static const struct { const char *sql, *table; } cases[] = {
	{ "select a from t where b = $1", "t" }, { "SELECT a FROM T", "t" }, { "select a from Public.T x", "public.t" },
	{ "select a from \"T\"", "T" }, { "select*from\"A b\".\"c\"\"D\" as x", "A b.c\"D" }, { "select a from S.\"T\"", "s.T" },
	{ "select a from only t", "t" }, { "select \"from\", u.\"x y\" from t", "t" }, { "select a from t \"x\", u", "t" },
	{ "select abalance from pgbench_accounts where aid = 5;", "pgbench_accounts" }, { "table T", "t" },
	{ "select a.b::text from (select -1 as b) a join \"U\" on true", "U" }, { "select 1 union all select a from t", "t" },
	{ "select extract(epoch from a), trim(both 'x' from b), substring(c from 2) from t", "t" },
	{ "with w as (select a from t) select * from w", "t" }, { "select a from t for update of t skip locked", "t" },
	{ "select a is not distinct from b from t", "t" }, { "select distinct on (a) b from t", "t" },
	{ "select * from generate_series(1, 5)", "generate_series" }, { "select a from lateral (select b from t) x", "t" },
	{ "insert into T (a) values (1) on conflict (a) do update set a = 2 returning a", "t" }, { "update only t set a = 1 from u", "t" },
	{ "delete from t using u where t.a = u.a", "t" }, { "merge into t using u on t.a = u.a when matched then delete", "t" },
	{ "truncate only t, u", "t" }, { "copy T (a, b) from stdin", "t" }, { "copy (select a from t) to stdout", "t" },
	{ "create table if not exists t (a int references u)", "t" }, { "create temp table t as select * from u", "t" },
	{ "create unique index concurrently i on only t (a)", "t" }, { "alter table only t add b int", "t" }, { "lock table t in share mode", "t" },
	{ "create trigger r before update of a on t for each row execute function f()", "t" }, { "comment on table t is 'u'", "t" },
	{ "explain (analyze, format json) select a from t", "t" }, { "explain analyze update t set a = 1", "t" },
	{ "declare c cursor for select a from t", "t" }, { "prepare p (int) as select a from t where b = $1", "t" },
	{ "begin; update t set a = 2; select b from u", "t" }, { "select a ? 'b' from t", "t" }, { "select /* from u /* from v */ */ a from t", "t" },
	{ "select a -- from u\nfrom t", "t" }, { "select $$ from u $$, $x$ from v $x$, E'it\\'s from w' from t", "t" },
	{ "select a from \xc3\x89t", "\xc3\x89t" }, { "select a from t$1", "t$1" },
	/* none */
	{ "", NONE }, { "select 1", NONE }, { "begin", NONE }, { "set search_path to s", NONE }, { "show server_version", NONE },
	{ "fetch 5 from c", NONE }, { "close c", NONE }, { "grant select on t to u", NONE }, { "revoke all on table t from u", NONE },
	{ "select f(a)", NONE }, { "vacuum", NONE }, { "do $$ begin perform 1 from t; end $$", NONE }, { "listen c", NONE },
	{ "create rule r as on update to t do instead nothing", NONE }, { "drop index i", NONE }, { "select a from", NONE },
	/* what a literal is, is no table */
	{ "select a from 'secret'", NONE }, { "select a from e'secret'", NONE }, { "select a from $$secret$$", NONE }, { "select a from $1", NONE },
	{ "select a from s.'secret'", "s" }, { "select a from \"unended", NONE },
};

static void the_first_table_is_found(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *have = table_of(cases[i].sql, strlen(cases[i].sql), 1);

		if (strcmp(have, cases[i].table))
			fail_msg("\"%s\": \"%s\", not \"%s\"", cases[i].sql, have, cases[i].table);
	}
}

/* Of a text whose end is not known, a table that is told is that of the whole. */
static void a_cut_text_tells_nothing_wrong(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t n = 0; n <= strlen(cases[i].sql); n++) {
			const char *have = table_of(cases[i].sql, n, 0);

			if (strcmp(have, UNKNOWN) && strcmp(have, cases[i].table))
				fail_msg("\"%.*s\": \"%s\", not \"%s\"", (int)n, cases[i].sql, have, cases[i].table);
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_first_table_is_found),
	cmocka_unit_test(a_cut_text_tells_nothing_wrong),
};

CHECK_MAIN(tests)
