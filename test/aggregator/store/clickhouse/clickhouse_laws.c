/* The laws of store.h, on the ClickHouse server at $CLICKHOUSE_URL; each test has a database of its own. */
#include "test/kit/store_laws.h"

#include <errno.h>
#include <stdio.h>

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

const struct store_kind store_kind = { .open = open_clickhouse, .keeps = true };

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

TEST_MAIN()
