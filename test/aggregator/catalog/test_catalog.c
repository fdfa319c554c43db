#include "test/kit/wire_kit.h"

#include <errno.h>

/* Writes the aggregator's uuid, as collectors get it. */
static void identity(const struct catalog *c, char out[64])
{
	json_t *want = catalog_want(c);

	snprintf(out, 64, "%s", json_string_value(json_object_get(want, "aggregator")));
	json_decref(want);
}

static void never(void *arg, int err, const struct catalog_inst *made)
{
	fail_msg("done() was called for a request that was refused");
}

/* Returns the sentence that refuses the request. */
static const char *refusal(struct rig *r, json_t *request)
{
	static char reason[REASON_MAX];

	reason[0] = 0;
	assert_int_equal(catalog_create(r->catalog, request, wire_now_ns(), never, NULL, reason), -EINVAL);
	json_decref(request);
	return reason;
}

TEST(an_instrumentation_is_made_of_a_known_metric)
{
	struct rig r;
	const struct catalog_inst *ci;
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	id = rig_create(&r, wire_request("statement,latency"));
	ci = catalog_find(r.catalog, id);
	assert_non_null(ci);
	assert_ptr_equal(catalog_first(r.catalog), ci);
	assert_int_equal(ci->in.n_fields, 1);
	assert_string_equal(ci->in.field[0], "statement");
	assert_string_equal(ci->in.measure[0], "latency");
	assert_string_equal(ci->numeric, "latency");
	assert_true(ci->in.ruler[0] == WIRE_RULER);
	rig_end(&r);
}

TEST(an_unknown_metric_is_refused_with_its_name)
{
	struct rig r;

	rig_begin(&r, NULL);
	assert_string_equal(refusal(&r, wire_request("")), "\"mysql.queries\" is not a valid module/stat pair");
	assert_string_equal(refusal(&r, json_pack("{s:s}", "module", "mysql")), "missing value for required field: \"stat\"");
	rig_end(&r);
}

TEST(a_metric_that_sources_refuse_is_refused_with_their_reason)
{
	struct rig r;
	json_t *hello = wire_hello("db1", "refused", "CAP_BPF is missing");
	const char *name;
	char reason[REASON_MAX];

	rig_begin(&r, NULL);
	assert_int_equal(catalog_hello(r.catalog, hello, wire_now_ns(), &name, reason), 0);
	json_decref(hello);
	assert_null(catalog_metric(r.catalog, 0));
	assert_string_equal(refusal(&r, wire_request("")),
			    "no source can measure mysql.queries; db1 says: CAP_BPF is missing");
	rig_end(&r);
}

TEST(metrics_are_those_of_connected_sources_and_of_instrumentations)
{
	struct rig r;
	__u64 id;

	rig_begin(&r, NULL);
	assert_null(catalog_metric(r.catalog, 0));
	rig_hello(&r, "db1");
	rig_hello(&r, "db2");
	assert_non_null(catalog_metric(r.catalog, 0));
	assert_null(catalog_metric(r.catalog, 1));
	assert_non_null(metric_field(catalog_metric(r.catalog, 0), HOSTNAME_FIELD));
	id = rig_create(&r, wire_request(""));
	catalog_bye(r.catalog, "db1", wire_now_ns());
	catalog_bye(r.catalog, "db2", wire_now_ns());
	assert_non_null(catalog_metric_find(r.catalog, "mysql", "queries"));
	assert_int_equal(catalog_delete(r.catalog, id, NULL, NULL), 0);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_null(catalog_metric_find(r.catalog, "mysql", "queries"));
	rig_end(&r);
}

/* db1 has the usual fields, db2 two more, db3 one of these and another one. */
TEST(a_metric_has_the_fields_of_all_hosts)
{
	static const char *const more[3][3] = { { NULL }, { "pool", "zone", NULL }, { "zone", "shard", NULL } };
	static const char *const want[] = { "command", "statement", "latency", "cputime", "pool", "zone", "shard", HOSTNAME_FIELD };
	struct rig r;
	const struct metric *m;
	const struct catalog_inst *ci;
	json_t *request = wire_request("shard,command");
	const char *name;
	char reason[REASON_MAX], source[8];
	__u64 id;

	rig_begin(&r, NULL);
	for (int i = 0; i < 3; i++) {
		json_t *hello, *fields;

		snprintf(source, sizeof(source), "db%d", i + 1);
		hello = wire_hello(source, "ok", "");
		fields = json_object_get(json_array_get(json_object_get(hello, "metrics"), 0), "fields");
		for (int k = 0; more[i][k]; k++)
			json_array_append_new(fields, json_pack("{s:s, s:s, s:s, s:s}", "name", more[i][k], "label", more[i][k], "type", "string",
								"arity", "discrete"));
		assert_int_equal(catalog_hello(r.catalog, hello, wire_now_ns(), &name, reason), 0);
		json_decref(hello);
	}
	m = catalog_metric_find(r.catalog, "mysql", "queries");
	assert_int_equal(m->n_fields, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < m->n_fields; i++)
		assert_string_equal(m->field[i].name, want[i]);
	assert_null(catalog_metric(r.catalog, 1));
	json_object_set_new(request, "predicate", json_string("{\"eq\": [\"pool\", \"a\"]}"));
	id = rig_create(&r, request);
	ci = catalog_find(r.catalog, id);
	catalog_bye(r.catalog, "db2", wire_now_ns());
	catalog_bye(r.catalog, "db3", wire_now_ns());
	/* no source can measure it now */
	assert_null(metric_field(catalog_metric_find(r.catalog, "mysql", "queries"), "shard"));
	assert_non_null(metric_field(ci->metric, "pool"));
	rig_end(&r);
}

TEST(a_restart_knows_instrumentation_metric_and_data)
{
	static const __u64 values[] = { 5000, 6000 };
	struct rig r;
	struct bytes data = { 0 };
	struct incoming_batch *a;
	const struct catalog_inst *ci;
	char before[64], after[64];
	__s64 slot = wire_now_ns() / 1000000000;
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	id = rig_create(&r, wire_request("hostname,latency"));
	wire_batch(&data, "db1", id, slot, 1, NULL, values, 2);
	assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
	assert_int_equal(incoming_batch_fill_host(a, &catalog_find(r.catalog, id)->in, NULL), 0);
	assert_int_equal(store_queue_add(r.store_queue, a), 0);
	identity(r.catalog, before);
	rig_stop(&r);

	rig_begin(&r, r.store);
	ci = catalog_find(r.catalog, id);
	assert_non_null(ci);
	identity(r.catalog, after);
	assert_string_equal(after, before);
	assert_string_equal(ci->numeric, "latency");
	assert_true(ci->in.ruler[0] == WIRE_RULER);
	assert_non_null(catalog_metric_find(r.catalog, "mysql", "queries"));
	assert_int_equal(rig_cubed(&r, id), 2);
	assert_int_equal(catalog_n_sources(r.catalog, ci, wire_now_ns()), 1);
	rig_hello(&r, "db1");
	assert_int_equal(rig_create(&r, wire_request("")), id + 1);
	bytes_fini(&data);
	rig_end(&r);
}

TEST(an_id_is_never_used_twice)
{
	struct rig r;
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	id = rig_create(&r, wire_request(""));
	assert_int_equal(catalog_delete(r.catalog, id, NULL, NULL), 0);
	assert_int_equal(catalog_delete(r.catalog, id, NULL, NULL), -ENOENT);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_null(catalog_find(r.catalog, id));
	assert_int_equal(catalog_delete(r.catalog, id, NULL, NULL), -ENOENT);
	assert_true(rig_create(&r, wire_request("")) > id);
	rig_end(&r);
}

static __u64 present_term(void *arg) { return *(__u64 *)arg; }
static void keep_err(void *arg, int err) { *(int *)arg = err; }
static int work_nothing(void *arg, struct store *store) { return 0; }

/* The lease may end while the deletion waits for the worker; a batch may come before and after it was asked for. */
TEST(a_refused_deletion_changes_nothing)
{
	static const __u64 values[] = { 5000, 6000 };
	struct rig r;
	__s64 slot = wire_now_ns() / 1000000000;
	__u64 id, term = 1;
	int first = 1, err = 1;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	id = rig_create(&r, wire_request("command"));
	store_queue_lead_by(r.store_queue, present_term, &term);
	assert_int_equal(store_queue_submit(r.store_queue, work_nothing, keep_err, &first), 0);	/* the worker has it */
	for (__u32 i = 0; i < 2; i++) {
		struct bytes data = { 0 };
		struct incoming_batch *a;

		wire_batch(&data, "db1", id, slot + i, i + 1, "query", values, 2);
		assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
		assert_int_equal(store_queue_add(r.store_queue, a), 0);
		bytes_fini(&data);
		if (!i)
			assert_int_equal(catalog_delete(r.catalog, id, keep_err, &err), 0);
	}
	term = 2;
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(err, -EREMOTE);
	assert_non_null(catalog_find(r.catalog, id));
	assert_int_equal(rig_stored(&r, id), 4);
	assert_int_equal(rig_cubed(&r, id), 4);
	assert_int_equal(catalog_delete(r.catalog, id, keep_err, &err), 0);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(err, 0);
	assert_null(catalog_find(r.catalog, id));
	assert_int_equal(rig_stored(&r, id), 0);
	rig_end(&r);
}

TEST(sources_that_can_report_are_counted_once)
{
	struct rig r;
	const struct catalog_inst *ci;
	__s64 now = wire_now_ns(), slot = now / 1000000000;
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	rig_hello(&r, "db2");
	id = rig_create(&r, wire_request(""));
	ci = catalog_find(r.catalog, id);
	assert_int_equal(catalog_n_sources(r.catalog, ci, now), 2);
	catalog_seen(r.catalog, id, "db2", slot);
	catalog_seen(r.catalog, id, "db3", slot);		/* not connected, but seen */
	catalog_seen(r.catalog, id, "db4", slot - 4000);	/* older than the retention of 3600 s */
	assert_int_equal(catalog_n_sources(r.catalog, ci, now), 3);
	catalog_bye(r.catalog, "db1", wire_now_ns());
	catalog_bye(r.catalog, "db2", wire_now_ns());
	assert_int_equal(catalog_n_sources(r.catalog, ci, now), 2);
	catalog_expired(r.catalog, id, (const __s64[TIERS]){ slot + 1, slot + 1, slot + 1 }, slot + 1);
	assert_int_equal(catalog_n_sources(r.catalog, ci, now), 0);
	rig_end(&r);
}

/* 7,919 is prime to 10,000, so the names come in a mixed order, each once. */
TEST(ten_thousand_sources_are_found_and_listed_by_name)
{
	struct rig r;
	const struct catalog_inst *ci;
	const struct source *s;
	char name[SOURCE_MAX];
	__u64 id;
	int n = 0;

	rig_begin(&r, NULL);
	rig_hello(&r, "first");
	id = rig_create(&r, wire_request(""));
	ci = catalog_find(r.catalog, id);
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "host%04d", i * 7919 % 10000);
		rig_hello(&r, name);
		catalog_seen(r.catalog, id, name, i);
	}
	s = catalog_source_first(r.catalog);
	assert_string_equal(s->name, "first");
	for (s = s->next; s; s = s->next, n++) {
		snprintf(name, sizeof(name), "host%04d", n);
		assert_string_equal(s->name, name);
	}
	assert_int_equal(n, 10000);
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "host%04d", i * 7919 % 10000);
		assert_non_null(catalog_labels(r.catalog, name));
		assert_int_equal(catalog_sighting(ci, name)->slot, i);
	}
	assert_null(catalog_labels(r.catalog, "host"));
	assert_null(catalog_sighting(ci, "first"));
	catalog_expired(r.catalog, id, (const __s64[TIERS]){ 5000, 5000, 5000 }, 5000);
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "host%04d", i * 7919 % 10000);
		assert_true(i < 5000 ? !catalog_sighting(ci, name) : catalog_sighting(ci, name)->slot == i);
	}
	rig_end(&r);
}

TEST(sources_beyond_the_limit_are_refused)
{
	struct rig r;
	json_t *hello = wire_hello("one_more", "ok", "");
	const char *name;
	char reason[REASON_MAX], source[SOURCE_MAX];

	rig_begin(&r, NULL);
	for (int i = 0; i < 100000; i++) {
		snprintf(source, sizeof(source), "host%05d", i);
		rig_hello(&r, source);
	}
	assert_int_equal(catalog_hello(r.catalog, hello, wire_now_ns(), &name, reason), -EINVAL);
	assert_string_equal(reason, "there are 100000 sources already, which is the limit");
	json_decref(hello);
	rig_hello(&r, "host00007");		/* it is one of them */
	rig_end(&r);
}

TEST(sources_with_the_same_offers_share_them)
{
	struct rig r;
	const struct source *s[4], *at;
	const char *name;
	char reason[REASON_MAX], source[SOURCE_MAX];

	rig_begin(&r, NULL);
	for (int i = 0; i < 4; i++) {
		json_t *hello;

		snprintf(source, sizeof(source), "db%d", i);
		hello = wire_hello(source, i == 2 ? "refused" : "ok", i == 2 ? "no rights" : "");
		if (i == 3)
			json_object_set_new(hello, "labels", json_pack("{s:s}", "role", "db"));
		assert_int_equal(catalog_hello(r.catalog, hello, wire_now_ns(), &name, reason), 0);
		json_decref(hello);
	}
	at = catalog_source_first(r.catalog);
	for (int i = 0; i < 4; i++, at = at->next)
		s[i] = at;
	assert_ptr_equal(s[0]->offer, s[1]->offer);
	assert_ptr_not_equal(s[0]->offer, s[2]->offer);
	assert_ptr_not_equal(s[0]->offer, s[3]->offer);
	assert_false(s[2]->offer[0].ok);
	assert_non_null(metric_field(s[3]->offer[0].metric, "label.role"));
	assert_null(metric_field(s[0]->offer[0].metric, "label.role"));
	rig_hello(&r, "db2");			/* now it can */
	assert_ptr_equal(s[0]->offer, s[2]->offer);
	catalog_bye(r.catalog, "db0", wire_now_ns());
	catalog_bye(r.catalog, "db1", wire_now_ns());
	catalog_bye(r.catalog, "db3", wire_now_ns());
	assert_non_null(catalog_metric_find(r.catalog, "mysql", "queries"));
	rig_end(&r);
}

static void count_changes(void *arg, bool wanted)
{
	((int *)arg)[wanted]++;
}

TEST(observers_get_changes_of_instrumentations_and_sources)
{
	struct rig r;
	int n[2] = { 0 };
	struct catalog_observer o = { .changed = count_changes, .arg = n };
	json_t *states = json_pack("{s:[{s:i, s:s, s:s}]}", "instrumentations", "id", 1, "state", "failed", "reason", "no BTF");
	json_t *want;
	char reason[REASON_MAX];
	__u64 id;

	rig_begin(&r, NULL);
	catalog_observe(r.catalog, &o);
	rig_hello(&r, "db1");
	assert_int_equal(n[false], 1);
	id = rig_create(&r, wire_request("command"));
	assert_int_equal(n[true], 1);
	want = catalog_want(r.catalog);
	assert_int_equal(json_array_size(json_object_get(want, "instrumentations")), 1);
	assert_int_equal(strlen(json_string_value(json_object_get(want, "aggregator"))), 36);
	json_decref(want);
	assert_int_equal(catalog_state(r.catalog, "db1", states, reason), 0);
	assert_int_equal(n[false], 2);
	assert_string_equal(source_inst(wire_source(r.catalog, "db1"), id)->reason, "no BTF");
	assert_int_equal(catalog_delete(r.catalog, id, NULL, NULL), 0);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(n[true], 2);
	assert_null(source_inst(wire_source(r.catalog, "db1"), id));
	catalog_unobserve(r.catalog, &o);
	catalog_bye(r.catalog, "db1", wire_now_ns());
	assert_int_equal(n[false], 2);
	json_decref(states);
	rig_end(&r);
}

TEST(an_unreadable_stored_instrumentation_is_reported)
{
	struct rig r;
	struct catalog *second;
	char reason[REASON_MAX];

	rig_begin(&r, NULL);
	assert_int_equal(r.store->ops->inst_put(r.store, 9, "{\"instrumentation\": {\"module\": \"mysql\"}}"), 0);
	assert_int_equal(catalog_new(r.store_queue, r.cube, 100, &second), 0);
	assert_int_equal(catalog_load(second, r.store, INT64_MAX / 2, reason), -EINVAL);
	assert_non_null(strstr(reason, "stored instrumentation 9 cannot be read"));
	catalog_free(second);
	rig_end(&r);
}

/* The last hour of an hour's retention lies before the slots that are not settled. */
TEST(all_settled_slots_of_the_retention_are_in_memory)
{
	static const __u64 values[] = { 5000 };
	struct rig r;
	struct incoming_batch *a;
	json_t *request = wire_request("command");
	__s64 newest = wire_now_ns() / 1000000000, first, last;
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	json_object_set_new(request, "retention-time", json_integer(10));
	id = rig_create(&r, request);
	for (__u32 i = 0; i <= 20; i++) {
		struct bytes data = { 0 };

		wire_batch(&data, "db1", id, newest - 20 + i, i + 1, "query", values, 1);
		assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
		assert_int_equal(store_queue_add(r.store_queue, a), 0);
		bytes_fini(&data);
	}
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(cube_range(r.cube, id, &first, &last), 0);
	assert_int_equal(last, newest);
	assert_true(first <= newest - 1 - 10);
	rig_end(&r);
}

struct outcome {
	int err, n;
};

static void on_outcome(void *arg, int err, const struct catalog_inst *ci)
{
	struct outcome *o = arg;

	assert_true(!err == (ci != NULL));
	o->err = err;
	o->n++;
}

static json_t *json_of(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

/* Returns the error that done() got. */
static int change(struct rig *r, __u64 id, const char *text)
{
	struct outcome o = { 0 };
	json_t *changes = json_of(text);
	char reason[REASON_MAX] = "";

	if (catalog_change(r->catalog, id, changes, on_outcome, &o, reason))
		fail_msg("%s", reason);
	assert_int_equal(o.n, 0);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	assert_int_equal(o.n, 1);
	json_decref(changes);
	return o.err;
}

static size_t wanted(struct rig *r)
{
	json_t *want = catalog_want(r->catalog);
	size_t n = json_array_size(json_object_get(want, "instrumentations"));

	json_decref(want);
	return n;
}

TEST(a_suspended_one_is_not_wanted_and_stays_so_over_a_restart)
{
	struct rig r;
	int n[2] = { 0 };
	struct catalog_observer o = { .changed = count_changes, .arg = n };
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	id = rig_create(&r, wire_request("command"));
	catalog_observe(r.catalog, &o);
	assert_int_equal(wanted(&r), 1);
	assert_int_equal(change(&r, id, "{\"enabled\": false, \"retention-time\": 77}"), 0);
	assert_int_equal(wanted(&r), 0);
	assert_int_equal(n[true], 1);
	assert_int_equal(change(&r, id, "{\"idle-max\": 0}"), 0);
	assert_int_equal(n[true], 1);		/* collectors need not know the change */
	catalog_unobserve(r.catalog, &o);
	rig_stop(&r);

	rig_begin(&r, r.store);
	assert_int_equal(wanted(&r), 0);
	assert_int_equal(catalog_find(r.catalog, id)->in.retention_s, 77);
	assert_int_equal(change(&r, id, "{\"enabled\": true}"), 0);
	assert_int_equal(wanted(&r), 1);
	rig_end(&r);
}

TEST(changes_follow_one_another)
{
	static const char *const text[] = { "{\"retention-time\": 100}", "{\"idle-max\": 50}", "{\"enabled\": \"false\"}" };
	struct rig r;
	struct outcome o = { 0 };
	const struct catalog_inst *ci;
	char reason[REASON_MAX];
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	id = rig_create(&r, wire_request("command"));
	for (int i = 0; i < 3; i++) {		/* each is sent before the one before it is stored */
		json_t *changes = json_of(text[i]);

		assert_int_equal(catalog_change(r.catalog, id, changes, on_outcome, &o, reason), 0);
		json_decref(changes);
	}
	ci = catalog_find(r.catalog, id);
	assert_int_equal(ci->in.retention_s, 3600);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(o.n, 3);
	assert_int_equal(ci->in.retention_s, 100);
	assert_int_equal(ci->in.idle_max_s, 50);
	assert_true(ci->in.suspended);
	rig_end(&r);
}

/* Takes what the leader has written. */
static void follow(struct rig *f, struct rig *leader, __s64 until_ns)
{
	char reason[REASON_MAX];
	struct store *texts;

	uv_run(&leader->loop, UV_RUN_DEFAULT);
	assert_int_equal(store_copy_texts(leader->store, &texts), 0);
	assert_int_equal(catalog_follow(f->catalog, texts, until_ns, reason), 0);
	texts->ops->close(texts);
}

static void put(struct rig *r, __u64 inst, __s64 slot, __u32 seq)
{
	static const __u64 values[] = { 5000, 6000 };
	struct bytes data = { 0 };
	struct incoming_batch *a;

	wire_batch(&data, "db1", inst, slot, seq, "query", values, 2);
	assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
	assert_int_equal(store_queue_add(r->store_queue, a), 0);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	bytes_fini(&data);
}

TEST(a_follower_knows_what_the_leader_has_written)
{
	struct rig leader, f;
	struct outcome o = { 0 };
	int n[2] = { 0 };
	struct catalog_observer seen = { .changed = count_changes, .arg = n };
	char reason[REASON_MAX];
	json_t *changes = json_of("{\"retention-time\": 100, \"enabled\": \"false\"}");
	__s64 slot = wire_now_ns() / 1000000000, first, last;
	__u64 one, two;

	rig_begin(&leader, NULL);
	rig_begin(&f, NULL);
	rig_hello(&leader, "db1");
	one = rig_create(&leader, wire_request("command"));
	two = rig_create(&leader, wire_request("statement,latency"));
	follow(&f, &leader, slot * 1000000000);
	assert_int_equal(catalog_find(f.catalog, one)->in.retention_s, 3600);
	assert_string_equal(catalog_find(f.catalog, two)->numeric, "latency");
	assert_int_equal(catalog_newest_id(f.catalog), two);
	put(&f, one, slot, 1);			/* began before the cube of the follower was whole */
	assert_int_equal(cube_range(f.cube, one, &first, &last), -ENOENT);
	put(&f, one, slot + 1, 2);
	assert_int_equal(cube_range(f.cube, one, &first, &last), 0);
	assert_int_equal(first, slot + 1);

	assert_int_equal(catalog_change(leader.catalog, one, changes, on_outcome, &o, reason), 0);
	assert_int_equal(catalog_delete(leader.catalog, two, NULL, NULL), 0);
	assert_int_equal(catalog_set_off(leader.catalog, true, NULL, NULL), 0);
	catalog_observe(f.catalog, &seen);
	follow(&f, &leader, slot * 1000000000);
	assert_true(n[true] > 0);
	assert_int_equal(catalog_find(f.catalog, one)->in.retention_s, 100);
	assert_true(catalog_find(f.catalog, one)->in.suspended);
	assert_int_equal(rig_cubed(&f, one), 2);	/* it keeps its slots */
	assert_null(catalog_find(f.catalog, two));
	assert_true(catalog_is_off(f.catalog));
	assert_int_equal(catalog_newest_id(f.catalog), two);
	catalog_unobserve(f.catalog, &seen);

	catalog_leave(f.catalog, (slot + 2) * 1000000000);
	assert_int_equal(cube_range(f.cube, one, &first, &last), 0);
	assert_int_equal(first, slot + 3);
	json_decref(changes);
	rig_end(&f);
	rig_end(&leader);
}

TEST(a_change_does_not_restore_a_deleted_instrumentation)
{
	struct rig r;
	struct outcome o = { 0 };
	json_t *changes = json_of("{\"retention-time\": 100}");
	char reason[REASON_MAX];
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	id = rig_create(&r, wire_request("command"));
	assert_int_equal(catalog_change(r.catalog, id, changes, on_outcome, &o, reason), 0);
	assert_int_equal(catalog_delete(r.catalog, id, NULL, NULL), 0);
	assert_int_equal(catalog_change(r.catalog, id, changes, on_outcome, &o, reason), -ENOENT);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(o.n, 1);
	assert_int_equal(o.err, 0);
	json_decref(changes);
	rig_stop(&r);
	rig_begin(&r, r.store);
	assert_null(catalog_first(r.catalog));
	rig_end(&r);
}

TEST(more_retention_does_not_pretend_to_hold_more)
{
	static const __u64 values[] = { 5000 };
	struct rig r;
	json_t *request = wire_request("command");
	__s64 newest = wire_now_ns() / 1000000000, first, last, before;
	struct bytes data = { 0 };
	struct incoming_batch *a;
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	json_object_set_new(request, "retention-time", json_integer(10));
	id = rig_create(&r, request);
	wire_batch(&data, "db1", id, newest, 1, "query", values, 1);
	assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
	assert_int_equal(store_queue_add(r.store_queue, a), 0);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(cube_range(r.cube, id, &before, &last), 0);
	assert_int_equal(change(&r, id, "{\"retention-time\": 60}"), 0);
	assert_int_equal(cube_range(r.cube, id, &first, &last), 0);
	assert_int_equal(first, before);	/* the store has older slots */
	assert_int_equal(rig_cubed(&r, id), 1);
	bytes_fini(&data);
	rig_end(&r);
}

TEST(a_clone_differs_in_the_named_properties)
{
	struct rig r;
	struct outcome o = { 0 };
	json_t *request = wire_request("command,cputime"), *other = json_of("{\"decomposition\": \"statement,cputime\", \"keys\": 5}");
	const struct catalog_inst *ci;
	char reason[REASON_MAX];
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	json_object_set_new(request, "granularity", json_real(0.05));
	id = rig_create(&r, request);
	assert_int_equal(catalog_clone(r.catalog, id, other, wire_now_ns(), on_outcome, &o, reason), 0);
	assert_int_equal(catalog_clone(r.catalog, id + 9, other, wire_now_ns(), never, NULL, reason), -ENOENT);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(o.n, 1);
	ci = catalog_find(r.catalog, id + 1);
	assert_string_equal(ci->in.field[0], "statement");
	assert_string_equal(ci->numeric, "cputime");
	assert_int_equal(ci->in.n_keys, 5);
	assert_true(ci->in.slot_ns == 50000000);
	json_decref(other);
	rig_end(&r);
}

TEST(an_idle_instrumentation_is_deleted)
{
	struct rig r;
	__s64 now = wire_now_ns(), second = 1000000000;
	__u64 id[3];

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	for (int i = 0; i < 3; i++) {
		json_t *request = wire_request("command");

		json_object_set_new(request, "idle-max", json_integer(i ? 60 : 0));	/* 0: never */
		id[i] = rig_create(&r, request);
	}
	catalog_reap(r.catalog, now);
	catalog_reap(r.catalog, now + 30 * second);
	assert_non_null(catalog_find(r.catalog, id[1]));
	catalog_touch(r.catalog, id[2], now + 30 * second);
	catalog_touch(r.catalog, 99, now);
	catalog_reap(r.catalog, now + 70 * second);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_non_null(catalog_find(r.catalog, id[0]));
	assert_null(catalog_find(r.catalog, id[1]));
	assert_non_null(catalog_find(r.catalog, id[2]));
	rig_stop(&r);

	rig_begin(&r, r.store);			/* the time while it did not run does not count */
	catalog_reap(r.catalog, now + 5000 * second);
	assert_non_null(catalog_find(r.catalog, id[2]));
	catalog_reap(r.catalog, now + 5060 * second);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_null(catalog_find(r.catalog, id[2]));
	assert_non_null(catalog_find(r.catalog, id[0]));
	catalog_touch(r.catalog, id[0], 0);
	rig_end(&r);
}

static void state_report(struct rig *r, const char *source, __u64 id, const char *state, const char *why)
{
	json_t *states = json_pack("{s:[{s:I, s:s, s:s}]}", "instrumentations", "id", (json_int_t)id, "state", state,
				   "reason", why);
	char reason[REASON_MAX];

	assert_int_equal(catalog_state(r->catalog, source, states, reason), 0);
	json_decref(states);
}

static void assert_fare(struct rig *r, __u64 id, const char *source, __s64 now, enum fare want, const char *says)
{
	char reason[REASON_MAX];

	assert_int_equal(catalog_fare(catalog_find(r->catalog, id), wire_source(r->catalog, source), now, reason), want);
	assert_non_null(strstr(reason, says));
}

TEST(a_source_state_follows_its_reports_and_its_connection)
{
	struct rig r;
	json_t *cannot = wire_hello("db2", "refused", "CAP_BPF is missing");
	__s64 now = wire_now_ns(), slot = now / 1000000000;
	const char *name;
	char reason[REASON_MAX];
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	assert_int_equal(catalog_hello(r.catalog, cannot, wire_now_ns(), &name, reason), 0);
	id = rig_create(&r, wire_request("command"));
	assert_fare(&r, id, "db1", now, FARE_PENDING, "");
	assert_fare(&r, id, "db2", now, FARE_FAILED, "CAP_BPF is missing");
	assert_int_equal(catalog_n_sources(r.catalog, catalog_find(r.catalog, id), now), 1);
	state_report(&r, "db1", id, "active", "");
	assert_fare(&r, id, "db1", now, FARE_ACTIVE, "");
	catalog_seen(r.catalog, id, "db1", slot);
	catalog_lost(r.catalog, id, "db1", 12, now);
	assert_fare(&r, id, "db1", now + FARE_LOSS_NS - 1, FARE_PARTIAL, "12 since");
	assert_fare(&r, id, "db1", now + FARE_LOSS_NS, FARE_ACTIVE, "");
	state_report(&r, "db1", id, "partial", "one of two servers may not be looked into");
	assert_fare(&r, id, "db1", now + FARE_LOSS_NS, FARE_PARTIAL, "one of two");
	state_report(&r, "db1", id, "failed", "no memory");
	assert_fare(&r, id, "db1", now, FARE_FAILED, "no memory");
	assert_int_equal(catalog_n_sources(r.catalog, catalog_find(r.catalog, id), now), 0);
	assert_int_equal(change(&r, id, "{\"enabled\": false}"), 0);
	assert_fare(&r, id, "db1", now, FARE_SUSPENDED, "");
	assert_int_equal(change(&r, id, "{\"enabled\": true}"), 0);
	assert_fare(&r, id, "db1", now, FARE_PENDING, "");	/* its state before the disconnection does not count */
	catalog_bye(r.catalog, "db1", wire_now_ns());
	assert_fare(&r, id, "db1", now, FARE_GONE, "");
	json_decref(cannot);
	rig_end(&r);
}

/* A collector counts whole slots.  If its clock is ahead of ours by more than one slot, its start says nothing about
 * our time. */
TEST(a_source_is_pending_until_its_first_slot_begins)
{
	struct rig r;
	__s64 now = wire_now_ns(), from = (now / 1000000000 + 1) * 1000000000;
	const struct { __s64 at; enum fare fare; } cases[] = {
		{ from - 1000000000, FARE_PENDING }, { from - 1, FARE_PENDING }, { from, FARE_ACTIVE }, { from - 1000000001, FARE_ACTIVE },
	};
	char reason[REASON_MAX];
	json_t *states;
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	id = rig_create(&r, wire_request("command"));
	states = json_pack("{s:[{s:I, s:s, s:I}]}", "instrumentations", "id", (json_int_t)id, "state", "active", "counts_from",
			   (json_int_t)from);
	assert_int_equal(catalog_state(r.catalog, "db1", states, reason), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_fare(&r, id, "db1", cases[i].at, cases[i].fare, "");
	json_decref(states);
	rig_end(&r);
}

TEST(recent_sources_that_can_measure_are_waited_for)
{
	struct rig r;
	__s64 now = wire_now_ns(), slot = now / 1000000000;
	const struct catalog_inst *ci;
	__u64 id;

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	rig_hello(&r, "db2");
	rig_hello(&r, "db3");
	id = rig_create(&r, wire_request("command"));
	ci = catalog_find(r.catalog, id);
	for (int i = 1; i <= 3; i++)
		state_report(&r, (const char *[]){ "db1", "db2", "db3" }[i - 1], id, "active", "");
	assert_true(catalog_reported(r.catalog, ci, slot, now));	/* no source has reported: wait for none */
	catalog_seen(r.catalog, id, "db1", slot);
	catalog_seen(r.catalog, id, "db2", slot - 1);
	catalog_seen(r.catalog, id, "db3", slot - 17);		/* silent for too long */
	catalog_seen(r.catalog, id, "db4", slot - 1);		/* not connected */
	assert_false(catalog_reported(r.catalog, ci, slot, now));
	assert_true(catalog_reported(r.catalog, ci, slot - 1, now));
	catalog_seen(r.catalog, id, "db2", slot);
	assert_true(catalog_reported(r.catalog, ci, slot, now));
	assert_false(catalog_reported(r.catalog, ci, slot + 1, now));
	state_report(&r, "db1", id, "failed", "no memory");
	catalog_bye(r.catalog, "db2", wire_now_ns());
	assert_true(catalog_reported(r.catalog, ci, slot + 1, now));
	rig_end(&r);
}

static void on_seen(void *arg, __u64 inst)
{
	*(__u64 *)arg = inst;
}

TEST(observers_are_notified_of_reports)
{
	struct rig r;
	int n[2] = { 0 };
	__u64 id, seen = 0;
	struct catalog_observer o = { .changed = count_changes, .seen = on_seen, .arg = &seen };
	struct catalog_observer deaf = { .changed = count_changes, .arg = n };

	rig_begin(&r, NULL);
	rig_hello(&r, "db1");
	id = rig_create(&r, wire_request("command"));
	catalog_observe(r.catalog, &o);
	catalog_observe(r.catalog, &deaf);
	catalog_seen(r.catalog, id, "db1", 5);
	assert_int_equal(seen, id);
	catalog_unobserve(r.catalog, &o);
	catalog_unobserve(r.catalog, &deaf);
	rig_end(&r);
}

TEST_MAIN()
