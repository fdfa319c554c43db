#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "aggregator/worksheets/worksheets.h"

#include <errno.h>

#define SHEET "{\"name\": \"%s\", \"panels\": [{\"instrumentation\": {\"module\": \"mysql\", \"stat\": \"queries\"}, \"measure\": \"latency\"}]}"

static struct server server;

static int start(void **state)
{
	server_start(&server, true);
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

/* Returns the reply as JSON, if it is JSON. */
static json_t *asked(const char *method, const char *path, const char *body, int status)
{
	struct answer a = ask(&server, method, path, "Content-Type: application/json\r\n", body);
	json_t *json;

	if (a.status != status)
		fail_msg("%s %s: %d %s", method, path, a.status, a.body);
	json = json_loads(a.body, 0, NULL);
	answer_fini(&a);
	return json;
}

static const char *text_of(const json_t *json, const char *name)
{
	return json_string_value(json_object_get(json, name));
}

static json_t *save(const char *name)
{
	char body[512];

	snprintf(body, sizeof(body), SHEET, name);
	return asked("POST", "/ca/worksheets", body, 201);
}

static size_t n_saved(void)
{
	json_t *all = asked("GET", "/ca/worksheets", NULL, 200), *one;
	size_t n = 0, i;

	json_array_foreach(all, i, one)
		n += !json_is_true(json_object_get(one, "ready"));
	json_decref(all);
	return n;
}

TEST(one_is_saved_shown_renamed_and_removed)
{
	json_t *made = save("Checkout"), *found, *changed;
	char path[64], id[24];

	snprintf(id, sizeof(id), "%s", text_of(made, "id"));
	snprintf(path, sizeof(path), "/ca/worksheets/%s", id);
	assert_string_equal(text_of(made, "uri"), path);
	found = asked("GET", path, NULL, 200);
	assert_true(json_equal(made, found));
	changed = asked("PUT", path, "{\"name\": \"Till\"}", 200);
	assert_string_equal(text_of(changed, "name"), "Till");
	assert_true(json_equal(json_object_get(made, "panels"), json_object_get(changed, "panels")));
	assert_int_equal(n_saved(), 1);
	json_decref(asked("DELETE", path, NULL, 204));
	json_decref(asked("GET", path, NULL, 404));
	json_decref(asked("DELETE", path, NULL, 404));
	json_decref(asked("PUT", path, "{\"name\": \"Till\"}", 404));
	assert_int_equal(n_saved(), 0);
	json_decref(made);
	made = save("Another");
	assert_string_not_equal(text_of(made, "id"), id);	/* an id is never used twice */
	snprintf(path, sizeof(path), "/ca/worksheets/%s", text_of(made, "id"));
	json_decref(asked("DELETE", path, NULL, 204));
	json_decref(made);
	json_decref(found);
	json_decref(changed);
}

TEST(those_that_come_along_are_cloned_and_not_changed)
{
	json_t *ready = asked("GET", "/ca/worksheets/cpu", NULL, 200), *clone;
	char path[64];

	assert_true(json_is_true(json_object_get(ready, "ready")));
	json_decref(asked("PUT", "/ca/worksheets/cpu", "{\"name\": \"x\"}", 409));
	json_decref(asked("DELETE", "/ca/worksheets/cpu", NULL, 409));
	clone = asked("POST", "/ca/worksheets/cpu/clone", "{\"name\": \"My CPU\"}", 201);
	assert_string_equal(text_of(clone, "name"), "My CPU");
	assert_true(json_is_false(json_object_get(clone, "ready")));
	assert_true(json_equal(json_object_get(ready, "panels"), json_object_get(clone, "panels")));
	snprintf(path, sizeof(path), "/ca/worksheets/%s", text_of(clone, "id"));
	json_decref(asked("DELETE", path, NULL, 204));
	json_decref(ready);
	json_decref(clone);
}

TEST(an_exported_worksheet_can_be_imported)
{
	json_t *made = save("Checkout"), *again;
	char *text = json_dumps(made, 0), path[64];

	again = asked("POST", "/ca/worksheets", text, 201);
	assert_string_not_equal(text_of(made, "id"), text_of(again, "id"));
	assert_true(json_equal(json_object_get(made, "panels"), json_object_get(again, "panels")));
	for (const json_t *one = made; one; one = one == made ? again : NULL) {
		snprintf(path, sizeof(path), "/ca/worksheets/%s", text_of(one, "id"));
		json_decref(asked("DELETE", path, NULL, 204));
	}
	free(text);
	json_decref(made);
	json_decref(again);
}

TEST(an_invalid_worksheet_is_refused)
{
	static const struct { const char *method, *path, *body; int status; } c[] = {
		{ "POST", "/ca/worksheets", "{}", 409 },
		{ "POST", "/ca/worksheets", "[1]", 409 },
		{ "POST", "/ca/worksheets", "{\"name\": \"x\", \"panels\": \"1\"}", 409 },
		{ "GET", "/ca/worksheets/999", NULL, 404 },
		{ "GET", "/ca/worksheets/0123456789012345678901234567890123456789012345678901234567890", NULL, 404 },
		{ "POST", "/ca/worksheets/nowhere/clone", "{}", 404 },
		{ "PUT", "/ca/worksheets", "{}", 405 },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		json_t *error = asked(c[i].method, c[i].path, c[i].body, c[i].status);

		assert_non_null(text_of(json_object_get(error, "error"), "message"));
		json_decref(error);
	}
	assert_int_equal(n_saved(), 0);
}

/* ---- without a server: the test controls the store and the order of events ---- */

struct bench {
	uv_loop_t loop;
	struct store *store;
	struct cube *cube;
	struct store_queue *store_queue;
	struct worksheets *all;
	bool asked_again;
};

static void bench_open(struct bench *b)
{
	*b = (struct bench){ .asked_again = false };
	assert_int_equal(uv_loop_init(&b->loop), 0);
	assert_int_equal(store_memory_open(&b->store), 0);
	assert_int_equal(cube_new(&b->cube), 0);
	assert_int_equal(store_queue_new(&b->loop, b->store, b->cube, &b->store_queue), 0);
	store_queue_begin(b->store_queue);
	assert_int_equal(worksheets_new(b->store_queue, &b->all), 0);
}

static void bench_close(struct bench *b)
{
	uv_run(&b->loop, UV_RUN_DEFAULT);
	worksheets_free(b->all);
	store_queue_free(b->store_queue);
	cube_free(b->cube);
	b->store->ops->close(b->store);
	assert_int_equal(uv_loop_close(&b->loop), 0);
}

static void keep_text(struct bench *b, const char *name, const char *text)
{
	assert_int_equal(b->store->ops->remember(b->store, name, text), 0);
}

TEST(an_unreadable_one_does_not_stop_the_others)
{
	char text[512];
	struct bench b;
	json_t *found;

	bench_open(&b);
	snprintf(text, sizeof(text), SHEET, "Checkout");
	keep_text(&b, "worksheet.00000000000000000001", "{\"name\":");
	keep_text(&b, "worksheet.00000000000000000002", "{\"version\": 99, \"name\": \"of a newer heatscoped\"}");
	keep_text(&b, "worksheet.00000000000000000003", text);
	assert_int_equal(worksheets_load(b.all, b.store), 0);
	assert_null(worksheets_find(b.all, "1"));
	assert_null(worksheets_find(b.all, "2"));
	found = worksheets_find(b.all, "3");
	assert_string_equal(text_of(found, "name"), "Checkout");
	json_decref(found);
	bench_close(&b);
}

static void on_done(void *arg, int err, const char *id) { assert_int_equal(err, 0); }

/* The change is stored, but its removal is not yet. */
static void on_changed(void *arg, int err, const char *id)
{
	struct bench *b = arg;
	json_t *changes = json_pack("{s:s}", "name", "Till");
	char reason[REASON_MAX];

	assert_int_equal(err, 0);
	b->asked_again = true;
	assert_int_equal(worksheets_change(b->all, id, changes, on_done, NULL, reason), -ENOENT);
	json_decref(changes);
}

TEST(a_change_does_not_restore_a_removed_one)
{
	json_t *changes = json_pack("{s:s}", "name", "Counter");
	char text[512], reason[REASON_MAX];
	struct bench b;

	bench_open(&b);
	snprintf(text, sizeof(text), SHEET, "Checkout");
	keep_text(&b, "worksheet.00000000000000000001", text);
	assert_int_equal(worksheets_load(b.all, b.store), 0);
	assert_int_equal(worksheets_change(b.all, "1", changes, on_changed, &b, reason), 0);
	assert_int_equal(worksheets_remove(b.all, "1", on_done, NULL, reason), 0);
	uv_run(&b.loop, UV_RUN_DEFAULT);
	assert_true(b.asked_again);
	assert_null(worksheets_find(b.all, "1"));
	json_decref(changes);
	bench_close(&b);
}

static void count_stored(void *arg, int err, const char *id)
{
	assert_int_equal(err, 0);
	++*(int *)arg;
}

static int add(struct bench *b, worksheets_done done, void *arg, char *reason)
{
	char text[512];
	json_t *given;
	int err;

	snprintf(text, sizeof(text), SHEET, "Checkout");
	given = json_loads(text, 0, NULL);
	err = worksheets_add(b->all, given, done, arg, reason);
	json_decref(given);
	return err;
}

TEST(those_on_their_way_to_the_store_count)
{
	char reason[REASON_MAX] = "";
	struct bench b;
	int n_stored = 0;

	bench_open(&b);
	for (int i = 0; i < WORKSHEETS_MAX; i++)
		assert_int_equal(add(&b, count_stored, &n_stored, reason), 0);
	assert_int_equal(n_stored, 0);
	assert_int_equal(add(&b, count_stored, &n_stored, reason), -EINVAL);
	assert_non_null(strstr(reason, "which is the limit"));
	uv_run(&b.loop, UV_RUN_DEFAULT);
	assert_int_equal(n_stored, WORKSHEETS_MAX);
	bench_close(&b);
}

static int refuse_text(struct store *s, const char *name, const char *text) { return -ENOSPC; }

static void on_refused(void *arg, int err, const char *id)
{
	assert_int_equal(err, -ENOSPC);
	++*(int *)arg;
}

TEST(a_failed_store_changes_nothing)
{
	json_t *changes = json_pack("{s:s}", "name", "Counter"), *found;
	char reason[REASON_MAX] = "";
	int n_stored = 0, n_refused = 0;
	const struct store_ops *ops;
	struct store_ops full;
	struct bench b;

	bench_open(&b);
	assert_int_equal(add(&b, count_stored, &n_stored, reason), 0);
	uv_run(&b.loop, UV_RUN_DEFAULT);
	ops = b.store->ops;
	full = *ops;
	full.remember = refuse_text;
	b.store->ops = &full;
	assert_int_equal(add(&b, on_refused, &n_refused, reason), 0);
	assert_int_equal(worksheets_change(b.all, "1", changes, on_refused, &n_refused, reason), 0);
	assert_int_equal(worksheets_remove(b.all, "1", on_refused, &n_refused, reason), 0);
	uv_run(&b.loop, UV_RUN_DEFAULT);
	b.store->ops = ops;
	assert_int_equal(n_refused, 3);
	assert_null(worksheets_find(b.all, "2"));
	found = worksheets_find(b.all, "1");
	assert_string_equal(text_of(found, "name"), "Checkout");
	json_decref(found);
	json_decref(changes);
	bench_close(&b);
}

TEST_MAIN_WITH(start, stop)
