#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <stdio.h>
#include <unistd.h>

#define SLOT 1000000000ll
#define BASE "/ca/instrumentations/1/value/"

static struct server server;
static __s64 t0;			/* the first slot with data */

/* Ten slots: 3 selects of 1 ms each, in the fourth also 2 updates of 50 ms; slot 6 is empty, no source
 * reports slot 7. */
static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	t0 = now_ns() / SLOT - 30;
	for (__s64 i = 0; i < 10; i++)
		if (i != 7)
			server_batch(&server, "db1", 1, t0 + i, "select", 1000000, i == 6 ? 0 : 3);
	server_batch(&server, "db1", 1, t0 + 3, "update", 50000000, 2);
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

static json_t *get(const char *format, ...)
{
	char path[512];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return get_json(&server, path);
}

/* Returns a number inside an object, by a path like "summary.count" or "columns.3.count". */
static double number(const json_t *json, const char *path)
{
	char part[32];
	int n;

	for (; *path; path += n + (path[n] == '.')) {
		assert_int_equal(sscanf(path, "%31[^.]%n", part, &n), 1);
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(part)) : json_object_get(json, part);
	}
	if (!json_is_number(json))
		fail_msg("no number there");
	return json_number_value(json);
}

static const char *text(const json_t *json, const char *name)
{
	const char *value = json_string_value(json_object_get(json, name));

	assert_non_null(value);
	return value;
}

TEST(the_catalogue_names_what_is_reported)
{
	json_t *c = get("/ca"), *m, *source;
	size_t i;
	bool found = false;

	assert_string_equal(text(json_object_get(json_object_get(c, "modules"), "mysql"), "label"), "MySQL");
	assert_string_equal(text(json_object_get(json_object_get(c, "fields"), "latency"), "type"), "time");
	assert_string_equal(text(json_object_get(json_object_get(c, "types"), "time"), "arity"), "numeric");
	assert_int_equal((int)number(json_object_get(json_object_get(c, "types"), "time"), "power"), -9);
	json_array_foreach(json_object_get(c, "metrics"), i, m)
		found = found || !strcmp(text(m, "stat"), "queries");
	assert_true(found);
	source = json_array_get(json_object_get(c, "sources"), 0);
	assert_string_equal(text(source, "source"), "db1");
	assert_string_equal(text(source, "state"), "active");
	json_array_foreach(json_object_get(source, "metrics"), i, m)
		if (!strcmp(text(m, "metric"), "mysql.pages"))
			assert_string_equal(text(m, "reason"), "no such server");
	json_decref(c);
}

TEST(an_instrumentation_describes_itself)
{
	json_t *in = get("/ca/instrumentations/1"), *all = get("/ca/instrumentations/");

	assert_string_equal(text(in, "id"), "1");
	assert_string_equal(text(in, "uri"), "/ca/instrumentations/1");
	assert_string_equal(text(in, "value-arity"), "numeric-decomposition");
	assert_int_equal(number(in, "value-dimension"), 3);
	assert_int_equal(number(in, "granularity"), 1);
	assert_int_equal(number(in, "nsources"), 1);
	assert_string_equal(json_string_value(json_array_get(json_object_get(in, "decomposition"), 1)), "latency");
	assert_string_equal(json_string_value(json_array_get(json_object_get(in, "measures"), 1)), "cputime");
	assert_true(json_array_size(json_object_get(in, "uris")) >= 4);
	assert_int_equal(json_array_size(all), 1);
	json_decref(in);
	json_decref(all);
	all = get("/ca/instrumentations/1/value");
	assert_true(json_array_size(all) >= 4);
	json_decref(all);
	all = get("/ca/instrumentations/1/value/heatmap/");
	assert_int_equal(json_array_size(all), 5);
	json_decref(all);
}

TEST(instrumentations_come_and_go)
{
	struct answer a;
	__u64 id = server_create(&server);
	char path[96], location[256];

	assert_true(id > 1);
	snprintf(path, sizeof(path), "/ca/instrumentations/%llu", id);
	json_decref(get_json(&server, path));
	a = ask(&server, "DELETE", path, NULL, NULL);
	assert_int_equal(a.status, 204);
	answer_fini(&a);
	a = ask(&server, "GET", path, NULL, NULL);
	assert_int_equal(a.status, 404);
	answer_fini(&a);
	a = ask(&server, "POST", "/ca/instrumentations?module=mysql&stat=queries&decomposition=statement&granularity=5", NULL,
		NULL);
	assert_int_equal(a.status, 201);
	assert_int_equal(sscanf(answer_header(&a, "Location", location), "/ca/instrumentations/%llu", &id), 1);
	answer_fini(&a);
	snprintf(path, sizeof(path), "/ca/instrumentations/%llu", id);
	a = ask(&server, "DELETE", path, NULL, NULL);
	assert_int_equal(a.status, 204);
	answer_fini(&a);
}

static __u64 id_of(struct answer *a)
{
	json_t *json = json_loads(a->body, 0, NULL);
	__u64 id = strtoull(text(json, "id"), NULL, 10);

	json_decref(json);
	return id;
}

static json_t *change(__u64 id, const char *headers, const char *body)
{
	char path[64];
	struct answer a;
	json_t *json;

	snprintf(path, sizeof(path), "/ca/instrumentations/%llu", (unsigned long long)id);
	a = ask(&server, "PUT", path, headers, body);
	if (a.status != 200)
		fail_msg("%s: %d %s", body, a.status, a.body);
	json = json_loads(a.body, 0, NULL);
	answer_fini(&a);
	return json;
}

static void delete_one(__u64 id)
{
	char path[64];
	struct answer a;

	snprintf(path, sizeof(path), "/ca/instrumentations/%llu", (unsigned long long)id);
	a = ask(&server, "DELETE", path, NULL, NULL);
	assert_int_equal(a.status, 204);
	answer_fini(&a);
}

TEST(a_clone_differs_only_in_the_named_properties)
{
	struct answer a = ask(&server, "POST", "/ca/instrumentations/1/clone?retention-time=77", NULL,
			      "{\"granularity\": 5, \"decomposition\": [\"command\"], \"retention-time\": 78}");
	char path[64];
	json_t *one = get("/ca/instrumentations/1"), *two;
	__u64 id;

	assert_int_equal(a.status, 201);
	id = id_of(&a);
	answer_fini(&a);
	snprintf(path, sizeof(path), "/ca/instrumentations/%llu", (unsigned long long)id);
	two = get("%s", path);
	assert_string_equal(text(two, "uri"), path);
	assert_int_equal(number(two, "granularity"), 5);
	assert_int_equal(number(two, "retention-time"), 78);	/* the body takes precedence over the query string */
	assert_int_equal(json_array_size(json_object_get(two, "decomposition")), 1);
	assert_true(json_equal(json_object_get(one, "measures"), json_object_get(two, "measures")));
	assert_true(json_equal(json_object_get(one, "keys"), json_object_get(two, "keys")));
	assert_string_equal(text(two, "value-arity"), "discrete-decomposition");
	delete_one(id);
	json_decref(one);
	json_decref(two);
	a = ask(&server, "POST", "/ca/instrumentations/1/clone", NULL, NULL);	/* unchanged */
	assert_int_equal(a.status, 201);
	id = id_of(&a);
	answer_fini(&a);
	delete_one(id);
}

TEST(properties_can_be_put)
{
	static const char form[] = "Content-Type: application/x-www-form-urlencoded\r\n";
	__u64 id = server_create(&server);
	json_t *in = change(id, NULL, "{\"retention-time\": 60, \"idle-max\": 600, \"persist-data\": false}"), *back;
	char *whole;

	assert_int_equal(number(in, "retention-time"), 60);
	assert_int_equal(number(in, "idle-max"), 600);
	assert_true(json_is_true(json_object_get(in, "persist-data")));	/* all is stored, and it says so */
	assert_int_equal(number(in, "value-dimension"), 3);		/* the whole object comes back */
	whole = json_dumps(in, 0);
	back = change(id, NULL, whole);		/* a reply can be sent as a request */
	assert_true(json_equal(in, back));
	free(whole);
	json_decref(back);
	json_decref(in);
	in = change(id, form, "retention-time=120&enabled=false");
	assert_int_equal(number(in, "retention-time"), 120);
	assert_true(json_is_false(json_object_get(in, "enabled")));
	assert_string_equal(text(in, "state"), "suspended");
	json_decref(in);
	in = change(id, NULL, "{}");
	assert_int_equal(number(in, "retention-time"), 120);
	json_decref(in);
	delete_one(id);
}

TEST(data_of_a_suspended_instrumentation_stay_readable)
{
	json_t *in = change(1, NULL, "{\"enabled\": false}"), *raw;

	assert_string_equal(text(in, "state"), "suspended");
	assert_string_equal(text(json_array_get(json_object_get(in, "sources"), 0), "state"), "suspended");
	json_decref(in);
	raw = get(BASE "raw?start_time=%lld&duration=10&stats=true", (long long)t0);
	assert_int_equal(number(raw, "stats.select.count"), 24);
	json_decref(raw);
	in = change(1, NULL, "{\"enabled\": true}");
	assert_string_equal(text(in, "state"), "pending");
	json_decref(in);
}

TEST(the_version_header_has_a_form)
{
	static const struct { const char *version; int status; } cases[] = {
		{ "ca/0.1.0", 200 }, { "ca/0.1.8", 200 }, { "ca/10.20.30", 200 }, { "ca/0.1", 409 }, { "0.1.8", 409 },
		{ "ca/0.1.8x", 409 }, { "ca/a.b.c", 409 }, { "ca/-1.0.0", 409 }, { "ca/ 1.0.0", 409 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char header[64];
		struct answer a;

		snprintf(header, sizeof(header), "X-API-Version: %s\r\n", cases[i].version);
		a = ask(&server, "GET", "/ca/", header, NULL);
		assert_int_equal(a.status, cases[i].status);
		answer_fini(&a);
	}
}

TEST(a_body_is_a_form_or_json_or_refused)
{
	static const struct { const char *type, *body; int status; } cases[] = {
		{ "application/json", "{\"module\": \"mysql\", \"stat\": \"queries\"}", 201 },
		{ "application/json; charset=utf-8", "{\"module\": \"mysql\", \"stat\": \"queries\"}", 201 },
		{ "application/x-www-form-urlencoded", "module=mysql&stat=queries&decomposition=statement%2Clatency", 201 },
		/* curl -d */
		{ "application/x-www-form-urlencoded", "{\"module\": \"mysql\", \"stat\": \"queries\"}", 201 },
		{ "multipart/form-data; boundary=x", "--x", 415 }, { "text/plain", "module=mysql", 415 },
		{ "application/json", "module=mysql", 409 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char header[96];
		struct answer a;

		snprintf(header, sizeof(header), "Content-Type: %s\r\n", cases[i].type);
		a = ask(&server, "POST", "/ca/instrumentations", header, cases[i].body);
		if (a.status != cases[i].status)
			fail_msg("%s: %d %s", cases[i].type, a.status, a.body);
		if (a.status == 201)
			delete_one(id_of(&a));
		answer_fini(&a);
	}
}

TEST(raw_is_a_distribution_per_key)
{
	json_t *raw = get(BASE "raw?start_time=%lld&duration=10&stats=true", (long long)t0), *update;

	assert_int_equal(number(raw, "start_time"), t0);
	assert_int_equal(number(raw, "end_time"), t0 + 10);
	assert_int_equal(number(raw, "nsources"), 1);
	assert_int_equal(number(raw, "minreporting"), 0);	/* slot 7 */
	update = json_object_get(json_object_get(raw, "value"), "update");
	assert_int_equal(number(update, "0.1"), 2);
	assert_in_range((unsigned long)number(update, "0.0.0"), 48000000, 50000000);
	assert_in_range((unsigned long)number(update, "0.0.1"), 50000000, 52000000);
	assert_int_equal(number(raw, "stats.select.count"), 24);
	assert_int_equal(number(raw, "stats.select.sum"), 24000000);
	assert_int_equal(number(raw, "stats.select.max"), 1000000);
	assert_int_equal(number(raw, "stats.update.p999"), 50000000);
	json_decref(raw);
	raw = get(BASE "raw?start_time=%lld&duration=10&measure=*", (long long)t0);
	assert_int_equal(number(raw, "stats.latency.update.sum"), 100000000);
	assert_int_equal(number(raw, "stats.cputime.update.sum"), 50000000);
	json_decref(raw);
}

/* Also if nothing in the interval shows that it did. */
TEST(a_source_that_reported_before_the_interval_is_expected_from_its_begin_on)
{
	json_t *g = get(BASE "grid?start_time=%lld&duration=3&ncols=3", (long long)t0 + 7), *c;
	size_t i;

	json_array_foreach(json_object_get(g, "columns"), i, c) {
		assert_int_equal(number(c, "reporting"), i != 0);
		assert_int_equal(number(c, "expected"), 1);
	}
	assert_int_equal(i, 3);
	json_decref(g);
}

TEST(a_grid_distinguishes_zero_from_unobserved)
{
	static const char *const states[] = { "ok", "ok", "ok", "ok", "ok", "ok", "zero", "unobserved", "ok", "ok" };
	json_t *g = get(BASE "grid?start_time=%lld&duration=10&ncols=10", (long long)t0), *c;
	size_t i;

	assert_int_equal(number(g, "ncols"), 10);
	assert_int_equal(number(g, "from"), t0);
	assert_int_equal(number(g, "column"), 1);
	assert_int_equal(json_array_size(json_object_get(g, "edge")), number(g, "nrows") + 1);
	assert_string_equal(text(g, "unit"), "ns");
	assert_string_equal(text(g, "measure"), "latency");
	json_array_foreach(json_object_get(g, "columns"), i, c) {
		double cells = 0;
		json_t *cell;
		size_t j;

		assert_string_equal(text(c, "state"), states[i]);
		assert_int_equal(number(c, "slot"), i);
		assert_int_equal(number(c, "reporting"), i != 7);
		assert_int_equal(number(c, "expected"), 1);
		json_array_foreach(json_object_get(c, "cells"), j, cell)
			cells += number(cell, "1");
		assert_int_equal(cells, number(c, "count"));
	}
	assert_int_equal(number(g, "columns.3.count"), 5);
	assert_int_equal(number(g, "columns.3.max"), 50000000);
	assert_int_equal(number(g, "summary.count"), 26);
	assert_int_equal(number(g, "summary.lost"), 0);
	assert_int_equal(json_array_size(json_object_get(json_object_get(g, "shade"), "levels")), 255);
	assert_int_equal(json_array_size(json_object_get(json_object_get(g, "shade"), "palette")), 256);
	assert_int_equal(json_array_size(json_object_get(json_object_get(g, "shade"), "scale")), number(g, "nrows"));
	json_decref(g);
}

TEST(the_store_answers_for_what_the_cube_does_not_hold)
{
	char far[64], near[64];
	json_t *a, *b;

	/* The cube holds 120 slots here: an interval that begins before it is read from the store. */
	snprintf(near, sizeof(near), "start_time=%lld&end_time=%lld", (long long)t0, (long long)t0 + 10);
	snprintf(far, sizeof(far), "start_time=%lld&end_time=%lld", (long long)t0 - 1000, (long long)t0 + 10);
	a = get(BASE "keys?%s", near);
	b = get(BASE "keys?%s", far);
	assert_true(json_equal(json_object_get(a, "keys"), json_object_get(b, "keys")));
	assert_int_equal(number(b, "keys.1.count"), 24);
	json_decref(a);
	json_decref(b);
}

/* Two updates of 50 ms took longer than 24 selects of 1 ms. */
TEST(the_key_with_the_most_time_comes_first)
{
	json_t *k = get(BASE "keys?start_time=%lld&duration=10&measure=cputime&by=statement", (long long)t0);

	assert_string_equal(text(k, "order"), "sum");
	assert_string_equal(text(json_array_get(json_object_get(k, "keys"), 0), "key"), "update");
	assert_int_equal(number(k, "keys.0.count"), 2);
	assert_int_equal(number(k, "keys.0.sum"), 50000000);
	assert_int_equal(number(k, "keys.1.max"), 500000);
	assert_true(number(k, "keys.0.sum_share") == 50. / 62);
	assert_true(number(k, "keys.0.share") == 2. / 26);
	assert_true(number(k, "keys.0.share") + number(k, "keys.1.share") > 0.999999);
	assert_null(json_object_get(k, "lower_bound"));
	json_decref(k);
}

TEST(keys_are_sorted_as_asked)
{
	static const struct { const char *order, *first; } cases[] = {
		{ "sum", "update" }, { "count", "select" }, { "mean", "update" }, { "p50", "update" }, { "p90", "update" }, { "p99", "update" },
		{ "p999", "update" }, { "max", "update" }, { "key", "select" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *k = get(BASE "keys?start_time=%lld&duration=10&order=%s", (long long)t0, cases[i].order);

		assert_string_equal(text(k, "order"), cases[i].order);
		assert_string_equal(text(json_array_get(json_object_get(k, "keys"), 0), "key"), cases[i].first);
		json_decref(k);
	}
}

TEST(keys_can_be_selected_and_excluded)
{
	json_t *g = get(BASE "grid?start_time=%lld&duration=10&selected=update", (long long)t0);

	assert_int_equal(number(g, "summary.count"), 2);
	json_decref(g);
	g = get(BASE "grid?start_time=%lld&duration=10&selected=update,nothing&exclude=true", (long long)t0);
	assert_int_equal(number(g, "summary.count"), 24);
	json_decref(g);
}

TEST(an_amendment_adds_to_its_slot)
{
	json_t *k = get(BASE "raw?start_time=%lld&duration=1&stats=true", (long long)t0 + 9);

	assert_int_equal(number(k, "stats.select.count"), 3);
	json_decref(k);
	server_batch(&server, "db1", 1, t0 + 9, "insert", 2000000, 4);
	k = get(BASE "raw?start_time=%lld&duration=1&stats=true", (long long)t0 + 9);
	assert_int_equal(number(k, "stats.select.count"), 3);
	assert_int_equal(number(k, "stats.insert.count"), 4);
	json_decref(k);
}

TEST(an_image_carries_its_scale)
{
	json_t *i = get(BASE "heatmap/image?start_time=%lld&duration=9", (long long)t0);

	assert_int_equal(number(i, "nbuckets"), 100);
	assert_int_equal(number(i, "width"), 600);
	assert_int_equal(number(i, "ymin"), 0);
	assert_in_range((unsigned long)number(i, "ymax"), 50000001, 62500000);
	assert_int_equal(strncmp(text(i, "image"), "iVBORw0KGgo", 11), 0);
	assert_int_equal(json_array_size(json_object_get(i, "present")), 2);
	json_decref(i);
}

TEST(a_cropped_image_says_how_many_are_above_it)
{
	static const char *const value[] = { "image?", "details?x=3&y=9&" };

	server_batch(&server, "db1", 1, t0 + 12, "select", 1000000, 60);
	server_batch(&server, "db1", 1, t0 + 12, "update", 50000000, 2);
	for (int i = 0; i < 2; i++) {
		long long at = (long long)t0 + 12;
		json_t *all = get(BASE "heatmap/%sstart_time=%lld&duration=1", value[i], at);
		json_t *cropped = get(BASE "heatmap/%sstart_time=%lld&duration=1&crop=0.05", value[i], at);
		json_t *given = get(BASE "heatmap/%sstart_time=%lld&duration=1&crop=0.05&ymax=77000000", value[i], at);

		assert_null(json_object_get(all, "cropped"));
		assert_true(number(cropped, "ymax") < number(all, "ymax"));
		assert_int_equal(number(cropped, "cropped"), 2);
		assert_int_equal(number(given, "ymax"), 77000000);
		assert_int_equal(number(given, "cropped"), 0);
		json_decref(all);
		json_decref(cropped);
		json_decref(given);
	}
}

TEST(details_add_up)
{
	/* Rows of 1 ms each; 1 ms lies in row 1 (or its bucket's edge in 0), 50 ms far above. */
	json_t *d = get(BASE "heatmap/details?start_time=%lld&duration=10&ymin=0&ymax=100000000&nbuckets=2&width=10&"
			"height=10&x=3&y=9", (long long)t0);

	assert_int_equal(number(d, "bucket_time"), t0 + 3);
	assert_int_equal(number(d, "bucket_ymin"), 0);
	assert_int_equal(number(d, "bucket_ymax"), 50000000);
	assert_int_equal(number(d, "present.select"), 3);
	assert_true(number(d, "total") >= 3);
	json_decref(d);
	d = get(BASE "heatmap/details?start_time=%lld&duration=10&ymin=40000000&ymax=60000000&nbuckets=1&width=10&height=10&"
		"x=3&y=5", (long long)t0);
	assert_int_equal(number(d, "present.update"), 2);
	assert_int_equal(number(d, "total"), 2);
	json_decref(d);
}

TEST(pictures_have_the_type_they_announce)
{
	static const struct { const char *path, *type, *magic; } cases[] = {
		{ "heatmap/image?format=png", "image/png", "\x89PNG" },
		{ "heatmap/figure", "image/png", "\x89PNG" },
		{ "heatmap/figure?format=pdf&theme=dark&yscale=linear", "application/pdf", "%PDF" },
		{ "heatmap/figure?width=800&height=300&scale=2&transfer=rank", "image/png", "\x89PNG" },
		{ "heatmap/figure?format=svg&theme=dark", "image/svg+xml", "<?xml" },
		{ "report", "image/png", "\x89PNG" },
		{ "report?format=svg", "image/svg+xml", "<?xml" },
		{ "report?format=pdf&by=statement", "application/pdf", "%PDF" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[256], type[256];
		struct answer a;

		snprintf(path, sizeof(path), BASE "%s%cstart_time=%lld&duration=10", cases[i].path,
			 strchr(cases[i].path, '?') ? '&' : '?', (long long)t0);
		a = ask(&server, "GET", path, NULL, NULL);
		if (a.status != 200)
			fail_msg("%s: %d %s", path, a.status, a.body);
		assert_string_equal(answer_header(&a, "Content-Type", type), cases[i].type);
		assert_memory_equal(a.body, cases[i].magic, 4);
		answer_fini(&a);
	}
}

TEST(the_default_interval_is_the_newest_complete_one)
{
	__s64 before = now_ns() / SLOT;
	json_t *g = get(BASE "grid");

	assert_int_equal(number(g, "duration"), 60);
	assert_true(number(g, "end_time") >= (double)(before - 1));
	assert_true(number(g, "end_time") <= (double)(now_ns() / SLOT - 1) + 1);
	json_decref(g);
}

TEST(intervals_are_rounded_outward)
{
	json_t *g = get(BASE "raw?start_time=%lld.25&duration=1.5", (long long)t0);

	assert_int_equal(number(g, "start_time"), t0);
	assert_int_equal(number(g, "duration"), 2);
	assert_true(number(g, "requested_start_time") == (double)t0 + 0.25);
	assert_true(number(g, "requested_duration") == 1.5);
	json_decref(g);
}

TEST(the_status_shows_counters_and_sources)
{
	json_t *s = get("/ca/admin/status");

	assert_true(number(s, "memory_bytes") > 0);
	assert_true(json_is_integer(json_object_get(json_object_get(s, "memory"), "used")));
	assert_true(number(s, "memory.pages") + number(s, "memory.sums") >= 0);
	assert_true(number(s, "counters.store.batches") >= 10);
	assert_int_equal(number(s, "counters.store.failed_commits"), 0);
	assert_true(number(s, "counters.http.requests") > 0);
	assert_int_equal(json_array_size(json_object_get(s, "sources")), 1);
	json_decref(s);
}

static const struct bad {
	const char *method, *path, *body;
	int status;
	const char *says;
} bad_requests[] = {
	{ "GET", "/ca/nothing", NULL, 404, "no such resource" },
	{ "GET", "/ca/instrumentations/99", NULL, 404, "no such instrumentation" },
	{ "GET", "/ca/instrumentations/0", NULL, 404, "no such instrumentation" },
	{ "GET", "/ca/instrumentations/-1", NULL, 404, "no such instrumentation" },
	{ "GET", "/ca/instrumentations/1x", NULL, 404, "no such instrumentation" },
	{ "GET", "/ca/instrumentations/99999999999999999999999", NULL, 404, "no such instrumentation" },
	{ "GET", "/ca/instrumentations/1/values", NULL, 404, "no such resource" },
	{ "GET", BASE "median", NULL, 404, "no such value" },
	{ "PATCH", "/ca/instrumentations/1", "{}", 405, "there is GET, PUT and DELETE" },
	{ "GET", "/ca/instrumentations/1/clone", NULL, 405, "there is POST" },
	{ "POST", "/ca/instrumentations/99/clone", "{}", 404, "no such instrumentation" },
	{ "POST", "/ca/instrumentations/1/clone", "{\"granularity\": 0.3}", 409, "a whole part of one" },
	{ "POST", "/ca/instrumentations/1/clone", "{\"stat\": \"nothing\"}", 409, "mysql.nothing" },
	{ "PUT", "/ca/instrumentations/99", "{}", 404, "no such instrumentation" },
	{ "PUT", "/ca/instrumentations/1", "{\"retention-time\": 999999999}", 409, "maximum is 31536000" },
	{ "PUT", "/ca/instrumentations/1", "{\"retention-time\": 9}", 409, "minimum is 10" },
	{ "PUT", "/ca/instrumentations/1", "{\"idle-max\": 604801}", 409, "maximum is 604800" },
	{ "PUT", "/ca/instrumentations/1", "{\"enabled\": \"maybe\"}", 409, "true or false" },
	{ "PUT", "/ca/instrumentations/1", "{\"persist-data\": 1}", 409, "true or false" },
	{ "PUT", "/ca/instrumentations/1", "{\"granularity\": 5}", 409, "\\\"granularity\\\" cannot be changed" },
	{ "PUT", "/ca/instrumentations/1", "{\"decomposition\": []}", 409, "\\\"decomposition\\\" cannot be changed" },
	{ "PUT", "/ca/instrumentations/1", "{\"stat\": \"pages\"}", 409, "cannot be changed" },
	{ "PUT", "/ca/instrumentations/1", "{\"colour\": 1}", 409, "unknown" },
	{ "PUT", "/ca/instrumentations/1", "x=1", 409, "not JSON" },
	{ "GET", "/ca/customers/7/instrumentations", NULL, 404, "no customers" },
	{ "POST", BASE "raw", "{}", 405, "GET" },
	{ "DELETE", "/ca", NULL, 405, "GET" },
	{ "DELETE", "/ca/instrumentations", NULL, 405, "GET and POST" },
	{ "POST", "/ca/instrumentations", "{", 409, "not JSON" },
	{ "POST", "/ca/instrumentations", "[]", 409, "must be a JSON object" },
	{ "POST", "/ca/instrumentations", "{}", 409, "missing value for required field" },
	{ "POST", "/ca/instrumentations", "{\"module\": \"mysql\"}", 409, "stat" },
	{ "POST", "/ca/instrumentations", "{\"module\": \"mysql\", \"stat\": \"nothing\"}", 409, "mysql.nothing" },
	{ "POST", "/ca/instrumentations", "{\"module\": 5, \"stat\": \"queries\"}", 409, "module" },
	{ "POST", "/ca/instrumentations", "{\"module\": \"mysql\", \"stat\": \"queries\", \"decomposition\": [\"foo\"]}", 409,
	  "foo" },
	{ "POST", "/ca/instrumentations", "{\"module\": \"mysql\", \"stat\": \"queries\", \"retention-time\": 5}", 409,
	  "minimum is 10" },
	{ "POST", "/ca/instrumentations", "{\"module\": \"mysql\", \"stat\": \"queries\", \"granularty\": 5}", 409,
	  "\\\"granularty\\\" is unknown" },
	{ "POST", "/ca/instrumentations?module=mysql&stat=queries&keys=%ff", NULL, 409, "not UTF-8: \\\"keys" },
	{ "POST", "/ca/instrumentations", "{\"module\": \"mysql\", \"stat\": \"queries\", \"ruler-bits\": 8}", 409, "ruler-bits" },
	{ "POST", "/ca/instrumentations", "{\"module\": \"mysql\", \"stat\": \"queries\", \"granularity\": -1}", 409,
	  "granularity" },
	{ "GET", BASE "grid?ncols=0", NULL, 409, "value \\\"0\\\" for parameter \\\"ncols\\\" is invalid: minimum is 1" },
	{ "GET", BASE "grid?ncols=4001", NULL, 409, "maximum is 4000" },
	{ "GET", BASE "grid?ncols=ten", NULL, 409, "not a number" },
	{ "GET", BASE "grid?ncols=5&ncols=6", NULL, 409, "\\\"ncols\\\" is given more than once" },
	{ "GET", "/ca/stream?views=%5B%5D&views=%5B%5D", NULL, 409, "more than once" },
	{ "GET", "/ca/stream?views=%5B%7B%22instrumentation%22:1,%22colums%22:5%7D%5D", NULL, 409, "unknown" },
	{ "POST", "/ca/instrumentations?module=mysql&stat=queries&keys=5&keys=6", NULL, 409, "\\\"keys\\\" is given more than once" },
	{ "POST", "/ca/instrumentations?module=mysql&stat=queries&callback=f", NULL, 409, "\\\"callback\\\" is unknown" },
	{ "POST", "/ca/annotations?text=a&text=b", NULL, 409, "\\\"text\\\" is given more than once" },
	{ "GET", BASE "grid?measure=foo", NULL, 409, "latency, cputime" },
	{ "GET", BASE "grid?measure=*", NULL, 409, "measure" },
	{ "GET", BASE "grid?measure=%ff", NULL, 409, "value \\\"\xef\xbf\xbd\\\" for parameter" },
	{ "GET", BASE "grid?duration=0", NULL, 409, "must be positive" },
	{ "GET", BASE "grid?duration=31536001", NULL, 409, "maximum is 31536000, as long as it is kept" },
	{ "GET", BASE "grid?duration=-5", NULL, 409, "not a number of seconds" },
	{ "GET", BASE "grid?duration=1e", NULL, 409, "not a number of seconds" },
	{ "GET", BASE "grid?start_time=100&end_time=90", NULL, 409, "must be after" },
	{ "GET", BASE "grid?start_time=100&end_time=200&duration=5", NULL, 409, "do not agree" },
	{ "GET", BASE "grid?end_time=10", NULL, 409, "before 1970" },
	{ "GET", BASE "grid?start_time=8999999999", NULL, 409, "future" },
	{ "GET", BASE "grid?start_time=99999999999", NULL, 409, "maximum is 9000000000" },
	{ "GET", BASE "compare?transfer=percent", NULL, 409, "linear log rank sqrt" },
	{ "GET", BASE "grid?exclude=true", NULL, 409, "needs selected" },
	{ "GET", BASE "grid?exclude=yes", NULL, 409, "true or false" },
	{ "GET", BASE "keys?by=command", NULL, 409, "statement" },
	{ "GET", BASE "keys?order=time", NULL, 409, "sum count mean" },
	{ "GET", BASE "stream?ncols=x", NULL, 409, "not a number" },
	{ "GET", BASE "heatmap/image?width=9", NULL, 409, "minimum is 10" },
	{ "GET", BASE "heatmap/image?height=4001", NULL, 409, "maximum is 4000" },
	{ "GET", BASE "heatmap/image?ymin=5&ymax=5", NULL, 409, "less than ymax" },
	{ "GET", BASE "heatmap/image?nbuckets=1001", NULL, 409, "maximum is 1000" },
	{ "GET", BASE "heatmap/image?coloring=log", NULL, 409, "linear rank" },
	{ "GET", BASE "heatmap/image?coloring=rank&transfer=log", NULL, 409, "do not agree" },
	{ "GET", BASE "heatmap/image?weights=2", NULL, 409, "count weight" },
	{ "GET", BASE "heatmap/image?format=pdf", NULL, 409, "json png" },
	{ "GET", BASE "heatmap/details?y=5", NULL, 409, "missing value for required parameter: \\\"x\\\"" },
	{ "GET", BASE "heatmap/details?x=5", NULL, 409, "\\\"y\\\"" },
	{ "GET", BASE "heatmap/details?x=600&y=5", NULL, 409, "within width" },
	{ "GET", BASE "heatmap/figure?width=100", NULL, 409, "at least 400" },
	{ "GET", BASE "heatmap/figure?format=gif", NULL, 409, "png pdf svg" },
	{ "GET", BASE "report?height=100", NULL, 409, "at least 240" },
	{ "GET", BASE "report?scale=3", NULL, 409, "maximum is 2" },
};

TEST(requests_of_cloud_analytics_clients_are_understood)
{
	static const struct { const char *method, *path, *body; int status; const char *says; } cases[] = {
		{ "GET", "/ca?profile=anything&_=5", NULL, 200, "metrics" }, { "GET", "/ca/metrics?profile=customer", NULL, 200, "mysql" },
		{ "GET", BASE "raw?_=123&callback=f", NULL, 200, "value" }, { "GET", BASE "stream?_=1&ncols=5x", NULL, 409, "ncols" },
		{ "GET", "/ca/annotations?_=1&callback=f", NULL, 200, "[" },
		{ "GET", BASE "heatmap/image?width=60.0&height=100.7&hues=212.647&ymax=1e7", NULL, 200, "\"ymax\":10000000" },
		{ "GET", BASE "heatmap/details?x=665.95&y=12.5&width=1000&height=300&ymax=1000", NULL, 200, "total" },
		{ "POST", "/ca/instrumentations?module=mysql&stat=queries&profile=none&decomposition=statement&decomposition=latency", NULL, 201,
		  "\"decomposition\": [\"statement\", \"latency\"]" },
		{ "POST", "/ca/instrumentations/1/clone?profile=none&decomposition=latency&decomposition=statement&retention-time=600.9", NULL, 201,
		  "\"retention-time\": 600," },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct answer a = ask(&server, cases[i].method, cases[i].path, NULL, cases[i].body);

		if (a.status != cases[i].status || !a.body || !strstr(a.body, cases[i].says))
			fail_msg("%s: %d %s", cases[i].path, a.status, a.body ? a.body : "");
		answer_fini(&a);
	}
}

TEST(every_bad_request_gets_a_clear_error_and_the_server_lives_on)
{
	for (size_t i = 0; i < sizeof(bad_requests) / sizeof(*bad_requests); i++) {
		const struct bad *b = &bad_requests[i];
		struct answer a = ask(&server, b->method, b->path, NULL, b->body);

		if (a.status != b->status || !a.body || !strstr(a.body, b->says) || !strstr(a.body, "{\"error\": {\"code\": \"ECA_"))
			fail_msg("%s %s: %d %s; wanted %d %s", b->method, b->path, a.status, a.body ? a.body : "", b->status,
				 b->says);
		answer_fini(&a);
	}
	json_decref(get("/ca"));
}

/* Sends far more requests than are made at once: each is answered, with the value or with 503. */
TEST(many_requests_at_once_are_all_answered)
{
	char request[256], reply[16];
	int fd[200], len, ok = 0;

	len = snprintf(request, sizeof(request), "GET " BASE "heatmap/image?start_time=%lld&duration=10&format=png HTTP/1.1\r\n"
		       "Host: localhost\r\nConnection: close\r\n\r\n", (long long)t0);
	for (int i = 0; i < 200; i++) {
		fd[i] = server_connect(&server);
		assert_int_equal(write(fd[i], request, (size_t)len), len);
	}
	for (int i = 0; i < 200; i++) {
		assert_true(read(fd[i], reply, sizeof(reply)) > 12);
		reply[12] = 0;
		assert_true(!strcmp(reply + 9, "200") || !strcmp(reply + 9, "503"));
		ok += !strcmp(reply + 9, "200");
		close(fd[i]);
	}
	assert_true(ok >= 64);
	json_decref(get("/ca"));
}

TEST(odd_labels_stay_valid_json)
{
	json_t *k;

	server_batch(&server, "db1", 1, t0 + 20, "a\"b\\c\n\xff,/", 1000000, 1);
	k = get(BASE "keys?start_time=%lld&duration=1", (long long)t0 + 20);
	assert_string_equal(text(json_array_get(json_object_get(k, "keys"), 0), "key"), "a\"b\\c\n\xef\xbf\xbd,/");
	json_decref(k);
	k = get(BASE "keys?start_time=%lld&duration=1&selected=a%%22b%%5c%%5cc%%0a%%ff%%5c,/", (long long)t0 + 20);
	assert_int_equal(json_array_size(json_object_get(k, "keys")), 1);
	json_decref(k);
}

TEST_MAIN_WITH(start, stop)
