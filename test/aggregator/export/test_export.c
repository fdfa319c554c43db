#include "aggregator/export/export.h"
#include "test/kit/wire_kit.h"

struct export_case {
	struct rig rig;
	struct export *export;
	struct export_conf conf;
	__u64 inst;
	__u32 seq;
};

static void begin(struct export_case *c, unsigned keys)
{
	char reason[REASON_MAX] = "";
	json_t *request = wire_request("command");

	memset(c, 0, sizeof(*c));
	rig_begin(&c->rig, NULL);
	rig_hello(&c->rig, "db1");
	c->conf = (struct export_conf){ "queries", keys, EXPORT_SCHEMA };
	assert_int_equal(export_new(c->rig.store_queue, c->rig.catalog, &c->conf, 1, &c->export), 0);
	assert_int_equal(catalog_create_configured(c->rig.catalog, request, "queries", wire_now_ns(), rig_made, &c->inst, reason), 0);
	uv_run(&c->rig.loop, UV_RUN_DEFAULT);
	json_decref(request);
}

static void end(struct export_case *c)
{
	export_free(c->export);
	rig_end(&c->rig);
}

/* A batch with this number, which may have come before. */
static void deliver(struct export_case *c, __u32 seq, const char *label, const __u64 *values, size_t n)
{
	struct incoming_batch *a;
	struct bytes data = { 0 };

	wire_batch(&data, "db1", c->inst, wire_now_ns() / 1000000000, seq, label, values, n);
	assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
	assert_int_equal(store_queue_add(c->rig.store_queue, a), 0);
	uv_run(&c->rig.loop, UV_RUN_DEFAULT);
	bytes_fini(&data);
}

static void add(struct export_case *c, const char *label, const __u64 *values, size_t n) { deliver(c, ++c->seq, label, values, n); }

static const struct export_key *key_of(const struct exported *x, const char *label)
{
	char text[LABEL_MAX + 1];

	for (size_t i = 0; i < x->keys.n_keys; i++) {
		assert_int_equal(labels_text(&x->keys.key[i], 0, text), 0);
		if (!strcmp(text, label))
			return &x->key[i];
	}
	return NULL;
}

static __u64 total(const __u64 *count, size_t n)
{
	__u64 sum = 0;

	while (n)
		sum += count[--n];
	return sum;
}

static void assert_counts(const struct export_histogram *h, __u64 count, __u64 sum)
{
	assert_int_equal(h->count, count);
	assert_int_equal(h->sum, sum);
	assert_int_equal(total(h->native, (size_t)(h->last_bucket - h->first_bucket + 1)), count);
	assert_int_equal(total(h->classic, ruler_cells(h->classic_ruler)), count);
}

TEST(batches_add_up_and_duplicates_do_not)
{
	static const __u64 values[] = { 0, 1000, 5000, 5000, 1ull << 62 };
	struct export_case c;
	const struct exported *x;

	begin(&c, 10);
	assert_int_equal(export_first(c.export)->keys.n_keys, 0);		/* it is there before its first batch */
	assert_int_equal(export_first(c.export)->last_slot, 0);
	add(&c, "query", values, 4);
	add(&c, "execute", values, 1);
	add(&c, "query", values, 5);
	deliver(&c, c.seq, "query", values, 5);			/* again */
	x = export_first(c.export);
	assert_int_equal(x->keys.n_keys, 2);
	assert_counts(key_of(x, "query")->measure[0], 9, 22000 + (1ull << 62));
	assert_counts(key_of(x, "execute")->measure[0], 1, 0);
	assert_null(x->next);
	end(&c);
}

TEST(random_batches_keep_their_totals)
{
	struct export_case c;
	__u64 count = 0, sum = 0;

	begin(&c, 10);
	for (unsigned i = 0; i < 200; i++) {
		__u64 values[20];
		size_t n = 1 + check_below(20);

		for (size_t v = 0; v < n; v++) {
			values[v] = check_value() >> 8;
			sum += values[v];
		}
		count += n;
		add(&c, "query", values, n);
	}
	assert_counts(key_of(export_first(c.export), "query")->measure[0], count, sum);
	end(&c);
}

TEST(keys_beyond_the_limit_are_other)
{
	static const __u64 value = 5000;
	struct export_case c;
	const struct exported *x;

	begin(&c, 2);
	for (unsigned i = 0; i < 3; i++) {
		add(&c, "a", &value, 1);
		add(&c, "b", &value, 1);
		add(&c, "c", &value, 1);
		add(&c, "d", &value, 1);
	}
	x = export_first(c.export);
	assert_counts(key_of(x, "a")->measure[0], 3, 15000);
	assert_counts(key_of(x, "b")->measure[0], 3, 15000);
	assert_null(key_of(x, "c"));
	assert_counts(key_of(x, "other")->measure[0], 6, 30000);
	assert_int_equal(x->n_other, 6);
	end(&c);
}

TEST(a_label_that_says_other_is_that_of_keys_beyond_the_limit)
{
	static const __u64 value = 5000;
	struct export_case c;

	begin(&c, 1);
	add(&c, "other", &value, 1);
	add(&c, "a", &value, 1);
	assert_int_equal(export_first(c.export)->keys.n_keys, 1);
	assert_counts(export_first(c.export)->key->measure[0], 2, 10000);
	assert_int_equal(export_first(c.export)->n_other, 1);
	end(&c);
}

TEST(only_those_that_the_file_lists_are_exported)
{
	static const __u64 value = 5000;
	struct export_case c;

	begin(&c, 10);
	export_free(c.export);
	strcpy(c.conf.instrumentation, "another");
	assert_int_equal(export_new(c.rig.store_queue, c.rig.catalog, &c.conf, 1, &c.export), 0);
	add(&c, "a", &value, 1);
	assert_null(export_first(c.export));
	end(&c);
}

TEST(a_deleted_one_is_forgotten)
{
	static const __u64 value = 5000;
	struct export_case c;

	begin(&c, 10);
	add(&c, "a", &value, 1);
	assert_non_null(export_first(c.export));
	assert_int_equal(catalog_delete(c.rig.catalog, c.inst, NULL, NULL), 0);
	uv_run(&c.rig.loop, UV_RUN_DEFAULT);
	assert_null(export_first(c.export));
	end(&c);
}

TEST_MAIN()
