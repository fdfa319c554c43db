#include "collector/proc/self.h"
#include "collector/probe/self_stats.h"
#include "test/kit/meter_kit.h"

#include <errno.h>

TEST(fdinfo_shows_programs_and_maps)
{
	static const char program[] = "pos:\t0\nflags:\t02000002\nmnt_id:\t15\nino:\t1046\nprog_type:\t26\nprog_jited:\t1\n"
				      "prog_tag:\t9a5bfd\nmemlock:\t8192\nprog_id:\t17\nrun_time_ns:\t1234\nrun_cnt:\t5\n";
	static const char map[] = "pos:\t0\nmap_type:\t2\nkey_size:\t4\nmap_flags:\t0x400\nmemlock:\t67108864\nmap_id:\t9\nfrozen:\t0\n";
	struct self_object o;

	self_parse_fdinfo(program, strlen(program), &o);
	assert_true(o.is_program && !o.is_map);
	assert_int_equal(o.id, 17);
	assert_int_equal(o.memory_bytes, 8192);
	assert_int_equal(o.run_ns, 1234);
	assert_int_equal(o.runs, 5);
	self_parse_fdinfo(map, strlen(map), &o);
	assert_true(o.is_map && !o.is_program);
	assert_int_equal(o.id, 9);
	assert_int_equal(o.memory_bytes, 67108864);
	self_parse_fdinfo("pos:\t0\nprog_id:\tx\n", 18, &o);
	assert_true(!o.is_map && !o.is_program);
}

TEST(pages_in_memory)
{
	__u64 pages = 0;

	assert_int_equal(self_parse_statm("9374 2635 1890 40 0 5000 0\n", 27, &pages), 0);
	assert_int_equal(pages, 2635);
	assert_int_equal(self_parse_statm("9374\n", 5, &pages), -EBADMSG);
	assert_int_equal(self_parse_statm("", 0, &pages), -EBADMSG);
}

TEST(ticks_come_in_order_and_once)
{
	struct self_stats_tick t = { .probe = "kernel" };
	__u64 at;

	t.end_ns = 1;
	self_stats_put(&t);
	at = self_stats_now();
	for (t.end_ns = 2; t.end_ns <= 4; t.end_ns++)
		self_stats_put(&t);
	for (__s64 i = 2; i <= 4; i++) {
		assert_int_equal(self_stats_next(&at, &t), 1);
		assert_int_equal(t.end_ns, i);
	}
	assert_int_equal(self_stats_next(&at, &t), 0);
	for (t.end_ns = 5; t.end_ns < 5 + 2 * SELF_STATS_TICKS; t.end_ns++)
		self_stats_put(&t);
	assert_int_equal(self_stats_next(&at, &t), 1);		/* the oldest that is still there */
	assert_int_equal(t.end_ns, 5 + SELF_STATS_TICKS);
}

TEST(a_tick_is_an_event)
{
	const struct self_stats_tick t = { "proc", 1700000000000000000, 5000, 300, 2, 99 };
	struct kit k = { 0 };
	char reason[REASON_MAX];
	void *self;

	assert_int_equal(ticks_meter.start(&self, reason), 0);
	assert_int_equal(kit_read(&k, &ticks_meter, self, 0), 0);
	assert_int_equal(k.n[0], 0);
	self_stats_put(&t);
	assert_int_equal(kit_read(&k, &ticks_meter, self, 0), 0);
	assert_int_equal(k.n[0], 1);
	assert_non_null(kit_find(&k, 0, 0, "proc"));
	assert_int_equal(k.event[0][0].end_ns, 1700000000000000000);
	assert_int_equal(k.event[0][0].measure[0], 5000);
	assert_int_equal(k.event[0][0].measure[1], 300);
	assert_int_equal(k.event[0][0].measure[2], 2);
	assert_int_equal(k.event[0][0].measure[3], 99);
	ticks_meter.stop(self);
	words_fini(&k.words);
}

TEST(the_process_is_this_one)
{
	struct kit k = { 0 };
	char reason[REASON_MAX];
	void *self;

	assert_int_equal(process_meter.start(&self, reason), 0);
	assert_int_equal(kit_read(&k, &process_meter, self, 0), 0);
	assert_int_equal(k.n[0], 0);
	assert_int_equal(kit_read(&k, &process_meter, self, 1000000000), 0);
	assert_int_equal(k.n[0], 1);
	assert_in_range(k.event[0][0].measure[0], 0, 100);
	assert_in_range(k.event[0][0].measure[1], 100000, 1000000000);
	process_meter.stop(self);
	words_fini(&k.words);
}

TEST(the_spool_meter_shows_the_latest_stocks)
{
	struct kit k = { 0 };
	char reason[REASON_MAX];
	void *self;

	assert_int_equal(spool_meter.start(&self, reason), 0);
	self_stats_spool_set(&(struct self_stats_spool){ 4096, 3, 10 });
	assert_int_equal(kit_read(&k, &spool_meter, self, 0), 0);
	self_stats_spool_set(&(struct self_stats_spool){ 8192, 4, 14 });
	assert_int_equal(kit_read(&k, &spool_meter, self, 2000000000), 0);
	assert_int_equal(k.n[0], 1);
	assert_int_equal(k.event[0][0].measure[0], 8192);
	assert_int_equal(k.event[0][0].measure[1], 4);
	assert_int_equal(k.event[0][0].measure[2], 2);
	spool_meter.stop(self);
	words_fini(&k.words);
}

TEST_MAIN()
