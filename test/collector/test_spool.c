#include "collector/spool.h"
#include "test/kit/sample_kit.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 12

static struct spool *open_at(const char *path, __u64 limit)
{
	struct spool_conf conf = { path, limit, 4711 };
	char reason[REASON_MAX] = "";
	struct spool *s = NULL;
	int err = spool_open(&conf, &s, reason);

	if (err)
		fail_msg("%s", reason);
	spool_bind(s, "store-a");
	return s;
}

static const char *fresh(const char *name)
{
	char path[160];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s.%d", sample_path(name), i);
		unlink(path);
	}
	return sample_path(name);
}

static __u64 put(struct spool *s, __u64 inst, __s64 slot)
{
	struct sample m;

	sample_init(&m, inst, slot, (__u32)slot);
	assert_int_equal(spool_put(s, &m.batch), 0);
	sample_fini(&m);
	return m.events;
}

/* Takes the next batch; *frame has its bytes. */
static int next(struct spool *s, struct bytes *frame, struct batch *b)
{
	struct frame f;

	if (!spool_next(s, frame))
		return 0;
	assert_int_equal(frame_get(frame->data, frame->len, &f), frame->len);
	assert_int_equal(f.type, FRAME_BATCH);
	assert_int_equal(batch_decode(f.data, f.len, b), 0);
	return 1;
}

static void ack(struct spool *s, const struct batch *b)
{
	struct ack a = { .inst = b->inst, .slot = b->slot, .seq = b->seq, .incarnation = b->incarnation };

	memcpy(a.source, b->source, sizeof(a.source));
	spool_ack(s, &a);
}

/* Takes out all batches, which must be the slots from first on, in order; returns how many. */
static __s64 drain(struct spool *s, __s64 first, int acknowledge)
{
	struct bytes frame = { 0 };
	struct batch b;
	__s64 n = 0;

	for (; next(s, &frame, &b); n++) {
		assert_int_equal(b.slot, first + n);
		if (acknowledge)
			ack(s, &b);
		batch_fini(&b);
	}
	bytes_fini(&frame);
	return n;
}

static __s64 file_size(const char *path, int i)
{
	char name[160];
	struct stat st;

	snprintf(name, sizeof(name), "%s.%d", path, i);
	return stat(name, &st) ? -1 : (__s64)st.st_size;
}

TEST(batches_come_out_in_order)
{
	const char *path[] = { "", fresh("order") };

	for (int i = 0; i < 2; i++) {
		struct spool *s = open_at(path[i], 1 << 20);

		for (__s64 slot = 0; slot < N; slot++)
			put(s, 1, slot);
		assert_int_equal(drain(s, 0, 1), N);
		assert_int_equal(spool_stats(s).waiting, 0);
		for (__s64 slot = 0; slot < 3 * N; slot++) {
			put(s, 1, slot);
			assert_int_equal(drain(s, slot, 1), 1);
		}
		spool_close(s);
	}
}

TEST(acknowledged_batches_take_no_space)
{
	const char *path = fresh("empty");
	struct spool *s = open_at(path, 1 << 20);

	put(s, 1, 0);
	assert_true(file_size(path, 0) > 0 || file_size(path, 1) > 0);
	assert_int_equal(drain(s, 0, 1), 1);
	assert_int_equal(file_size(path, 0), 0);
	assert_int_equal(file_size(path, 1), 0);
	spool_close(s);
}

TEST(unacknowledged_batches_come_out_again)
{
	const char *path = fresh("again");
	struct spool *s = open_at(path, 1 << 20);
	struct bytes frame = { 0 };
	struct batch b;

	for (__s64 slot = 0; slot < N; slot++)
		put(s, 1, slot);
	for (int i = 0; i < 3; i++) {
		assert_true(next(s, &frame, &b));
		ack(s, &b);
		batch_fini(&b);
	}
	assert_int_equal(drain(s, 3, 0), N - 3);
	assert_int_equal(spool_stats(s).in_flight, N - 3);
	spool_rewind(s);
	assert_int_equal(drain(s, 3, 0), N - 3);
	spool_close(s);
	s = open_at(path, 1 << 20);
	assert_int_equal(drain(s, 3, 1), N - 3);
	assert_int_equal(spool_stats(s).waiting, 0);
	spool_close(s);
	bytes_fini(&frame);
}

TEST(an_acknowledgement_out_of_order_counts)
{
	struct spool *s = open_at("", 1 << 20);
	struct bytes frame = { 0 };
	struct batch b[3];

	for (__s64 slot = 0; slot < 3; slot++)
		put(s, 1, slot);
	for (int i = 0; i < 3; i++)
		assert_true(next(s, &frame, &b[i]));
	ack(s, &b[2]);
	ack(s, &b[0]);
	ack(s, &b[0]);
	assert_true(spool_stats(s).waiting > 0);
	ack(s, &b[1]);
	assert_int_equal(spool_stats(s).waiting, 0);
	for (int i = 0; i < 3; i++)
		batch_fini(&b[i]);
	bytes_fini(&frame);
	spool_close(s);
}

TEST(no_more_than_a_window_is_in_flight)
{
	struct spool *s = open_at("", 8 << 20);

	for (__s64 slot = 0; slot < FLIGHT_MAX + 20; slot++)
		put(s, 1, slot);
	assert_int_equal(drain(s, 0, 0), FLIGHT_MAX);
	spool_rewind(s);
	assert_int_equal(drain(s, 0, 1), FLIGHT_MAX + 20);
	spool_close(s);
}

static void write_file(const char *path, int i, const void *data, size_t len)
{
	char name[160];
	FILE *file;

	snprintf(name, sizeof(name), "%s.%d", path, i);
	file = fopen(name, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	fclose(file);
}

static size_t read_file(const char *path, int i, char *out, size_t room)
{
	char name[160];
	FILE *file;
	size_t n;

	snprintf(name, sizeof(name), "%s.%d", path, i);
	file = fopen(name, "rb");
	assert_non_null(file);
	n = fread(out, 1, room, file);
	assert_true(n < room);
	fclose(file);
	return n;
}

/* Returns how many whole frames the bytes contain after the first one. */
static __s64 whole_batches(const char *data, size_t len)
{
	struct frame f;
	__s64 n = -1;
	long got;

	for (size_t at = 0; at < len && (got = frame_get((const __u8 *)data + at, len - at, &f)) > 0; at += (size_t)got)
		n++;
	return n < 0 ? 0 : n;
}

TEST(a_crash_at_any_byte_costs_only_the_torn_batch)
{
	const char *path = fresh("crash");
	struct spool *s = open_at(path, 1 << 20);
	static char data[65536];
	size_t len;
	int at;

	for (__s64 slot = 0; slot < 4; slot++)
		put(s, 1, slot);
	spool_close(s);
	at = file_size(path, 0) ? 0 : 1;
	len = read_file(path, at, data, sizeof(data));
	for (size_t cut = 0; cut <= len; cut++) {
		__s64 whole = whole_batches(data, cut);

		write_file(path, at, data, cut);
		s = open_at(path, 1 << 20);
		put(s, 1, whole);		/* this new batch comes after the saved ones */
		assert_int_equal(drain(s, 0, 1), whole + 1);
		spool_close(s);
	}
}

TEST(a_damaged_byte_is_never_sent)
{
	const char *path = fresh("flip");
	struct spool *s = open_at(path, 1 << 20);
	static char data[65536];
	size_t len;
	int at;

	for (__s64 slot = 0; slot < 4; slot++)
		put(s, 1, slot);
	spool_close(s);
	at = file_size(path, 0) ? 0 : 1;
	len = read_file(path, at, data, sizeof(data));
	for (size_t i = 0; i < len; i++) {
		data[i] ^= (char)(1 << check_below(8));
		write_file(path, at, data, len);
		s = open_at(path, 1 << 20);
		assert_in_range(drain(s, 0, 1), 0, 3);
		assert_true(spool_stats(s).cut_bytes > 0 || !i);
		spool_close(s);
		s = open_at(fresh("flip"), 1 << 20);
		for (__s64 slot = 0; slot < 4; slot++)
			put(s, 1, slot);
		spool_close(s);
		len = read_file(path, at = file_size(path, 0) ? 0 : 1, data, sizeof(data));
	}
}

/* events put = events out + losses out, whatever happens in between. */
struct books {
	__u64 put, out, lost;
	__s64 latest[3];
};

static void book(struct books *k, struct spool *s, int most)
{
	struct bytes frame = { 0 };
	struct batch b;

	while (most-- > 0 && next(s, &frame, &b)) {
		k->out += batch_events(&b);
		k->lost += b.loss.n;
		if (b.loss.n) {
			assert_int_equal(b.n_slices, 0);
			assert_true(b.seq >= LOSS_SEQ);
			assert_int_equal(b.incarnation, 4711);
			assert_int_equal(b.run, 0);
		} else {
			assert_true(b.slot > k->latest[b.inst]);
			k->latest[b.inst] = b.slot;
		}
		ack(s, &b);
		batch_fini(&b);
	}
	bytes_fini(&frame);
}

static void what_does_not_fit_is_counted_exactly(const char *path)
{
	struct spool *s = open_at(path, 64 << 10);
	struct books k = { .latest = { -1, -1, -1 } };

	for (__s64 slot = 0; slot < 3000; slot++) {
		k.put += put(s, 1 + (slot & 1), slot);
		if (!check_below(200))
			book(&k, s, (int)check_below(300));
		if (*path && !check_below(300)) {
			spool_close(s);
			s = open_at(path, 64 << 10);
		}
		if (*path) {
			assert_in_range(file_size(path, 0), 0, 33 << 10);
			assert_in_range(file_size(path, 1), 0, 33 << 10);
		}
	}
	book(&k, s, 1 << 20);
	assert_true(k.lost > 0 && k.out > 0);
	assert_int_equal(k.out + k.lost, k.put);
	assert_int_equal(spool_stats(s).waiting, 0);
	spool_close(s);
}

TEST(beyond_the_limit_the_oldest_go_and_are_counted)
{
	what_does_not_fit_is_counted_exactly(fresh("full"));
	what_does_not_fit_is_counted_exactly("");
}

TEST(a_loss_names_the_slots_it_lies_in)
{
	struct spool *s = open_at("", 64 << 10);
	struct bytes frame = { 0 };
	struct batch b;
	__s64 slot = 100;

	while (!spool_stats(s).dropped_batches)
		put(s, 1, slot++);
	assert_true(next(s, &frame, &b));
	while (!b.loss.n) {
		batch_fini(&b);
		assert_true(next(s, &frame, &b));
	}
	assert_int_equal(b.loss.first, 100);
	assert_int_equal(b.loss.last, 100 + (__s64)spool_stats(s).dropped_batches - 1);
	assert_int_equal(b.loss.n, spool_stats(s).dropped_events);
	assert_string_equal(b.source, "db1");
	assert_int_equal(b.inst, 1);
	batch_fini(&b);
	bytes_fini(&frame);
	spool_close(s);
}

TEST(a_batch_too_large_for_it_is_counted)
{
	struct spool *s = open_at("", 4096);
	struct bytes frame = { 0 };
	__u64 events = put(s, 1, 5);
	struct batch b;

	assert_true(next(s, &frame, &b));
	assert_int_equal(b.loss.n, events);
	ack(s, &b);
	batch_fini(&b);
	assert_int_equal(spool_stats(s).waiting, 0);
	bytes_fini(&frame);
	spool_close(s);
}

TEST(another_aggregators_batches_are_dropped_and_counted)
{
	const char *path = fresh("foreign");
	struct spool *s = open_at(path, 1 << 20);

	for (__s64 slot = 0; slot < N; slot++)
		put(s, 1, slot);
	spool_close(s);
	s = open_at(path, 1 << 20);
	assert_int_equal(spool_stats(s).foreign_batches, 0);
	spool_bind(s, "store-b");
	assert_int_equal(spool_stats(s).foreign_batches, N);
	assert_int_equal(drain(s, 0, 1), 0);
	put(s, 1, 7);
	assert_int_equal(drain(s, 7, 0), 1);
	spool_close(s);
	s = open_at(path, 1 << 20);
	assert_int_equal(spool_stats(s).foreign_batches, 1);
	spool_close(s);
}

TEST(a_second_collector_is_refused)
{
	const char *path = fresh("busy");
	struct spool *s = open_at(path, 1 << 20), *second = NULL;
	struct spool_conf conf = { path, 1 << 20, 1 };
	char reason[REASON_MAX];

	assert_int_equal(spool_open(&conf, &second, reason), -EBUSY);
	assert_non_null(strstr(reason, "another collector"));
	spool_close(s);
	conf.path = "/nonexistent/spool";
	assert_int_equal(spool_open(&conf, &second, reason), -ENOENT);
	conf.path = "/dev/null/x";
	assert_int_equal(spool_open(&conf, &second, reason), -ENOTDIR);
	assert_null(second);
}

/* As an iterator over the files of all processes does for a moment. */
TEST(a_closed_one_is_free_although_another_process_holds_its_file)
{
	const char *path = fresh("held");
	struct spool *s = open_at(path, 1 << 20);
	pid_t holder = fork();

	if (!holder)
		for (;;)
			pause();
	assert_true(holder > 0);
	spool_close(s);
	s = open_at(path, 1 << 20);
	spool_close(s);
	kill(holder, SIGKILL);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
}

TEST(a_full_disk_only_moves_it_to_memory)
{
	const char *path = fresh("disk");
	struct spool *s = open_at(path, 1 << 20);
	struct rlimit old, small;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 2000;
	for (__s64 slot = 0; slot < N; slot++) {
		if (slot == 2)
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		put(s, 1, slot);
	}
	assert_int_equal(spool_stats(s).file_err, -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(drain(s, 0, 0), N);
	spool_rewind(s);
	spool_close(s);				/* now there is space again: it writes the rest */
	s = open_at(path, 1 << 20);
	assert_int_equal(drain(s, 0, 1), N);
	spool_close(s);
}

static int clean(void **state)
{
	static const char *const name[] = {
		"order.0", "order.1", "empty.0", "empty.1", "again.0", "again.1", "crash.0", "crash.1", "flip.0", "flip.1",
		"full.0", "full.1", "foreign.0", "foreign.1", "busy.0", "busy.1", "disk.0", "disk.1",
	};

	sample_clean(name, sizeof(name) / sizeof(name[0]));
	return 0;
}

TEST_MAIN_WITH(NULL, clean)
