#include "aggregator/annotations/annotations.h"
#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NOW 1800000000000000000ll

/* ---- from request to note ---- */

static int parse(const char *text, struct annotation *ret, char *reason)
{
	json_t *json = json_loads(text, 0, NULL);
	int err;

	assert_non_null(json);
	err = annotation_parse(json, NOW, ret, reason);
	json_decref(json);
	return err;
}

TEST(a_note_has_the_present_time_a_time_or_a_range)
{
	static const struct {
		const char *request;
		__s64 from_ns, to_ns;
		__u64 inst;
	} cases[] = {
		{ "{\"text\": \"deploy\"}", NOW, NOW, 0 },
		{ "{\"text\": \"deploy\", \"time\": 1700000000.5}", 1700000000500000000, 1700000000500000000, 0 },
		{ "{\"text\": \"deploy\", \"time\": \"1700000000.5\"}", 1700000000500000000, 1700000000500000000, 0 },
		{ "{\"text\": \"deploy\", \"start_time\": 5, \"end_time\": 6, \"instrumentation\": \"7\"}", 5000000000, 6000000000, 7 },
		{ "{\"text\": \"deploy\", \"start_time\": 5, \"end_time\": 5, \"instrumentation\": 7}", 5000000000, 5000000000, 7 },
		{ "{\"text\": \"\\u00a0\", \"time\": null}", NOW, NOW, 0 },
		{ "{\"text\": \"\xc3\xa4\", \"id\": \"4\", \"kind\": \"alert\", \"instrumentation\": null}", NOW, NOW, 0 },
	};
	char reason[REASON_MAX];
	struct annotation a;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(parse(cases[i].request, &a, reason), 0);
		assert_int_equal(a.from_ns, cases[i].from_ns);
		assert_int_equal(a.to_ns, cases[i].to_ns);
		assert_int_equal(a.inst, cases[i].inst);
		assert_int_equal(a.kind, ANNOTATION_NOTE);
	}
}

TEST(refuses_an_invalid_note_with_a_sentence)
{
	static const char *const cases[][2] = {
		{ "{}", "needs a \"text\"" }, { "{\"text\": 5}", "needs a \"text\"" }, { "{\"text\": \"\"}", "it has 0 bytes" },
		{ "{\"text\": \"  \"}", "not all blank" }, { "{\"text\": \"a\\nb\"}", "one line" }, { "{\"text\": \"a\\u007f\"}", "one line" },
		{ "{\"text\": \"a\\u0080\"}", "one line" }, { "{\"text\": \"a\\u009f\"}", "one line" },
		{ "{\"text\": \"a\", \"time\": -1}", "\"time\" is invalid" }, { "{\"text\": \"a\", \"time\": \"x\"}", "\"time\" is invalid" },
		{ "{\"text\": \"a\", \"time\": \"\"}", "\"time\" is invalid" }, { "{\"text\": \"a\", \"time\": 1e99}", "\"time\" is invalid" },
		{ "{\"text\": \"a\", \"time\": \"nan\"}", "\"time\" is invalid" },
		{ "{\"text\": \"a\", \"start_time\": 5}", "start_time" }, { "{\"text\": \"a\", \"end_time\": 5}", "start_time" },
		{ "{\"text\": \"a\", \"time\": 4, \"start_time\": 4, \"end_time\": 5}", "or none" },
		{ "{\"text\": \"a\", \"start_time\": 5, \"end_time\": 4}", "before" },
		{ "{\"text\": \"a\", \"instrumentation\": \"x\"}", "instrumentation's id" },
		{ "{\"text\": \"a\", \"instrumentation\": -3}", "instrumentation's id" },
		{ "{\"text\": \"a\", \"colour\": \"red\"}", "has no \"colour\"" },
	};
	char long_text[ANNOTATION_TEXT_MAX + 20], reason[REASON_MAX];
	struct annotation a;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		reason[0] = 0;
		assert_int_equal(parse(cases[i][0], &a, reason), -EINVAL);
		assert_non_null(strstr(reason, cases[i][1]));
	}
	memset(long_text, 'x', sizeof(long_text));
	long_text[ANNOTATION_TEXT_MAX] = 0;
	assert_int_equal(annotation_check_text(long_text, reason), 0);
	long_text[ANNOTATION_TEXT_MAX] = 'x';
	long_text[ANNOTATION_TEXT_MAX + 1] = 0;
	assert_int_equal(annotation_check_text(long_text, reason), -EINVAL);
}

/* ---- storing ---- */

struct shelf {
	uv_loop_t loop;
	struct store *store;
	struct cube *cube;
	struct store_queue *store_queue;
	struct catalog *catalog;
	struct annotations *annotations;
};

static void shelf_open(struct shelf *s)
{
	char reason[REASON_MAX];

	assert_int_equal(cube_new(&s->cube), 0);
	assert_int_equal(store_queue_new(&s->loop, s->store, s->cube, &s->store_queue), 0);
	store_queue_begin(s->store_queue);
	assert_int_equal(catalog_new(s->store_queue, s->cube, 10, &s->catalog), 0);
	assert_int_equal(catalog_load(s->catalog, s->store, INT64_MAX / 2, reason), 0);
	assert_int_equal(annotations_new(s->store_queue, s->catalog, &s->annotations), 0);
	assert_int_equal(annotations_load(s->annotations, s->store), 0);
}

static void shelf_close(struct shelf *s)
{
	uv_run(&s->loop, UV_RUN_DEFAULT);
	annotations_free(s->annotations);
	catalog_free(s->catalog);
	store_queue_free(s->store_queue);
	cube_free(s->cube);
}

static int start(void **state)
{
	static struct shelf s;

	check_seed();
	memset(&s, 0, sizeof(s));
	uv_loop_init(&s.loop);
	assert_int_equal(store_memory_open(&s.store), 0);
	shelf_open(&s);
	*state = &s;
	return 0;
}

static int stop(void **state)
{
	struct shelf *s = *state;

	shelf_close(s);
	s->store->ops->close(s->store);
	return uv_loop_close(&s->loop);
}

static __u64 add(struct shelf *s, __s64 from, __s64 to, enum annotation_kind kind)
{
	struct annotation a = { .from_ns = from, .to_ns = to, .kind = kind, .text = "x" };
	char reason[REASON_MAX];
	__u64 id = 0;

	assert_int_equal(annotations_add(s->annotations, &a, NULL, NULL, &id, reason), 0);
	return id;
}

static size_t count(const struct shelf *s, __u64 inst, __s64 from, __s64 to)
{
	struct annotation_list *all;
	size_t n;

	assert_int_equal(annotations_take(s->annotations, inst, from, to, 10, &all), 0);
	n = all ? all->n : 0;
	for (size_t i = 1; i < n; i++)
		assert_true(all->item[i - 1].from_ns <= all->item[i].from_ns);
	annotation_list_free(all);
	return n;
}

TEST_WITH(notes_that_touch_a_time_are_shown_in_order, start, stop)
{
	struct shelf *s = *state;

	add(s, 500, 500, ANNOTATION_NOTE);
	add(s, 100, 200, ANNOTATION_NOTE);
	add(s, 300, ANNOTATION_OPEN, ANNOTATION_ALERT);
	assert_int_equal(count(s, 0, 0, 100), 0);
	assert_int_equal(count(s, 0, 0, 101), 1);
	assert_int_equal(count(s, 0, 200, 300), 0);
	assert_int_equal(count(s, 0, 199, 301), 2);
	assert_int_equal(count(s, 0, 500, 501), 2);
	assert_int_equal(count(s, 0, 501, 502), 1);
	assert_int_equal(count(s, 0, 0, 1000), 3);
	assert_int_equal(count(s, 5, 0, 1000), 3);
	for (int i = 0; i < 20; i++)
		add(s, 700 + i, 700 + i, ANNOTATION_NOTE);
	assert_int_equal(count(s, 0, 0, 1000), 10);
	assert_int_equal(count(s, 0, 0, 701), 4);
}

TEST_WITH(notes_survive_a_restart_and_ids_are_not_given_twice, start, stop)
{
	struct shelf *s = *state;
	__u64 kept = add(s, 100, 100, ANNOTATION_NOTE), lasting = add(s, 200, ANNOTATION_OPEN, ANNOTATION_ALERT), gone;

	gone = add(s, 300, 300, ANNOTATION_NOTE);
	assert_int_equal(annotations_end(s->annotations, lasting, 250), 0);
	assert_int_equal(annotations_remove(s->annotations, gone, NULL, NULL), 0);
	assert_int_equal(annotations_remove(s->annotations, gone, NULL, NULL), -ENOENT);
	shelf_close(s);
	shelf_open(s);
	assert_int_equal(annotations_find(s->annotations, kept)->from_ns, 100);
	assert_int_equal(annotations_find(s->annotations, lasting)->to_ns, 250);
	assert_int_equal(annotations_find(s->annotations, lasting)->kind, ANNOTATION_ALERT);
	assert_null(annotations_find(s->annotations, gone));
	assert_true(add(s, 1, 1, ANNOTATION_NOTE) > gone);
}

TEST_WITH(notes_are_bounded_and_old_firings_make_room, start, stop)
{
	struct shelf *s = *state;
	struct annotation a = { .text = "x" };
	char reason[REASON_MAX];
	__u64 id, lasting = add(s, 0, ANNOTATION_OPEN, ANNOTATION_ALERT), first = add(s, 1, 2, ANNOTATION_ALERT);

	for (int i = 2; i < ANNOTATIONS_ALERTS + 1; i++)
		add(s, i, i, ANNOTATION_ALERT);
	assert_null(annotations_find(s->annotations, first));
	assert_non_null(annotations_find(s->annotations, lasting));
	for (int i = 0; i < ANNOTATIONS_NOTES; i++)
		add(s, i, i, ANNOTATION_NOTE);
	assert_int_equal(annotations_add(s->annotations, &a, NULL, NULL, &id, reason), -ENOSPC);
	assert_non_null(strstr(reason, "remove some"));
}

/* ---- through HTTP ---- */

TEST(notes_are_made_listed_shown_and_removed)
{
	static struct server server;
	char inst[64], location[256];
	struct answer a;
	json_t *all;

	server_start(&server, true);
	server_collector(&server, "db1");
	snprintf(inst, sizeof(inst), "{\"text\": \"deploy 1.2.3\", \"instrumentation\": %llu}", (unsigned long long)server_create(&server));
	a = ask(&server, "POST", "/ca/annotations", NULL, inst);
	assert_int_equal(a.status, 201);
	assert_string_equal(answer_header(&a, "Location", location), "/ca/annotations/1");
	assert_non_null(strstr(a.body, "\"deploy 1.2.3\""));
	answer_fini(&a);
	all = get_json(&server, "/ca/annotations?instrumentation=1");
	assert_int_equal(json_array_size(all), 1);
	json_decref(all);
	all = get_json(&server, "/ca/instrumentations/1/value/grid?duration=60");
	assert_int_equal(json_array_size(json_object_get(all, "annotations")), 0);
	json_decref(all);
	a = ask(&server, "POST", "/ca/annotations", NULL, "{\"text\": \"x\", \"instrumentation\": \"77\"}");
	assert_int_equal(a.status, 409);
	answer_fini(&a);
	a = ask(&server, "GET", "/ca/annotations?start_time=5&end_time=4", NULL, NULL);
	assert_int_equal(a.status, 409);
	assert_non_null(strstr(a.body, "is before"));
	answer_fini(&a);
	a = ask(&server, "PUT", "/ca/annotations/1", NULL, "{}");
	assert_int_equal(a.status, 405);
	answer_fini(&a);
	a = ask(&server, "DELETE", "/ca/annotations/9", NULL, NULL);
	assert_int_equal(a.status, 404);
	assert_non_null(strstr(a.body, "no such annotation"));
	answer_fini(&a);
	a = ask(&server, "DELETE", "/ca/instrumentations/1", NULL, NULL);
	assert_int_equal(a.status, 204);
	answer_fini(&a);
	all = get_json(&server, "/ca/annotations");
	assert_int_equal(json_array_size(all), 0);	/* deleted with its instrumentation */
	json_decref(all);
	a = ask(&server, "POST", "/ca/annotations", "Content-Type: application/x-www-form-urlencoded\r\n", "text=a+note&time=1700000000");
	assert_int_equal(a.status, 201);
	answer_fini(&a);
	a = ask(&server, "DELETE", "/ca/annotations/2", NULL, NULL);
	assert_int_equal(a.status, 204);
	answer_fini(&a);
	server_stop(&server);
}

TEST(maps_carry_the_notes_of_their_time)
{
	static struct server server;
	char path[200], note[100];
	struct answer with, without;
	json_t *grid;
	__s64 t;

	server_start(&server, true);
	server_collector(&server, "db1");
	server_create(&server);
	t = now_ns() / 1000000000 - 60;
	server_batch(&server, "db1", 1, t, "select", 5000000, 10);
	snprintf(path, sizeof(path), "/ca/instrumentations/1/value/heatmap/figure?start_time=%lld&duration=30&format=svg", (long long)t);
	snprintf(note, sizeof(note), "{\"text\": \"deploy\", \"time\": %lld}", (long long)t + 10);
	without = ask(&server, "GET", path, NULL, NULL);
	with = ask(&server, "POST", "/ca/annotations", NULL, note);
	assert_int_equal(with.status, 201);
	answer_fini(&with);
	with = ask(&server, "GET", path, NULL, NULL);
	assert_int_equal(without.status, 200);
	assert_int_equal(with.status, 200);
	assert_true(with.body_len > without.body_len);
	answer_fini(&with);
	answer_fini(&without);
	snprintf(path, sizeof(path), "/ca/instrumentations/1/value/grid?start_time=%lld&duration=30", (long long)t);
	grid = get_json(&server, path);
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(grid, "annotations"), 0), "text")), "deploy");
	json_decref(grid);
	server_stop(&server);
}

TEST_MAIN()
