#include "aggregator/promql/listing.h"
#include "aggregator/promql/parse.h"
#include "test/kit/wire_kit.h"

#define LATENCY "heatscope_mysql_queries_latency_seconds"

struct listing_case {
	struct rig rig;
	struct export *export;
	struct export_conf conf;
	__u64 inst;
	__u32 seq;
	__s64 slot;
};

static void add(struct listing_case *c, const char *label, __u64 value, size_t n)
{
	struct incoming_batch *a;
	struct bytes data = { 0 };
	__u64 values[8];

	for (size_t i = 0; i < n; i++)
		values[i] = value;
	wire_batch(&data, "db1", c->inst, c->slot, ++c->seq, label, values, n);
	assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
	assert_int_equal(store_queue_add(c->rig.store_queue, a), 0);
	uv_run(&c->rig.loop, UV_RUN_DEFAULT);
	bytes_fini(&data);
}

static void begin(struct listing_case *c, unsigned keys)
{
	char reason[REASON_MAX] = "";
	json_t *request = wire_request("command");

	memset(c, 0, sizeof(*c));
	rig_begin(&c->rig, NULL);
	rig_hello(&c->rig, "db1");
	c->conf = (struct export_conf){ "queries", keys, EXPORT_SCHEMA };
	c->slot = wire_now_ns() / 1000000000 - 20;
	assert_int_equal(export_new(c->rig.store_queue, c->rig.catalog, &c->conf, 1, &c->export), 0);
	assert_int_equal(catalog_create_configured(c->rig.catalog, request, "queries", wire_now_ns(), rig_made, &c->inst, reason), 0);
	uv_run(&c->rig.loop, UV_RUN_DEFAULT);
	json_decref(request);
	add(c, "query", 5000, 3);
	add(c, "execute", 7000, 2);
	add(c, "ping", 9000, 1);
}

static void end(struct listing_case *c)
{
	export_free(c->export);
	rig_end(&c->rig);
}

static void assert_lists(struct listing_case *c, enum listing_kind kind, const char *label, const char *match, size_t limit, const char *expected)
{
	const struct query_range span = { .start_ns = (c->slot - 100) * 1000000000, .end_ns = (c->slot + 10) * 1000000000 };
	char reason[REASON_MAX] = "";
	struct selector selector = { 0 };
	struct bytes out = { 0 };
	struct listing *l;

	if (match && selector_parse(match, &selector, reason))
		fail_msg("%s", reason);
	assert_int_equal(listing_new(c->rig.catalog, c->export, kind, label, &selector, match ? 1 : 0, &span, limit, &l), 0);
	if (listing_needs_store(l))
		assert_int_equal(listing_read(l, c->rig.store), 0);
	assert_int_equal(listing_write(l, &out), 0);
	bytes_put(&out, "", 1);
	if (!strstr((char *)out.data, expected))
		fail_msg("%s, not %s", (char *)out.data, expected);
	bytes_fini(&out);
	listing_free(l);
}

TEST(lists_have_what_had_events)
{
	struct listing_case c;

	begin(&c, 10);
	assert_lists(&c, LISTING_NAMES, NULL, NULL, 0, "\"data\":[\"__name__\",\"command\",\"instrumentation\",\"le\"]}");
	assert_lists(&c, LISTING_NAMES, NULL, LATENCY "_count", 0, "\"data\":[\"__name__\",\"command\",\"instrumentation\"]}");
	assert_lists(&c, LISTING_VALUES, "command", NULL, 0, "\"data\":[\"execute\",\"ping\",\"query\"]}");
	assert_lists(&c, LISTING_VALUES, "command", "{command=~\"p.*\"}", 0, "\"data\":[\"ping\"]}");
	assert_lists(&c, LISTING_VALUES, "instrumentation", "{command=\"none\"}", 0, "\"data\":[]}");
	assert_lists(&c, LISTING_VALUES, "le", LATENCY "_bucket{le=~\".*Inf\"}", 0, "\"data\":[\"+Inf\"]}");
	assert_lists(&c, LISTING_VALUES, "none", NULL, 0, "\"data\":[]}");
	assert_lists(&c, LISTING_SERIES, NULL, LATENCY "{command!=\"ping\"}", 0,
		     "[{\"__name__\":\"" LATENCY "\",\"command\":\"execute\",\"instrumentation\":\"queries\"},"
		     "{\"__name__\":\"" LATENCY "\",\"command\":\"query\",\"instrumentation\":\"queries\"}]}");
	end(&c);
}

TEST(lists_that_are_cut_say_so)
{
	struct listing_case c;

	begin(&c, 10);
	assert_lists(&c, LISTING_VALUES, "command", NULL, 2, "\"data\":[\"execute\",\"ping\"],\"warnings\":[\"results truncated");
	assert_lists(&c, LISTING_SERIES, NULL, LATENCY "_bucket", 1, "}],\"warnings\":[");
	end(&c);
}

TEST(keys_beyond_the_limit_are_listed_as_other)
{
	struct listing_case c;

	begin(&c, 1);
	assert_lists(&c, LISTING_VALUES, "command", LATENCY "_sum", 0, "\"data\":[\"other\",\"query\"]}");
	end(&c);
}

/* Reads from the store, by source and selector. */
TEST(sources_read_what_was_delivered)
{
	struct listing_case c;
	struct matrix m = { .n_points = 1 };
	struct expression *e;
	struct query_range range;
	struct series_source *first;
	size_t n_left = 4;
	char reason[REASON_MAX] = "";

	begin(&c, 10);
	range = (struct query_range){ .start_ns = (c.slot + 1) * 1000000000, .step_ns = 1000000000, .n_points = 1 };
	assert_int_equal(expression_parse("increase(" LATENCY "_count{command=~\"query|ping\"}[10s])", &e, reason), 0);
	assert_int_equal(sources_find(c.rig.catalog, c.export, &e->selector, wire_now_ns(), &n_left, &first), 0);
	assert_int_equal(n_left, 3);
	assert_null(first->next);
	assert_int_equal(series_source_read(first, e, NULL, &range, c.rig.store), 0);
	assert_int_equal(window_fold_finish(first->fold, false, &m), 0);
	matrix_sort(&m);
	assert_int_equal(m.n, 2);
	assert_true(m.series[0].value[0] == 1 && m.series[1].value[0] == 3);
	assert_string_equal(series_labels_get(&m.series[0].labels, "command"), "ping");
	matrix_fini(&m);
	sources_free(first);
	n_left = 0;
	assert_int_equal(sources_find(c.rig.catalog, c.export, &e->selector, wire_now_ns(), &n_left, &first), -E2BIG);
	expression_free(e);
	end(&c);
}

TEST_MAIN()
