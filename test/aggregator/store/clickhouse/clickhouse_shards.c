/* The laws of store.h for a store of two databases in the ClickHouse server at $CLICKHOUSE_URL; each test has two of its own. */
#include "aggregator/store/shards.h"
#include "test/kit/store_laws.h"

#include <curl/curl.h>
#include <stdio.h>
#include <unistd.h>

#define SHARDS 2

static struct store *open_database(const char *dir, int i)
{
	struct store_clickhouse_conf conf = { .url = getenv("CLICKHOUSE_URL"), .user = "", .password = "", .ca = "" };
	char database[32], reason[256] = "";
	struct store *s;

	snprintf(database, sizeof(database), "shard%d_%s", i, dir + strlen(dir) - 6);
	conf.database = database;
	if (!store_clickhouse_open(&conf, &s, reason, sizeof(reason)))
		return s;
	print_error("# %s\n", reason);
	return NULL;
}

/* The two have one address: messages name the database. */
static struct store *open_shards(const char *dir)
{
	static const char *const names[SHARDS] = { "shard0", "shard1" };
	struct store *one[SHARDS] = { open_database(dir, 0), open_database(dir, 1) }, *s;
	char reason[256] = "";

	if (!one[0] || !one[1])
		return NULL;
	if (!shards_open(one, names, SHARDS, 1699999200ll * 1000000000, &s, reason, sizeof(reason)))
		return s;
	print_error("# %s\n", reason);
	return NULL;
}

static __u64 bytes_of(struct fixture *f)
{
	__u64 bytes = 0;

	assert_int_equal(f->store->ops->size(f->store, &bytes), 0);
	return bytes;
}

/* Each call is one step, and ClickHouse removes rows in the background. */
static void shrink_all(struct fixture *f, __u64 limit)
{
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(f->store->ops->shrink(f->store), 0);
		if (bytes_of(f) <= limit / 10 * 9)
			return;
		usleep(20000);
	}
	fail_msg("it still has %llu bytes", (unsigned long long)bytes_of(f));
}

const struct store_kind store_kind = {
	.open = open_shards, .keeps = true, .bytes = bytes_of, .shrink = shrink_all, .times = 2, .shards = SHARDS,
};

STORE_TEST(both_databases_have_a_part)
{
	struct fixture *f = *state;
	struct store_shard shard[STORE_SHARDS_MAX];

	for (int i = 0; i < 40; i++) {
		char source[16];
		struct batch *b;

		snprintf(source, sizeof(source), "host%d", i);
		b = kit_batch(source, 1700000000 + i, 1, "select", 5000, 1);
		assert_int_equal(store_add(f->store, b, 1), 1);
		kit_free(b, 1);
	}
	assert_true(bytes_of(f) > 0);
	assert_int_equal(f->store->ops->shards(f->store, shard), SHARDS);
	assert_true(shard[0].bytes > 3000 && shard[1].bytes > 3000);
	print_message("# %llu and %llu bytes\n", (unsigned long long)shard[0].bytes, (unsigned long long)shard[1].bytes);
}

TEST_MAIN()
