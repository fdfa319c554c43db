/* The laws of store.h, on the ClickHouse server at $CLICKHOUSE_URL; each test has a database of its own. */
#include "test/kit/store_laws.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void conf_of(const char *dir, char database[32], struct store_clickhouse_conf *ret_conf)
{
	snprintf(database, 32, "laws_%s", dir + strlen(dir) - 6);
	*ret_conf = (struct store_clickhouse_conf){ .url = getenv("CLICKHOUSE_URL"), .database = database, .user = "", .password = "", .ca = "" };
}

static struct store *open_clickhouse(const char *dir)
{
	struct store_clickhouse_conf conf;
	char database[32], reason[256] = "";
	struct store *s;
	int err;

	conf_of(dir, database, &conf);
	err = store_clickhouse_open(&conf, &s, reason, sizeof(reason));
	if (err)
		print_error("# %s (%d)\n", reason, err);
	return err ? NULL : s;
}

static size_t take_answer(char *data, size_t size, size_t n, void *arg)
{
	strncat(arg, data, n < 32 ? n : 32);
	return n;
}

/* Asks the server for one number; the statement has one %s, for the database. */
static __u64 number_of(struct fixture *f, const char *sql)
{
	struct store_clickhouse_conf conf;
	char database[32], text[300], answer[100] = "";
	CURL *easy = curl_easy_init();

	conf_of(f->dir, database, &conf);
	snprintf(text, sizeof(text), sql, database);
	curl_easy_setopt(easy, CURLOPT_URL, conf.url);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, text);
	curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, answer);
	assert_int_equal(curl_easy_perform(easy), CURLE_OK);
	curl_easy_cleanup(easy);
	return strtoull(answer, NULL, 10);
}

static __u64 clickhouse_bytes(struct fixture *f)
{
	return number_of(f, "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '%s'");
}

/* Each call is one step, and ClickHouse removes rows in the background. */
static void clickhouse_shrink_all(struct fixture *f, __u64 limit)
{
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(f->store->ops->shrink(f->store), 0);
		if (clickhouse_bytes(f) <= limit / 10 * 9)
			return;
		usleep(20000);
	}
	fail_msg("it still has %llu bytes", (unsigned long long)clickhouse_bytes(f));
}

const struct store_kind store_kind = {
	.open = open_clickhouse, .keeps = true, .bytes = clickhouse_bytes, .shrink = clickhouse_shrink_all, .times = 2,
};

static void assert_open_fails(const struct store_clickhouse_conf *conf, int want, const char *why)
{
	char reason[256] = "";
	struct store *s;

	assert_int_equal(store_clickhouse_open(conf, &s, reason, sizeof(reason)), want);
	if (!strstr(reason, why))
		fail_msg("the reason is: %s", reason);
}

TEST(a_server_that_is_away_is_said)
{
	const struct store_clickhouse_conf conf = { .url = "http://127.0.0.1:1", .database = "laws", .user = "", .password = "", .ca = "" };

	assert_open_fails(&conf, -EAGAIN, "127.0.0.1:1");
}

TEST(names_of_databases_are_checked)
{
	struct store_clickhouse_conf conf = { .url = getenv("CLICKHOUSE_URL"), .user = "", .password = "", .ca = "" };
	static const char *const bad[] = { "", "a b", "a;DROP", "1a", "a`", "a.b" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		conf.database = bad[i];
		assert_open_fails(&conf, -EINVAL, "cannot be named");
	}
}

TEST(a_user_that_is_not_admitted_is_said)
{
	const struct store_clickhouse_conf conf = { .url = getenv("CLICKHOUSE_URL"), .database = "laws", .user = "thief", .password = "secret", .ca = "" };

	assert_open_fails(&conf, -EACCES, "");
}

/* Rows are removed a call after they were dropped, and a day's parts when all its rows have been removed. */
STORE_TEST(a_day_that_all_tiers_dropped_leaves_the_disk)
{
	enum { DAYS = 6 };
	struct fixture *f = *state;

	for (int day = 0; day < DAYS; day++) {
		struct batch *b = kit_batch("a", 1700006400 + 86400 * day, 1, "x", 5000, 2);

		assert_int_equal(store_add(f->store, b, 1), 1);
		kit_free(b, 1);
	}
	for (int half = 0; half < 2 * DAYS; half++) {
		__s64 at = 1700006400 + 43200 * half;

		assert_int_equal(f->store->ops->expire(f->store, KIT_INST, (const __s64[]){ at, at, at }), 0);
		while (number_of(f, "SELECT count() FROM system.mutations WHERE database = '%s' AND NOT is_done"))
			usleep(20000);
	}
	assert_in_range(number_of(f, "SELECT uniq(partition) FROM system.parts WHERE active AND table = 'filed' AND database = '%s'"), 1, 3);
	assert_in_range(number_of(f, "SELECT count() FROM %s.filed"), 1, 9);
}

TEST_MAIN()
