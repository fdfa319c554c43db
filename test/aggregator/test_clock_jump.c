/* Runs all of heatscoped on a real database, with a clock that jumps: what is kept, what is in memory, which sources it
 * waits for. */
#include "test/kit/wire_kit.h"

#include "aggregator/aggregator.h"
#include "aggregator/base/clock.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/un.h>

#define S 1000000000ll
#define DAY (86400 * S)
#define SLOTS 300
#define EVENTS (9 * SLOTS)

/* --- this program's clocks: the kernel's, plus an offset --- */

static __s64 wall_extra_ns, boot_extra_ns;

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int err = (int)syscall(SYS_clock_gettime, clock, ret);
	__s64 extra = clock == CLOCK_REALTIME ? wall_extra_ns + boot_extra_ns : clock == CLOCK_BOOTTIME ? boot_extra_ns : 0;
	__s64 ns = (__s64)ret->tv_sec * S + ret->tv_nsec + extra;

	ret->tv_sec = ns / S;
	ret->tv_nsec = ns % S;
	return err;
}

/* --- a daemon and a collector on one thread --- */

static struct {
	char dir[64];
	struct conf conf;
	struct aggregator a;
	uv_loop_t loop;
	int fd;
	__u64 inst;
	__u32 seq;
} d;

static void daemon_send(enum frame_type type, const void *data, size_t len)
{
	struct bytes frame = { 0 };

	frame_put(&frame, type, data, len);
	/* a frame is far smaller than a socket's buffer */
	while (write(d.fd, frame.data, frame.len) != (ssize_t)frame.len)
		uv_run(&d.loop, UV_RUN_NOWAIT);
	bytes_fini(&frame);
}

static void daemon_begin(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	json_t *hello = wire_hello("db1", "ok", "");
	char reason[CONF_REASON_MAX], *text = json_dumps(hello, 0);

	assert_int_equal(uv_loop_init(&d.loop), 0);
	if (aggregator_open(&d.a, &d.loop, &d.conf, reason))
		fail_msg("%s", reason);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/ingest", d.dir);
	d.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(d.fd, (struct sockaddr *)&at, sizeof(at)), 0);
	daemon_send(FRAME_HELLO, text, strlen(text));
	free(text);
	json_decref(hello);
}

static void daemon_end(void)
{
	close(d.fd);
	aggregator_stop(&d.a);
	uv_run(&d.loop, UV_RUN_DEFAULT);
	aggregator_close(&d.a);
	assert_int_equal(uv_loop_close(&d.loop), 0);
}

/* Runs until `n` more batches are stored. */
static void daemon_stores(__u64 n)
{
	__u64 until = store_queue_counters(d.a.services.store_queue)->batches + n;

	while (store_queue_counters(d.a.services.store_queue)->batches < until)
		uv_run(&d.loop, UV_RUN_ONCE);
}

/* Sends nine events each in the slots from..from+n-1, relative to now. */
static void daemon_sends(__s64 from, __s64 n)
{
	static const __u64 value[9] = { 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000 };
	__s64 now = now_ns() / S;

	for (__s64 slot = now + from; slot < now + from + n; slot++) {
		struct bytes batch = { 0 };

		wire_batch(&batch, "db1", d.inst, slot, d.seq++, "select", value, 9);
		daemon_send(FRAME_BATCH, batch.data, batch.len);
		bytes_fini(&batch);
	}
}

static void daemon_measures(__s64 from, __s64 n)
{
	daemon_sends(from, n);
	daemon_stores((__u64)n);
}

/* Does the work of the timers: it checks the clock, expires, compacts. */
static void daemon_tidies(void)
{
	__u64 commits = store_queue_counters(d.a.services.store_queue)->commits;

	d.a.n_upkeeps = 0;
	uv_timer_set_repeat(&d.a.upkeep, 1);
	uv_timer_again(&d.a.upkeep);
	while (!d.a.upkeep_busy)
		uv_run(&d.loop, UV_RUN_ONCE);
	uv_timer_stop(&d.a.upkeep);
	while (d.a.upkeep_busy)
		uv_run(&d.loop, UV_RUN_ONCE);
	assert_true(store_queue_counters(d.a.services.store_queue)->commits >= commits);
}

/* --- the stored data --- */

struct found {
	__u64 n;
	bool step;
};

static void found_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct hist_reader r;

	if (!s->axis && !s->weight && !hist_reader_open(&r, s->ruler, s->hist, s->hist_len))
		((struct found *)arg)->n += r.count;
}

static void found_mark(void *arg, const struct mark *mark)
{
	((struct found *)arg)->step |= mark->kind == MARK_CLOCK_STEP && (mark->value < -100 * DAY || mark->value > 100 * DAY);
}

/* Reads the store on this thread: no job of it runs now. */
static struct found found(int tier, __s64 from_ns, __s64 to_ns)
{
	struct found f = { 0 };
	const struct store_reader reader = { .arg = &f, .slice = found_slice, .mark = found_mark };
	const struct store_range range = { .first = from_ns / S, .last = to_ns / S, .axis = 0, .weight = 0, .tier = tier };

	assert_int_equal(d.a.store->ops->read(d.a.store, d.inst, &range, &reader), 0);
	return f;
}

static __u64 events(int tier, __s64 now) { return found(tier, now - DAY, now + DAY).n; }

static void made(void *arg, int err, const struct catalog_inst *made)
{
	assert_int_equal(err, 0);
	*(__u64 *)arg = made->in.id;
}

/* Kept for an hour, as minutes for two weeks, as hours for a year; deleted when no one asks for it for two hours. */
static int begin(void **state)
{
	json_t *request = wire_request("command");
	char reason[REASON_MAX] = "";

	memset(&d, 0, sizeof(d));
	wall_extra_ns = boot_extra_ns = 0;
	signal(SIGPIPE, SIG_IGN);
	snprintf(d.dir, sizeof(d.dir), "/tmp/heatscope-clock-XXXXXX");
	assert_non_null(mkdtemp(d.dir));
	conf_init(&d.conf);
	snprintf(d.conf.listen, sizeof(d.conf.listen), "unix:%s/http", d.dir);
	snprintf(d.conf.socket, sizeof(d.conf.socket), "%s/ingest", d.dir);
	snprintf(d.conf.database, sizeof(d.conf.database), "%s/db", d.dir);
	daemon_begin();
	while (!catalog_metric_find(d.a.services.catalog, "mysql", "queries"))
		uv_run(&d.loop, UV_RUN_ONCE);
	json_object_set_new(request, "idle-max", json_integer(7200));
	json_object_set_new(request, "tiers", json_pack("[i, i]", 14 * 86400, 365 * 86400));
	if (catalog_create(d.a.services.catalog, request, now_ns(), made, &d.inst, reason))
		fail_msg("%s", reason);
	json_decref(request);
	while (!d.inst)
		uv_run(&d.loop, UV_RUN_ONCE);
	daemon_measures(-SLOTS, SLOTS);
	daemon_tidies();
	return 0;
}

static int end(void **state)
{
	static const char *const left[] = { "db", "db-lock", "db-wal", "db-shm" };
	char path[128];

	daemon_end();
	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++) {
		snprintf(path, sizeof(path), "%s/%s", d.dir, left[i]);
		unlink(path);
	}
	return rmdir(d.dir);
}

static __s64 cube_newest(void)
{
	__s64 first, last;

	assert_int_equal(cube_range(d.a.services.cube, d.inst, &first, &last), 0);
	return last;
}

/* --- tests --- */

TEST_WITH(a_clock_that_was_ahead_wipes_nothing, begin, end)
{
	static const __s64 leap_ns[] = { 463 * DAY, 2 * DAY, 20 * DAY };
	__s64 now = now_ns();

	for (size_t i = 0; i < sizeof(leap_ns) / sizeof(*leap_ns); i++) {
		assert_int_equal(events(0, now), EVENTS + 9 * i);
		wall_extra_ns = leap_ns[i];
		daemon_tidies();
		daemon_measures(-5, 5);
		daemon_tidies();
		for (int tier = 0; tier < TIERS; tier++)
			assert_int_equal(events(tier, now), EVENTS + 9 * i);
		assert_int_equal(found(0, now + leap_ns[i] - DAY / 2, now + leap_ns[i] + DAY / 2).n, 45);
		assert_non_null(catalog_find(d.a.services.catalog, d.inst));	/* nor did it idle out */

		wall_extra_ns = 0;
		daemon_tidies();
		daemon_measures(i, 1);
		assert_int_equal(events(0, now), EVENTS + 9 * (i + 1));
		assert_in_range(cube_newest(), now / S, now / S + 60);
		assert_in_range(catalog_find(d.a.services.catalog, d.inst)->sighting[0].slot, now / S, now / S + 60);
	}
	assert_true(found(0, now + 463 * DAY - DAY / 2, now + 463 * DAY + DAY / 2).step);
	assert_true(found(0, now - 10 * S, now + 60 * S).step);
}

TEST_WITH(slots_of_a_wrong_clock_do_not_confirm_it_at_a_boot, begin, end)
{
	__s64 now = now_ns();

	for (int boot = 0; boot < 3; boot++) {
		daemon_end();
		wall_extra_ns = 463 * DAY;		/* the machine boots, and its clock has no battery */
		daemon_begin();
		daemon_tidies();
		daemon_measures(-5, 5);
		daemon_tidies();
		if (boot == 1) {			/* the clock is set right while the daemon does not run */
			daemon_end();
			wall_extra_ns = 0;
			daemon_begin();
		}
		wall_extra_ns = 0;
		daemon_tidies();
		daemon_measures(boot, 1);
		for (int tier = 0; tier < TIERS; tier++)
			assert_int_equal(events(tier, now), EVENTS + 9 * (boot + 1));
		assert_in_range(cube_newest(), now / S, now / S + 60);
	}
}

TEST_WITH(a_clock_that_lagged_loses_no_right_data, begin, end)
{
	static const __u64 value[] = { 5000 };
	struct bytes batch = { 0 };
	__s64 now = now_ns();

	wall_extra_ns = -463 * DAY;
	daemon_tidies();
	/* from a machine whose clock is right */
	wire_batch(&batch, "db1", d.inst, now / S, d.seq++, "select", value, 1);
	daemon_send(FRAME_BATCH, batch.data, batch.len);
	bytes_fini(&batch);
	daemon_stores(1);
	wall_extra_ns = 0;
	daemon_tidies();
	assert_int_equal(events(0, now), EVENTS + 1);
	daemon_measures(1, 1);
	assert_in_range(cube_newest(), now / S, now / S + 60);
}

/* At the start the cube leaves out slots after the present clock; the store answers for them, even when the clock is
 * right again. */
TEST_WITH(a_clock_that_lags_at_the_start_makes_no_gap, begin, end)
{
	__s64 now = now_ns(), stored = cube_newest(), first, last;

	daemon_end();
	wall_extra_ns = -463 * DAY;
	daemon_begin();
	daemon_tidies();
	daemon_sends(0, 1);		/* older than what the store has dropped: it cannot know whether it had it */
	while (!intake_counters(d.a.intake)->misfits)
		uv_run(&d.loop, UV_RUN_ONCE);
	assert_int_equal(intake_counters(d.a.intake)->lost_events, 9);
	wall_extra_ns = 0;
	daemon_tidies();
	daemon_measures(2, 1);
	assert_int_equal(cube_range(d.a.services.cube, d.inst, &first, &last), 0);
	assert_in_range(first, stored + 1, last);	/* the store has the slots before: the cube does not answer for
							 * them */
	assert_int_equal(events(0, now), EVENTS + 9);
}

TEST_WITH(a_real_gap_expires_an_hour_after_the_start, begin, end)
{
	__s64 was = now_ns();

	daemon_end();
	wall_extra_ns = 30 * DAY;
	daemon_begin();
	daemon_tidies();
	assert_int_equal(events(0, was), EVENTS);
	boot_extra_ns = 3000 * S;
	daemon_tidies();
	assert_int_equal(events(0, was), EVENTS);
	boot_extra_ns = 3610 * S;
	daemon_tidies();
	assert_int_equal(events(0, was), 0);
	assert_int_equal(events(1, was), 0);	/* two weeks */
	assert_int_equal(events(2, was), EVENTS);
}

TEST_WITH(without_a_jump_it_expires_as_ever, begin, end)
{
	__s64 was = now_ns();

	for (int i = 0; i < 80; i++) {
		boot_extra_ns += 60 * S;
		daemon_tidies();
	}
	assert_int_equal(events(0, was), 0);
	assert_int_equal(events(1, was), EVENTS);
}

TEST_WITH(an_idle_instrumentation_is_deleted_by_the_boot_clock, begin, end)
{
	wall_extra_ns = -463 * DAY;
	daemon_tidies();
	boot_extra_ns = 7190 * S;
	daemon_tidies();
	assert_non_null(catalog_find(d.a.services.catalog, d.inst));
	boot_extra_ns = 7210 * S;
	daemon_tidies();
	assert_null(catalog_find(d.a.services.catalog, d.inst));
}

TEST_MAIN()
