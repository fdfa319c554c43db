#include "test/kit/check.h"

#include "aggregator/aggregator.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

struct place {
	char dir[64];
	struct conf conf;
};

static void place_begin(struct place *p)
{
	snprintf(p->dir, sizeof(p->dir), "/tmp/heatscope-whole-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	conf_init(&p->conf);
	snprintf(p->conf.listen, sizeof(p->conf.listen), "unix:%s/http", p->dir);
	snprintf(p->conf.socket, sizeof(p->conf.socket), "%s/ingest", p->dir);
	snprintf(p->conf.database, sizeof(p->conf.database), "%s/db", p->dir);
}

/* Removes the folder, in which only the database and its lock may be left. */
static void place_end(struct place *p)
{
	static const char *const left[] = { "db", "db-lock", "db-wal", "db-shm" };
	char path[128];

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++) {
		snprintf(path, sizeof(path), "%s/%s", p->dir, left[i]);
		unlink(path);
	}
	if (rmdir(p->dir))
		fail_msg("%s: %s", p->dir, strerror(errno));
}

static void end(struct aggregator *a, uv_loop_t *loop)
{
	aggregator_stop(a);
	uv_run(loop, UV_RUN_DEFAULT);
	aggregator_close(a);
	assert_int_equal(uv_loop_close(loop), 0);
}

TEST(it_begins_and_ends_and_leaves_no_socket)
{
	static struct aggregator a;
	struct place p;
	uv_loop_t loop;
	char reason[CONF_REASON_MAX];

	place_begin(&p);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(uv_loop_init(&loop), 0);
		if (aggregator_open(&a, &loop, &p.conf, reason))
			fail_msg("%s", reason);
		assert_int_equal(access(p.conf.socket, F_OK), 0);
		uv_run(&loop, UV_RUN_NOWAIT);
		end(&a, &loop);
		assert_int_equal(access(p.conf.socket, F_OK), -1);
		assert_int_equal(access(p.conf.listen + 5, F_OK), -1);
	}
	place_end(&p);
}

TEST(two_on_one_database_are_refused_and_the_first_lives_on)
{
	static struct aggregator a, b;
	static struct conf other;
	struct place p;
	uv_loop_t loop, loop_b;
	char reason[CONF_REASON_MAX];

	place_begin(&p);
	other = p.conf;
	snprintf(other.listen, sizeof(other.listen), "unix:%s/http2", p.dir);
	snprintf(other.socket, sizeof(other.socket), "%s/ingest2", p.dir);
	assert_int_equal(uv_loop_init(&loop), 0);
	assert_int_equal(uv_loop_init(&loop_b), 0);
	assert_int_equal(aggregator_open(&a, &loop, &p.conf, reason), 0);
	assert_int_equal(aggregator_open(&b, &loop_b, &other, reason), -EBUSY);
	assert_non_null(strstr(reason, "another heatscoped uses the database"));
	end(&b, &loop_b);
	assert_int_equal(access(p.conf.socket, F_OK), 0);
	end(&a, &loop);
	place_end(&p);
}

TEST(a_failed_start_leaves_the_running_one_alone)
{
	static struct aggregator a, b;
	static struct conf other;
	struct place p;
	uv_loop_t loop, loop_b;
	char reason[CONF_REASON_MAX];

	place_begin(&p);
	other = p.conf;
	strcpy(other.database, "memory");
	assert_int_equal(uv_loop_init(&loop), 0);
	assert_int_equal(aggregator_open(&a, &loop, &p.conf, reason), 0);
	for (int taken = 0; taken < 2; taken++) {	/* first the collectors' socket, then HTTP's */
		assert_int_equal(uv_loop_init(&loop_b), 0);
		if (taken)
			snprintf(other.socket, sizeof(other.socket), "%s/ingest2", p.dir);
		assert_int_equal(aggregator_open(&b, &loop_b, &other, reason), -EADDRINUSE);
		assert_non_null(strstr(reason, "another program listens"));
		end(&b, &loop_b);
		assert_int_equal(access(p.conf.socket, F_OK), 0);
		assert_int_equal(access(p.conf.listen + 5, F_OK), 0);
	}
	end(&a, &loop);
	place_end(&p);
}

TEST_MAIN()
