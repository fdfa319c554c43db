/* The first table that a PostgreSQL statement names is found: table.h by its tokens, with names folded as the server
 * folds them. */
#include "collector/postgresql/digest.h"
#include "test/kit/table_kit.h"

static const struct table_case cases[] = {
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
	{ "select a into u from t", "u" }, { "create view v as select a from t", "t" }, { "copy (insert into t values (1) returning a) to stdout", "insert" },
	{ "select a from U&\"d\\0061t\"", "d\\0061t" }, { "drop table t, u", "t" }, { "reindex table t", "t" }, { "lock table only t", "t" },
	{ "select a from \xc3\x89t", "\xc3\x89t" }, { "select a from t$1", "t$1" },
	{ "select * into temp t from u", "t" }, { "select a into temporary table t from u", "t" }, { "SELECT a INTO UNLOGGED T FROM u", "t" },
	{ "select * into temp s.t from u", "s.t" }, { "select * into table t from u", "t" }, { "with w as (select 1) select * into temp t from w", "t" },
	{ "select * into table temp from u", "temp" }, { "select a into \"temp\" from u", "temp" }, { "insert into temp values (1)", "temp" },
	{ "insert into temp select a from u", "temp" }, { "merge into temp using u on true when matched then delete", "temp" }, { "select a from temp t", "temp" },
	{ "copy binary t to stdout", "t" }, { "COPY BINARY s.t from stdin", "s.t" }, { "select a from dual", "dual" }, { "select a from rows", "rows" },
	{ "select a from rows r, u", "rows" }, { "select a from rows, (select 1 from u) x", "rows" }, { "select a from s.rows", "s.rows" }, { "select a from rows.rows", "rows.rows" },
	{ "select a from \"rows\" where b", "rows" }, { "select a from rows from(f(1)) r join t on true", "t" }, { "explain (verbose) select a from t", "t" },
	{ "explain analyze verbose insert into t values (1)", "t" }, { "select analyze from t", "t" }, { "select a from unlogged", "unlogged" },
	/* no table */
	{ "select * from rows from (generate_series(1, 2), f(3)) with ordinality r", NONE }, { "select * from rows from (json_to_recordset('x') as (a int))", NONE },
	{ "explain select 1", NONE }, { "explain analyze select 1", NONE },
	{ "", NONE }, { "select 1", NONE }, { "begin", NONE }, { "set search_path to s", NONE }, { "show server_version", NONE },
	{ "fetch 5 from c", NONE }, { "close c", NONE }, { "grant select on t to u", NONE }, { "revoke all on table t from u", NONE },
	{ "select f(a)", NONE }, { "vacuum", NONE }, { "do $$ begin perform 1 from t; end $$", NONE }, { "listen c", NONE },
	{ "vacuum t", NONE }, { "vacuum full analyze t", NONE }, { "analyze t", NONE }, { "cluster t using i", NONE }, { "call p(1)", NONE }, { "execute p", NONE },
	{ "lock t in share mode", NONE }, { "refresh materialized view v", NONE }, { "drop view v", NONE }, { "create policy p on t using (true)", NONE },
	{ "create rule r as on update to t do instead nothing", NONE }, { "drop index i", NONE }, { "select a from", NONE },
	/* a literal is no table */
	{ "select a from 'secret'", NONE }, { "select a from e'secret'", NONE }, { "select a from $$secret$$", NONE }, { "select a from $1", NONE },
	{ "select a from s.'secret'", "s" }, { "select a from \"unended", NONE },
};

TEST(the_first_table_is_found)
{
	table_cases_hold(cases, sizeof(cases) / sizeof(*cases));
}

TEST(a_cut_text_gives_no_wrong_table)
{
	table_cases_hold_cut(cases, sizeof(cases) / sizeof(*cases));
}

TEST_MAIN()
