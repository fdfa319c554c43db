#include "test/kit/store_laws.h"
#include "test/kit/sqlite_kit.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void keep_json(void *arg, __u64 inst, const char *json)
{
	snprintf(arg, 1000, "%s", json);
}

static void assert_refused(struct fixture *f, int want, const char *why)
{
	char path[300], reason[256] = "";
	struct store *s;
	int err;

	sqlite_path(f->dir, path, sizeof(path));
	err = store_sqlite_open(path, &s, reason, sizeof(reason));
	assert_int_equal(err, want);
	assert_non_null(strstr(reason, why));
	assert_memory_equal(reason, path, strlen(path));
}

/* --- the file --- */

STORE_TEST(the_file_is_for_its_owner_and_group)
{
	struct fixture *f = *state;
	char path[300];
	struct stat stat_buf;

	sqlite_path(f->dir, path, sizeof(path));
	assert_int_equal(stat(path, &stat_buf), 0);
	assert_int_equal(stat_buf.st_mode & 0137, 0);
	assert_int_equal(stat_buf.st_mode & 0600, 0600);
}

STORE_TEST(refuses_a_newer_schema)
{
	sqlite_meddle(*state, "PRAGMA user_version = 3");
	assert_refused(*state, -EPROTO, "newer version");
}

STORE_TEST(refuses_a_foreign_database_and_leaves_it_alone)
{
	struct fixture *f = *state;
	char path[300];
	__u8 *before, *after;
	size_t len, len_after;

	sqlite_path(f->dir, path, sizeof(path));
	f->store->ops->close(f->store);
	f->store = NULL;
	unlink(path);
	sqlite_meddle(f, "CREATE TABLE t(a)");
	before = whole_file(path, &len);
	assert_refused(f, -EINVAL, "another program");
	after = whole_file(path, &len_after);
	assert_int_equal(len, len_after);
	assert_memory_equal(before, after, len);
	free(before);
	free(after);
}

STORE_TEST(refuses_what_is_no_database)
{
	struct fixture *f = *state;
	char path[300], text[8192];

	sqlite_path(f->dir, path, sizeof(path));
	f->store->ops->close(f->store);
	f->store = NULL;
	memset(text, 'x', sizeof(text));
	file_write(path, text, sizeof(text));
	assert_refused(f, -EBADMSG, "not a database");
}

STORE_TEST(refuses_a_directory_that_is_not_there)
{
	char reason[256];
	struct store *s;

	assert_int_equal(store_sqlite_open("/nowhere/at/all.db", &s, reason, sizeof(reason)), -ENOENT);
	assert_string_equal(reason, "/nowhere/at/all.db: No such file or directory");
}

STORE_TEST(an_empty_file_becomes_a_store)
{
	struct fixture *f = *state;
	char path[300];

	sqlite_path(f->dir, path, sizeof(path));
	f->store->ops->close(f->store);
	file_write(path, "", 0);
	f->store = sqlite_open(f->dir);
	assert_non_null(f->store);
}

/* --- a file of an older version --- */

static char *read_text(const char *name)
{
	const char *dir = getenv("srcdir");
	char path[300];
	size_t len;
	char *text;

	snprintf(path, sizeof(path), "%s/test/kit/%s", dir ? dir : ".", name);
	text = (char *)whole_file(path, &len);
	text[len] = 0;
	return text;
}

static void assert_upgraded(struct store *s)
{
	for (int i = 0; i < 2 * TIERS; i++) {
		struct store_range range = { .last = 1800000000, .axis = -1, .weight = -1, .tier = i / 2, .whole = i % 2 };
		struct gathered *g;

		assert_int_equal(kit_read_range(s, &range, &g), 0);
		assert_string_equal(s->reason, "");
		assert_int_equal(gathered_events(g), 2108);
		assert_int_equal(gathered_lost(g), 115);
		assert_int_equal(gathered_covered(g), 395);
		gathered_free(g);
	}
}

/* Version 0.1.0 wrote store_v1.sql from 160 batches, most of them in chunks. */
STORE_TEST(a_file_of_version_1_is_upgraded_with_all_that_is_in_it)
{
	struct fixture *f = *state;
	char *sql = read_text("store_v1.sql"), path[300], text[1000] = "";
	struct batch *late = kit_batch("host 1", 1700000100, 999, NULL, 5000, 3);

	sqlite_path(f->dir, path, sizeof(path));
	f->store->ops->close(f->store);
	f->store = NULL;
	unlink(path);
	sqlite_meddle(f, sql);
	for (int i = 0; i < 3; i++) {
		f->store = sqlite_open(f->dir);
		assert_non_null(f->store);
		assert_upgraded(f->store);
		f->store->ops->compact(f->store, KIT_INST, i ? 1800000000 : 0);
		if (i < 2)
			f->store->ops->close(f->store);
	}
	f->store->ops->inst_each(f->store, keep_json, text);
	assert_non_null(strstr(text, "\"module\":\"mysql\""));
	assert_int_equal(store_add(f->store, late, 1), 1);
	kit_free(late, 1);
	free(sql);
}

/* A file of the version before exemplars. */
STORE_TEST(a_file_without_the_table_gets_it)
{
	struct fixture *f = *state;
	struct batch *b = kit_batch("a", 1000, 1, "select", 5000, 3);

	store_add(f->store, b, 1);
	sqlite_meddle(f, "DROP TABLE exemplars");
	f->store = sqlite_open(f->dir);
	assert_non_null(f->store);
	assert_int_equal(store_add(f->store, b, 1), 0);
	kit_free(b, 1);
}

/* --- tiers --- */

static __s64 number_in(struct fixture *f, const char *sql)
{
	char path[300];
	sqlite3_stmt *stmt;
	sqlite3 *db;
	__s64 n;

	sqlite_path(f->dir, path, sizeof(path));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return n;
}

/* A source reports a random half of its slots, for three days: 120,000 runs, of which few stay. */
STORE_TEST(coverage_of_a_flapping_source_stays_small)
{
	enum { HOURS = 72 };
	struct fixture *f = *state;
	struct batch *batch = calloc(3600, sizeof(*batch));
	bool *is_new = calloc(3600, sizeof(*is_new));
	__u64 n_all = 0, n;
	struct gathered *g;

	for (__s64 hour = 0; hour < HOURS; hour++) {
		__s64 now = 1700000000 + 3600 * (hour + 1), horizon[TIERS] = { now - 7200, now - 24 * 3600, now - 1000 * 3600 };

		n = 0;
		for (__s64 i = 0; i < 3600; i++)
			if (check_below(2))
				batch[n++] = (struct batch){ .source = "a", .inst = KIT_INST, .slot_ns = 1000000000,
							     .slot = now - 3600 + i, .run = 1 };
		assert_int_equal(f->store->ops->add(f->store, batch, n, is_new), 0);
		assert_int_equal(f->store->ops->expire(f->store, KIT_INST, horizon), 0);
		n_all += n;
	}
	kit_read_range(f->store, &(struct store_range){ .last = 1800000000, .tier = 2 }, &g);
	assert_int_equal(gathered_covered(g) + gathered_sparse(g), n_all);
	gathered_free(g);
	assert_in_range(number_in(f, "SELECT count(*) FROM coverage"), 1, 2 * 1800 + 24 * 60 + HOURS);
	free(batch);
	free(is_new);
}

/* --- the layout --- */

/* A single key is its own whole; a second key, which may come late, adds one more chunk. */
STORE_TEST(the_whole_is_one_chunk_of_the_sixty_slots)
{
	static const char *const key[] = { "select", "select", "insert", "update" };
	static const int n_chunks[] = { 1, 1, 3, 4 };
	struct fixture *f = *state;

	for (int i = 0; i < 4; i++) {
		struct batch *b = kit_batch("a", 1020 + i % 2, (__u32)i, key[i], 5000, 3);
		struct store_range range = { .first = 1020, .last = 1079, .whole = true };
		struct gathered *g;

		store_add(f->store, b, 1);
		assert_int_equal(f->store->ops->compact(f->store, KIT_INST, 1200), 0);
		assert_int_equal(number_in(f, "SELECT count(*) FROM chunk WHERE tier = 0"), n_chunks[i]);
		assert_int_equal(number_in(f, "SELECT count(*) FROM chunk WHERE tier = 0 AND whole"), 1);
		kit_read_range(f->store, &range, &g);
		assert_int_equal(gathered_events(g), 3 * (i + 1));
		assert_int_equal(gathered_pieces(g), i ? 2 : 1);
		gathered_free(g);
		kit_free(b, 1);
	}
}

/* --- a full disk --- */

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A limit on the size of files stands for the disk. */
STORE_TEST(a_full_disk_refuses_as_a_whole_and_goes_on_later)
{
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&sqlite_shape, 400);
	struct gathered *want, *got;
	bool is_new[400];

	store_add(f->store, batch, 40);
	signal(SIGXFSZ, SIG_IGN);
	limit_file_size(65536);
	assert_true(f->store->ops->add(f->store, batch, 400, is_new) < 0);
	limit_file_size(RLIM_INFINITY);
	assert_string_not_equal(f->store->reason, "");
	for (int i = 0; i < 400; i++)
		assert_false(is_new[i]);
	want = gathered_sum(batch, 40, 0, 10000, -1);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
	assert_int_equal(store_add(f->store, batch, 400), 360);
	want = gathered_sum(batch, 400, 0, 10000, -1);
	assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
	kit_free(batch, 400);
}

/* --- SIGKILL --- */

/* Adds batch after batch, some at a time, compacts in between, and writes after each call how many it has added. */
static void add_until_killed(const char *dir, const struct batch *batch, size_t n, int say)
{
	struct store *s = sqlite_open(dir);
	bool is_new[8];

	for (size_t at = 0; s && at + 4 <= n; at += 4) {
		__u32 done = (__u32)at + 4;

		if (s->ops->add(s, &batch[at], 4, is_new) || write(say, &done, sizeof(done)) != sizeof(done))
			_exit(1);
		s->ops->compact(s, KIT_INST, at % 12 ? 1000 + (__s64)at : 10000000);	/* sometimes up to hours */
	}
	_exit(0);
}

/* Lets it run for a moment, from its beginning or from its first message on, and kills it.  Returns how many
 * batches it reported as added. */
static __u32 run_and_kill(const char *dir, const struct batch *batch, size_t n, bool from_first_word)
{
	__u32 said = 0;
	int pipe_fd[2];
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		add_until_killed(dir, batch, n, pipe_fd[1]);
	close(pipe_fd[1]);
	if (from_first_word && read(pipe_fd[0], &said, sizeof(said)) != sizeof(said))
		said = 0;
	usleep((useconds_t)check_below(from_first_word ? 2500 : 8000));
	kill(pid, SIGKILL);
	while (read(pipe_fd[0], &said, sizeof(said)) == sizeof(said))
		;
	close(pipe_fd[0]);
	waitpid(pid, NULL, 0);
	return said;
}

static void assert_tiers_agree(struct store *s, __u64 events)
{
	for (int i = 0; i < 2 * TIERS; i++) {
		struct gathered *g;

		kit_read_range(s, &(struct store_range){ .last = 10000, .axis = -1, .weight = -1, .tier = i / 2, .whole = i % 2 }, &g);
		assert_int_equal(gathered_events(g), events);
		gathered_free(g);
	}
}

/* After a SIGKILL at any moment all batches that were reported as added are there, and each call as a whole. */
STORE_TEST(killed_at_any_moment_keeps_all_or_nothing)
{
	enum { N = 800 };
	struct fixture *f = *state;
	struct batch *batch = kit_batches(&sqlite_shape, N);
	int round, n_unheard = 0;
	size_t done = 0;

	for (round = 0; round < 100 && done < N; round++) {
		struct gathered *want, *got;

		f->store->ops->close(f->store);
		done += run_and_kill(f->dir, batch + done, N - done, round % 2);
		f->store = sqlite_open(f->dir);
		assert_non_null(f->store);
		assert_int_equal(kit_read(f->store, 0, 10000, -1, &got), 0);
		assert_string_equal(f->store->reason, "");
		want = gathered_sum(batch, done, 0, 10000, -1);
		if (!kit_same(want, got)) {		/* one more call was committed, but its message was not read */
			done += 4;
			n_unheard++;
			gathered_free(want);
			want = gathered_sum(batch, done, 0, 10000, -1);
			kit_assert_same(want, got);
		}
		assert_int_equal(store_add(f->store, batch, done), 0);
		assert_tiers_agree(f->store, gathered_events(want));
		gathered_free(want);
		gathered_free(got);
	}
	print_message("# killed %d times, %d of them between a commit and its word, %zu batches\n", round, n_unheard, done);
	assert_true(done > 0);
	kit_free(batch, N);
}

TEST_MAIN()
