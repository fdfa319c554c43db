/* The first table that a statement names is found. */
#include "collector/mysql/digest.h"
#include "test/kit/table_kit.h"

#include <stdio.h>

static const struct table_case cases[] = {
	{ "select a from t where b = 1", "t" }, { "SELECT a FROM T", "T" }, { "select*from`a b`", "a b" },
	{ "select a from db.t", "db.t" }, { "SELECT s.1st FROM t1db.2020_Sales s", "t1db.2020_Sales" }, { "select a from 2020_sales", "2020_sales" },
	{ "insert into 1e values (1)", "1e" }, { "update db.1e5 set a = 1", "db.1e5" }, { "select a from 0xfg.0x1", "0xfg.0x1" },
	{ "select a from `d``b`.`t``u`", "d`b.t`u" }, { "select a from t where b in (select 2nd from u)", "t" }, { "select a from `d b` . `t.u` x", "d b.t.u" }, { "select a from db . t", "db.t" },
	{ "select a from t, u", "t" }, { "select a from t join u on t.a = u.a", "t" }, { "(select a from t)", "t" },
	{ "select a from (select b from u) t", "u" }, { "select a from ((select b from u) t)", "u" },
	{ "select a from (t1 join t2 on 1)", "t1" }, { "select a from (select 1) x join t", "t" },
	{ "select (select b from u) from t", "u" }, { "select a from t where b in (select c from u)", "t" },
	{ "with w as (select a from t) select * from w", "t" }, { "select 1 union select a from t", "t" },
	{ "select extract(year from c), trim(both 'x' from d), substring(e from 2) from t", "t" },
	{ "select insert(a, 1, 2, 'x'), replace(b, c, d) from t", "t" },
	{ "select a into @x from t", "t" }, { "select a into outfile 'f' from t", "t" }, { "select a from t for update", "t" },
	{ "select a from lateral (select b from t) x", "t" }, { "/*!40001 select */ a /* from u */ from t", "t" },
	{ "select a -- from u\nfrom t", "t" }, { "select a # from u\n from /* c */ t", "t" },
	{ "select 'from u', \"from v\" from t", "t" }, { "select `from` from t", "t" }, { "select t.from, 1 from t", "t" },
	{ "insert into t values (1)", "t" }, { "INSERT IGNORE INTO db.t (a) select b from u", "db.t" }, { "insert t set a = 1", "t" },
	{ "insert low_priority into t values (1) on duplicate key update a = 1", "t" }, { "replace into t values (1)", "t" },
	{ "replace delayed t values (1)", "t" }, { "update t set a = 1", "t" }, { "update low_priority ignore t set a = 1", "t" },
	{ "update t, u set t.a = 1", "t" }, { "delete from t where a = 1", "t" }, { "delete u from t join u", "t" },
	{ "create table if not exists t (a int)", "t" }, { "create temporary table t select * from u", "t" }, { "drop table if exists db.t", "db.t" },
	{ "alter table t add b int", "t" }, { "truncate table t", "t" }, { "truncate t", "t" }, { "lock tables t read", "t" },
	{ "rename table t to u", "t" }, { "load data infile 'f' into table t", "t" }, { "flush tables t", "t" }, { "analyze table t", "t" },
	{ "describe t", "t" }, { "desc db.t", "db.t" }, { "desc select a from t", "t" }, { "explain select a from t", "t" },
	{ "explain update t set a = 1", "t" }, { "handler t open", "t" }, { "show columns from t", "t" }, { "show create table t", "t" },
	{ "show full columns from t from db", "t" }, { "select * from information_schema.tables", "information_schema.tables" },
	{ "select * from tables", "tables" }, { "select * from events", "events" }, { "select * from status", "status" },
	{ "begin; select a from t; select b from u", "t" }, { "do 1; update t set a = 2", "t" },
	{ "select a from \xc3\xa9t\xe9", "\xc3\xa9t\xe9" }, { "select a from t$1@x", "t$1@x" },
	{ "create trigger r before update on t for each row set @a = 1", "t" }, { "create trigger r after insert on db.t for each row update u set a = 1", "db.t" },
	{ "create definer = `a`@`b` trigger if not exists r before delete on `t u` for each row delete from u", "t u" },
	{ "create unique index if not exists i on t (a)", "t" }, { "drop index i on t", "t" }, { "show index from t", "t" },
	{ "alter table t add index i (a)", "t" }, { "select a from t force index for join (i) where b", "t" },
	{ "desc format=json select a from t", "t" }, { "desc format=json update t set a = 1", "t" }, { "explain format=json select a from t", "t" },
	{ "analyze format=json delete from t", "t" }, { "desc format", "format" },
	{ "load index into cache t", "t" }, { "load index into cache db.t index (i), u", "db.t" }, { "cache index t in hot", "t" },
	{ "load data infile 'f' into table cache fields terminated by ','", "cache" }, { "insert into cache values (1)", "cache" },
	{ "select a from cache", "cache" }, { "select a from t for update nowait", "t" }, { "(select 1 for update) union select a from t", "t" },
	{ "select 1 for update; update t set a = 1", "t" }, { "select a is distinct from b from t", "t" }, { "select distinct a from t", "t" },
	{ "update only t set a = 1", "t" }, { "copy t from stdin", "t" }, { "copy (select a from t) to stdout", "t" },
	{ "explain t", "t" }, { "EXPLAIN db.t a", "db.t" }, { "explain `select`", "select" }, { "explain insert into t values (1)", "t" }, { "desc insert ignore into t values (1)", "t" },
	{ "explain extended select a from t", "t" }, { "desc partitions select a from t", "t" }, { "explain analyze select a from t", "t" },
	{ "explain replace into t values (1)", "t" }, { "explain delete from t", "t" }, { "explain (select a from t)", "t" }, { "explain table t", "t" },
	{ "explain with w as (select a from t) select * from w", "t" }, { "select 1; explain t", "t" }, { "select explain from t", "t" },
	{ "insert into temp values (1)", "temp" }, { "replace into temp select * from u", "temp" }, { "select a from temp where b", "temp" }, { "select a from `dual`", "dual" },
	{ "select a from db.dual", "db.dual" }, { "select a from partitions", "partitions" }, { "load data infile 'f' into table temp", "temp" },
	{ "select a from t where exists (select 1 from dual)", "t" }, { "insert into t select 1 from dual", "t" }, { "select a from analyze", "analyze" },
	/* no table */
	{ "select 1 from dual", NONE }, { "select 1 FROM DUAL where 1", NONE }, { "explain select 1", NONE }, { "explain for connection 5", NONE },
	{ "explain format=json select 1 from dual", NONE },
	{ "select 1 for update nowait", NONE }, { "select 1 for update skip locked", NONE }, { "desc for connection 5", NONE },
	{ "drop trigger if exists r", NONE }, { "show create trigger r", NONE }, { "create trigger r before update", NONE },
	{ "fetch next from c", NONE }, { "desc format=json select 1", NONE },
	{ "", NONE }, { "select 1", NONE }, { "commit", NONE }, { "set @a = 1", NONE }, { "use t", NONE }, { "call p(1)", NONE },
	{ "show tables from db", NONE }, { "show table status from db", NONE }, { "show open tables from db", NONE }, { "show triggers from db", NONE },
	{ "revoke select on db.t from u", NONE }, { "grant select on t to u", NONE }, { "flush tables with read lock", NONE },
	{ "prepare s from 'select a from t'", NONE }, { "prepare s from @t", NONE }, { "select a from", NONE }, { "select a from .", NONE },
	{ "select extract(year from c)", NONE }, { "select a from where", NONE }, { "))) from t", NONE },
	/* a literal is no table */
	{ "select a from 'secret'", NONE }, { "select a from \"secret\"", NONE }, { "select a from x'41'", NONE }, { "select a from _utf8'secret'", NONE },
	{ "select a from 4711", NONE }, { "select a from 4711.5", NONE }, { "select a from 0x41", NONE }, { "select a from -4711", NONE },
	{ "select a from db. 4711", "db" }, { "select a from db . x'41'", "db" }, { "select a from null", NONE }, { "select a from ?", NONE },
	{ "select a from -5", NONE }, { "insert into t'secret'", "t" }, { "select a from db.'secret'", "db" }, { "select a from n'secret'", NONE },
	{ "update 'a' 'from secret'", NONE }, { "select 'it''s from secret'", NONE }, { "select 'it\\'s from secret'", NONE },
};

static void the_first_table_is_found(void **state)
{
	table_cases_hold(cases, sizeof(cases) / sizeof(*cases));
}

static void a_cut_text_gives_no_wrong_table(void **state)
{
	table_cases_hold_cut(cases, sizeof(cases) / sizeof(*cases));
}

static void every_word_stands_where_its_hash_says(void **state)
{
	for (size_t i = 0; i < 64; i++)
		if (table_words[i].role)
			assert_int_equal(TABLE_WORD_HASH(table_words[i].word), i);
}

static void a_long_name_is_cut(void **state)
{
	char sql[NAME_ROOM + 100] = "select a from ";
	size_t at = strlen(sql), n = NAME_ROOM + 50;

	memset(sql + at, 'x', n);
	assert_int_equal(strlen(table_of(sql, at + n, 1)), NAME_ROOM);
}

/* In brackets deeper than the parser remembers, FROM names nothing: no table is better than a wrong one. */
static void brackets_may_be_deep(void **state)
{
	char sql[700];
	size_t n = 0;

	n += (size_t)snprintf(sql, sizeof(sql), "select ");
	memset(sql + n, '(', 200);
	n += 200;
	n += (size_t)snprintf(sql + n, sizeof(sql) - n, "c from x");
	assert_string_equal(table_of(sql, n, 1), NONE);
}

static void it_is_not_looked_for_unless_asked(void **state)
{
	const char *sql = "select a from t";
	struct digest d;

	digest_begin(&d, 0);
	while (*sql)
		digest_byte(&d, (__u8)*sql++);
	digest_code(&d, 1);
	assert_int_equal(d.table.name.n, 0);
	assert_int_equal(table_code(&d.table, 1), NAME_UNKNOWN);	/* asked for after the text had begun */
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_first_table_is_found),
	cmocka_unit_test(a_cut_text_gives_no_wrong_table),
	cmocka_unit_test(every_word_stands_where_its_hash_says),
	cmocka_unit_test(a_long_name_is_cut),
	cmocka_unit_test(brackets_may_be_deep),
	cmocka_unit_test(it_is_not_looked_for_unless_asked),
};

CHECK_MAIN(tests)
