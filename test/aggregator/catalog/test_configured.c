#include "test/kit/check.h"
#include "test/kit/wire_kit.h"
#include "aggregator/conf/conf.h"

#include <errno.h>
#include <stdio.h>

/* A rig whose store stays while catalogue and list begin again, as after a restart. */
struct restart {
	struct rig rig;
	struct store *store;
	struct conf conf;
	struct configured *configured;
};

static void list(struct conf *conf, size_t n, ...)
{
	va_list args;

	memset(conf, 0, sizeof(*conf));
	strcpy(conf->file, "/etc/list.yaml");
	va_start(args, n);
	for (size_t i = 0; i < n; i++) {
		struct conf_instrumentation *a = &conf->instrumentation[conf->n_instrumentations++];

		snprintf(a->name, sizeof(a->name), "%s", va_arg(args, const char *));
		snprintf(a->request, sizeof(a->request), "%s", va_arg(args, const char *));
		a->line = 10 + (unsigned)i;
	}
	va_end(args);
}

static void begin(struct restart *r)
{
	rig_begin(&r->rig, r->store);
	assert_int_equal(configured_new(r->rig.catalog, r->conf.file, r->conf.instrumentation, r->conf.n_instrumentations, &r->configured), 0);
	configured_begin(r->configured);
	uv_run(&r->rig.loop, UV_RUN_DEFAULT);
}

static void end(struct restart *r)
{
	uv_run(&r->rig.loop, UV_RUN_DEFAULT);
	configured_free(r->configured);
	if (r->store)
		rig_stop(&r->rig);
	else
		rig_end(&r->rig);
}

#define BY_STATEMENT "{\"module\": \"mysql\", \"stat\": \"queries\", \"decomposition\": [\"statement\"], \"measures\": [\"latency\"]"
#define BY_COMMAND "{\"module\": \"mysql\", \"stat\": \"queries\", \"decomposition\": [\"command\"]"

static size_t n_insts(const struct restart *r)
{
	size_t n = 0;

	for (const struct catalog_inst *ci = catalog_first(r->rig.catalog); ci; ci = ci->next)
		n++;
	return n;
}

static const char *state_of(const struct restart *r, size_t i, char reason[REASON_MAX])
{
	static char state[16];
	json_t *json = configured_json(r->configured), *one = json_array_get(json, i);

	snprintf(state, sizeof(state), "%s", json_string_value(json_object_get(one, "state")));
	snprintf(reason, REASON_MAX, "%s", json_string_value(json_object_get(one, "reason")));
	json_decref(json);
	return state;
}

TEST(they_are_made_when_a_source_offers_the_metric)
{
	static struct restart r;
	char reason[REASON_MAX];

	list(&r.conf, 1, "queries", BY_STATEMENT "}");
	begin(&r);
	assert_int_equal(n_insts(&r), 0);
	assert_string_equal(state_of(&r, 0, reason), "waiting");
	rig_hello(&r.rig, "db1");
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	assert_int_equal(n_insts(&r), 1);
	assert_string_equal(catalog_first(r.rig.catalog)->in.field[0], "statement");
	assert_int_equal(catalog_first(r.rig.catalog)->in.retention_s, 86400);
	assert_string_equal(state_of(&r, 0, reason), "on");
	rig_hello(&r.rig, "db2");
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	assert_int_equal(n_insts(&r), 1);
	end(&r);
}

static void ignore_made(void *arg, int err, const struct catalog_inst *made) { }

/* As one of a group, which another heatscoped leads. */
TEST(one_that_follows_reports_what_the_leader_has_made)
{
	static struct restart r;
	char reason[REASON_MAX];
	json_t *request;

	list(&r.conf, 2, "queries", BY_STATEMENT "}", "commands", BY_COMMAND "}");
	begin(&r);
	configured_end(r.configured);
	assert_string_equal(state_of(&r, 0, reason), "waiting");
	assert_string_equal(reason, "no source offers the metric yet");
	rig_hello(&r.rig, "db1");
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	assert_string_equal(state_of(&r, 0, reason), "waiting");
	assert_non_null(strstr(reason, "the heatscoped that leads the group has not made it"));
	request = json_loads(r.conf.instrumentation[0].request, 0, NULL);
	assert_int_equal(catalog_create_configured(r.rig.catalog, request, "queries", 0, ignore_made, NULL, reason), 0);
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	assert_string_equal(state_of(&r, 0, reason), "on");		/* as read from the leader's texts */
	assert_string_equal(state_of(&r, 1, reason), "waiting");
	json_decref(request);
	end(&r);
}

TEST(they_are_neither_deleted_nor_changed)
{
	static struct restart r;
	const struct catalog_inst *ci;
	char reason[REASON_MAX] = "";
	json_t *change = json_pack("{s:i}", "retention-time", 60), *suspend = json_pack("{s:b}", "enabled", 0);

	list(&r.conf, 1, "queries", BY_STATEMENT "}");
	begin(&r);
	rig_hello(&r.rig, "db1");
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	ci = catalog_first(r.rig.catalog);
	assert_int_equal(catalog_check_free(r.rig.catalog, ci, reason), -EINVAL);
	assert_non_null(strstr(reason, "it is in /etc/list.yaml, line 10"));
	reason[0] = 0;
	assert_int_equal(catalog_change(r.rig.catalog, ci->in.id, change, NULL, NULL, reason), -EINVAL);
	assert_non_null(strstr(reason, "line 10"));
	assert_int_equal(catalog_change(r.rig.catalog, ci->in.id, suspend, NULL, NULL, reason), 0);
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	assert_true(catalog_first(r.rig.catalog)->in.suspended);
	catalog_reap(r.rig.catalog, 1);
	catalog_reap(r.rig.catalog, INT64_MAX);
	assert_int_equal(n_insts(&r), 1);
	json_decref(change);
	json_decref(suspend);
	end(&r);
}

/* An instrumentation that measures the same keeps its id, and so its data; only its retention and tiers may change in
 * place. */
TEST(unchanged_entries_keep_their_instrumentation_over_restarts)
{
	static struct restart r;
	__u64 id;

	assert_int_equal(store_memory_open(&r.store), 0);
	list(&r.conf, 1, "queries", BY_STATEMENT "}");
	begin(&r);
	rig_hello(&r.rig, "db1");
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	id = catalog_first(r.rig.catalog)->in.id;
	end(&r);

	list(&r.conf, 2, "more", BY_COMMAND "}", "queries", BY_STATEMENT ", \"retention-time\": 600, \"tiers\": [1000, 2000]}");
	begin(&r);
	assert_int_equal(catalog_find(r.rig.catalog, id)->in.retention_s, 600);
	assert_int_equal(catalog_find(r.rig.catalog, id)->in.hours_s, 2000);
	assert_int_equal(catalog_find(r.rig.catalog, id)->configured_line, 11);
	assert_int_equal(n_insts(&r), 2);	/* the first one has made the metric known */
	end(&r);

	list(&r.conf, 1, "renamed", BY_STATEMENT ", \"retention-time\": 600, \"tiers\": [1000, 2000]}");
	begin(&r);
	assert_string_equal(catalog_find(r.rig.catalog, id)->configured_name, "renamed");
	assert_false(catalog_find(r.rig.catalog, id)->in.suspended);
	end(&r);
	r.store->ops->close(r.store);
	r.store = NULL;
}

TEST(removed_entries_become_suspended_ordinary_ones)
{
	static struct restart r;
	const struct catalog_inst *ci;
	char reason[REASON_MAX];
	__u64 id;

	assert_int_equal(store_memory_open(&r.store), 0);
	list(&r.conf, 1, "queries", BY_STATEMENT "}");
	begin(&r);
	rig_hello(&r.rig, "db1");
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	id = catalog_first(r.rig.catalog)->in.id;
	end(&r);

	list(&r.conf, 1, "queries", BY_COMMAND "}");	/* the same name, but another measurement */
	begin(&r);
	assert_int_equal(n_insts(&r), 2);
	ci = catalog_find(r.rig.catalog, id);
	assert_true(ci->in.suspended);
	assert_string_equal(ci->configured_name, "");
	assert_int_equal(catalog_check_free(r.rig.catalog, ci, reason), 0);
	assert_int_equal(catalog_delete(r.rig.catalog, id, NULL, NULL), 0);
	end(&r);

	list(&r.conf, 0);
	begin(&r);
	assert_int_equal(n_insts(&r), 1);
	assert_true(catalog_first(r.rig.catalog)->in.suspended);
	end(&r);
	r.store->ops->close(r.store);
	r.store = NULL;
}

TEST(one_that_measures_the_same_is_adopted)
{
	static struct restart r;
	json_t *request = json_loads(BY_STATEMENT "}", 0, NULL);
	__u64 id;

	assert_int_equal(store_memory_open(&r.store), 0);
	list(&r.conf, 0);
	begin(&r);
	rig_hello(&r.rig, "db1");
	id = rig_create(&r.rig, request);
	end(&r);
	list(&r.conf, 1, "queries", BY_STATEMENT "}");
	begin(&r);
	assert_int_equal(n_insts(&r), 1);
	assert_string_equal(catalog_find(r.rig.catalog, id)->configured_name, "queries");
	end(&r);
	r.store->ops->close(r.store);
	r.store = NULL;
}

TEST(an_entry_that_no_source_can_measure_is_reported)
{
	static struct restart r;
	char reason[REASON_MAX];

	list(&r.conf, 2, "wrong", "{\"module\": \"mysql\", \"stat\": \"queries\", \"decomposition\": [\"colour\"]}", "queries", BY_STATEMENT "}");
	begin(&r);
	rig_hello(&r.rig, "db1");
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	assert_string_equal(state_of(&r, 0, reason), "wrong");
	assert_non_null(strstr(reason, "colour"));
	assert_string_equal(state_of(&r, 1, reason), "on");
	assert_int_equal(n_insts(&r), 1);
	end(&r);
}

TEST(off_stops_all_measuring_also_after_a_restart)
{
	static struct restart r;
	json_t *want;

	assert_int_equal(store_memory_open(&r.store), 0);
	list(&r.conf, 1, "queries", BY_STATEMENT "}");
	begin(&r);
	rig_hello(&r.rig, "db1");
	uv_run(&r.rig.loop, UV_RUN_DEFAULT);
	assert_int_equal(catalog_set_off(r.rig.catalog, true, NULL, NULL), 0);
	for (int i = 0; i < 3; i++) {
		if (i == 1) {
			end(&r);
			begin(&r);
		}
		if (i == 2)
			assert_int_equal(catalog_set_off(r.rig.catalog, false, NULL, NULL), 0);
		assert_int_equal(catalog_is_off(r.rig.catalog), i < 2);
		want = catalog_want(r.rig.catalog);
		assert_int_equal(json_array_size(json_object_get(want, "instrumentations")), i == 2);
		json_decref(want);
	}
	assert_false(catalog_first(r.rig.catalog)->in.suspended);	/* its own property does not change */
	end(&r);
	r.store->ops->close(r.store);
	r.store = NULL;
}

TEST_MAIN()
