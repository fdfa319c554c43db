#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "aggregator/value/value.h"

#include <math.h>
#include <errno.h>
#include <stdio.h>

static struct server server;
static const struct catalog_inst *inst;

static int start(void **state)
{
	server_open(&server, false);
	server_offer(&server);
	inst = server_make(&server, json_pack("{s:s, s:s, s:[s, s, s], s:[s, s]}", "module", "mysql", "stat", "queries", "decomposition",
					      "statement", "command", "latency", "measures", "latency", "cputime"));
	return 0;
}

static int stop(void **state)
{
	server_close(&server);
	return 0;
}

static struct value *value_of(enum value_kind_id kind, const char *name, const char *text)
{
	const struct http_param param[] = { { name, text } };
	char reason[PARAMS_REASON_MAX] = "";
	struct value *v;

	if (value_new(&server.a.services, inst, kind, param, name != NULL, &v, reason))
		fail_msg("%s", reason);
	return v;
}

TEST(each_kind_folds_what_it_needs)
{
	static const struct { enum value_kind_id kind; const char *name, *text; size_t n_folds, n_key_folds; } cases[] = {
		{ VALUE_RAW, NULL, NULL, 1, 1 }, { VALUE_RAW, "measure", "*", 1, 2 }, { VALUE_KEYS, NULL, NULL, 1, 1 },
		{ VALUE_IMAGE, NULL, NULL, 1, 1 }, { VALUE_IMAGE, "format", "png", 1, 0 }, { VALUE_FIGURE, NULL, NULL, 1, 0 },
		{ VALUE_GRID, NULL, NULL, 1, 0 }, { VALUE_STREAM, NULL, NULL, 1, 0 }, { VALUE_REPORT, NULL, NULL, 2, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct value *v = value_of(cases[i].kind, cases[i].name, cases[i].text);

		assert_int_equal(v->n_folds, cases[i].n_folds);
		assert_int_equal(v->n_key_folds, cases[i].n_key_folds);
		assert_string_equal(v->title, "queries by statement, command");
		value_free(v);
	}
}

TEST(a_title_names_the_predicate)
{
	struct catalog_inst with = *inst;
	char reason[PARAMS_REASON_MAX] = "";
	struct value *v;

	assert_int_equal(predicate_from_text("{\"and\": [{\"eq\": [\"statement\", \"select\"]}, {\"gt\": [\"latency\", 10000000]}]}",
					     &with.in.predicate, reason), 0);
	assert_int_equal(value_new(&server.a.services, &with, VALUE_FIGURE, NULL, 0, &v, reason), 0);
	assert_string_equal(v->title, "queries by statement, command where statement = select and latency > 10 ms");
	value_free(v);
}

TEST(names_are_looked_up_in_the_instrumentation)
{
	static const struct { enum value_kind_id kind; const char *name, *text, *says; } cases[] = {
		{ VALUE_GRID, "measure", "offcpu", "has latency, cputime" }, { VALUE_GRID, "measure", "*", "latency" },
		{ VALUE_GRID, "weight", "latency", "instrumentation 1 has none" },
		{ VALUE_COMPOSITION, "ymin", "5", "instrumentation 1 keeps no weights: create one that does, of latency" },
		{ VALUE_KEYS, "by", "hostname", "has statement, command" }, { VALUE_KEYS, "by", "latency", "statement" },
	};
	struct value *v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct http_param param[] = { { cases[i].name, cases[i].text } };
		char reason[PARAMS_REASON_MAX] = "";

		assert_int_equal(value_new(&server.a.services, inst, cases[i].kind, param, 1, &v, reason), -EINVAL);
		assert_non_null(strstr(reason, cases[i].says));
	}
	v = value_of(VALUE_GRID, "measure", "cputime");
	assert_int_equal(v->fold_axis[0], 1);
	value_free(v);
	v = value_of(VALUE_KEYS, "by", "command");
	assert_int_equal(v->drop & 3, 1);
	value_free(v);
}

TEST(a_stream_reaches_to_the_slot_that_is_going_on)
{
	struct value *v = value_of(VALUE_STREAM, "duration", "10");

	assert_true(v->head.rounded.to > v->now_ns);
	assert_true(v->head.rounded.to - v->now_ns <= 1000000000);
	assert_int_equal(v->head.rounded.to - v->head.rounded.from, 10000000000ll);
	value_free(v);
}

static void on_done(struct value *v, void *arg)
{
	*(struct value **)arg = v;
}

TEST(a_value_is_never_done_before_run_returns)
{
	static const enum value_kind_id kinds[] = { VALUE_RAW, VALUE_KEYS, VALUE_GRID };

	for (size_t i = 0; i < 3; i++) {
		struct value *done = NULL, *v = value_of(kinds[i], NULL, NULL);

		value_run(v, on_done, &done);
		assert_null(done);
		while (!done)
			uv_run(&server.loop, UV_RUN_ONCE);
		assert_ptr_equal(done, v);
		assert_int_equal(v->status, 200);
		assert_string_equal(v->type, "application/json");
		assert_int_equal(((char *)v->data)[v->len - 1], '\n');
		value_free(v);
	}
}

struct order {
	size_t n_done, n_before;	/* values done; how many were done when the store's job was */
	bool other_done;
};

static unsigned n_made(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(server.a.services.making) / sizeof(*server.a.services.making); i++) {
		assert_true(server.a.services.making[i].n <= CLASS_MADE_MAX);
		n += server.a.services.making[i].n;
	}
	return n;
}

static void count_done(struct value *v, void *arg)
{
	assert_int_equal(v->status, 200);
	assert_true(n_made() <= VALUES_MADE_MAX);
	((struct order *)arg)->n_done++;
	value_free(v);
}

static int work_nothing(void *arg, struct store *store) { return 0; }

static void note_order(void *arg, int err)
{
	struct order *o = arg;

	assert_int_equal(err, 0);
	o->n_before = o->n_done;
	o->other_done = true;
}

/* Batches and reads use the same path as this job: one at a time, on libuv's workers, which pictures use, too. */
TEST(the_store_does_not_wait_for_pictures)
{
	enum { PICTURES = 24 };
	struct order order = { 0 };

	for (size_t i = 0; i < PICTURES; i++)
		value_run(value_of(VALUE_FIGURE, "width", "4000"), count_done, &order);
	assert_int_equal(store_queue_submit(server.a.services.store_queue, work_nothing, note_order, &order), 0);
	while (order.n_done < PICTURES || !order.other_done)
		uv_run(&server.loop, UV_RUN_ONCE);
	assert_true(order.n_before < PICTURES / 2);
	assert_int_equal(n_made(), 0);
}

static void note_other(struct value *v, void *arg)
{
	struct order *o = arg;

	assert_int_equal(v->status, 200);
	assert_true(n_made() <= VALUES_MADE_MAX);
	o->n_before = o->n_done;
	o->other_done = true;
	value_free(v);
}

/* Makes one whose newest slots are in memory: its values are read at once, so that all wait for workers in the order in
 * which they were requested. */
static const struct catalog_inst *make_in_memory(void)
{
	const struct catalog_inst *ci = server_make(&server, json_pack("{s:s, s:s, s:[s]}", "module", "mysql", "stat", "queries",
								       "decomposition", "statement"));
	const struct batch b = { .source = "db1", .incarnation = 1, .inst = ci->in.id, .slot_ns = ci->in.slot_ns,
				 .slot = now_ns() / (__s64)ci->in.slot_ns, .seq = 1, .run = 1 };

	assert_int_equal(cube_add(server.a.services.cube, &b), 0);
	return ci;
}

TEST(no_class_waits_for_many_of_another)
{
	enum { MANY = 24 };
	static const struct { enum value_kind_id many, other; const char *name, *text; } cases[] = {
		{ VALUE_FIGURE, VALUE_RAW, "width", "4000" }, { VALUE_GRID, VALUE_RAW, "ncols", "4000" },
		{ VALUE_STREAM, VALUE_KEYS, "ncols", "4000" }, { VALUE_FIGURE, VALUE_GRID, "width", "4000" },
	};
	const struct catalog_inst *asked = inst;
	__u64 id;

	inst = make_in_memory();
	id = inst->in.id;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct order order = { 0 };

		for (size_t n = 0; n < MANY; n++)
			value_run(value_of(cases[i].many, cases[i].name, cases[i].text), count_done, &order);
		value_run(value_of(cases[i].other, NULL, NULL), note_other, &order);
		while (order.n_done < MANY || !order.other_done)
			uv_run(&server.loop, UV_RUN_ONCE);
		assert_true(order.n_before < MANY / 2);
	}
	inst = asked;
	assert_int_equal(catalog_delete(server.a.services.catalog, id, NULL, NULL), 0);
}

/* ---- tiers ---- */

#define SLOT 1000000000ll
#define DAY 86400ll

/* Adds a batch in each minute, with as many events as minutes of the hour have begun.  It bypasses the collector, which
 * could not send such old data. */
static __u64 fill(__s64 from, __s64 to)
{
	struct store *s = server.a.store;
	__u64 n_events = 0;

	for (__s64 at = from; at < to; at += 60) {
		struct bytes key = { 0 }, cells = { 0 };
		struct batch b = { .source = "db1", .incarnation = 1, .inst = inst->in.id, .slot_ns = SLOT, .slot = at,
				   .seq = 1, .run = 1, .n_slices = 1 };
		__u64 n = (__u64)(at / 60 % 60) + 1;
		struct slice slice = { .ruler = inst->in.ruler[0] };
		struct hist h;
		bool is_new;

		assert_int_equal(hist_init(&h, slice.ruler), 0);
		for (__u64 i = 0; i < n; i++)
			hist_record(&h, 1000000 + i * 50000, 1);
		hist_encode(&h, &cells);
		hist_fini(&h);
		labels_put(&key, at / 60 % 2 ? "select" : "update");
		labels_put(&key, "query");
		slice.key = (struct labels){ key.data, (__u16)key.len };
		slice.hist = cells.data;
		slice.hist_len = (__u32)cells.len;
		b.slice = &slice;
		assert_int_equal(s->ops->add(s, &b, 1, &is_new), 0);
		n_events += n;
		b = (struct batch){ .source = "db1", .incarnation = 1, .inst = inst->in.id, .slot_ns = SLOT, .slot = at, .seq = 2,
				    .run = 60 };
		assert_int_equal(s->ops->add(s, &b, 1, &is_new), 0);
		bytes_fini(&key);
		bytes_fini(&cells);
	}
	return n_events;
}

static void drop_before(__s64 slots, __s64 minutes, __s64 hours)
{
	const __s64 before[TIERS] = { slots, minutes, hours };
	__s64 kept_from[TIERS];

	assert_int_equal(server.a.store->ops->expire(server.a.store, inst->in.id, before), 0);
	assert_int_equal(store_kept(server.a.store, inst->in.id, kept_from), 0);
	catalog_expired(server.a.services.catalog, inst->in.id, kept_from, INT64_MIN);
}

static struct value *made(enum value_kind_id kind, __s64 from, __s64 to, const char *name, const char *text)
{
	char start_text[24], end_text[24], reason[PARAMS_REASON_MAX] = "";
	const struct http_param param[] = { { "start_time", start_text }, { "end_time", end_text }, { name, text } };
	struct value *v, *done = NULL;

	snprintf(start_text, sizeof(start_text), "%lld", (long long)from);
	snprintf(end_text, sizeof(end_text), "%lld", (long long)to);
	if (value_new(&server.a.services, inst, kind, param, name ? 3 : 2, &v, reason))
		fail_msg("%s", reason);
	value_run(v, on_done, &done);
	while (!done)
		uv_run(&server.loop, UV_RUN_ONCE);
	assert_int_equal(done->status, 200);
	return done;
}

static json_t *json_of(enum value_kind_id kind, __s64 from, __s64 to, const char *name, const char *text)
{
	struct value *v = made(kind, from, to, name, text);
	json_t *json = json_loadb(v->data, v->len, 0, NULL);

	assert_non_null(json);
	value_free(v);
	return json;
}

static json_int_t number_at(const json_t *json, const char *name, const char *inner)
{
	const json_t *value = json_object_get(json, name);

	return (json_int_t)json_number_value(inner ? json_object_get(value, inner) : value);
}

TEST(totals_are_the_same_from_every_tier)
{
	static const struct { const char *ncols; int tier; } cases[] = {
		{ "2500", 60 }, { "600", 60 }, { "48", 3600 }, { "1", 3600 },
	};
	__s64 now = now_ns() / SLOT, to = now / 3600 * 3600, from = to - 3 * DAY;
	__u64 events = fill(from, to);
	json_int_t sum = 0;
	json_t *json;

	for (int round = 0; round < 2; round++) {	/* first with all slots in the cube, then with only a day of
							 * them */
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			json = json_of(VALUE_GRID, from, to, "ncols", cases[i].ncols);
			assert_int_equal(number_at(json, "tier", NULL), cases[i].tier);
			assert_int_equal(number_at(json, "summary", "count"), events);
			sum = sum ? sum : number_at(json, "summary", "sum");
			assert_int_equal(number_at(json, "summary", "sum"), sum);
			assert_int_equal(number_at(json, "start_time", NULL), from);
			assert_null(json_object_get(json, "dropped"));
			for (size_t c = 0; c < json_array_size(json_object_get(json, "columns")); c++) {
				const json_t *column = json_array_get(json_object_get(json, "columns"), c);

				assert_string_equal(json_string_value(json_object_get(column, "state")), "ok");
			}
			json_decref(json);
		}
		drop_before(to - DAY, 0, 0);
	}
}

/* Whole hours are read as hours, the rest as minutes and slots: exact to the slot, if slots are kept. */
TEST(totals_without_columns_are_not_widened)
{
	__s64 to = now_ns() / SLOT / 3600 * 3600, from = to - DAY / 4;
	json_t *grid = json_of(VALUE_GRID, from + 60, to - 120, "ncols", "4000");
	json_t *raw = json_of(VALUE_RAW, from + 60, to - 120, "stats", "true"), *stats = json_object_get(raw, "stats");

	assert_int_equal(number_at(grid, "tier", NULL), 1);
	assert_int_equal(number_at(raw, "tier", NULL), 3600);
	assert_int_equal(number_at(raw, "start_time", NULL), from + 60);
	assert_int_equal(number_at(raw, "end_time", NULL), to - 120);
	assert_int_equal(number_at(stats, "select/query", "count") + number_at(stats, "update/query", "count"),
			 number_at(grid, "summary", "count"));
	json_decref(grid);
	json_decref(raw);
}

TEST(keys_are_selected_in_every_tier)
{
	__s64 to = now_ns() / SLOT / 3600 * 3600, from = to - 3 * DAY;
	json_t *raw = json_of(VALUE_RAW, from, to, "stats", "true");
	json_t *grid = json_of(VALUE_GRID, from, to, "selected", "select/query");

	assert_int_equal(number_at(grid, "summary", "count"), number_at(json_object_get(raw, "stats"), "select/query", "count"));
	json_decref(grid);
	json_decref(raw);
}

/* The picture is made from all keys together, the keys from totals. */
TEST(an_image_of_a_long_time_names_its_keys)
{
	__s64 to = now_ns() / SLOT / 3600 * 3600, from = to - 3 * DAY;

	for (int i = 0; i < 2; i++) {
		json_t *json = json_of(VALUE_IMAGE, i ? to - DAY / 2 : from, to, "width", "1200"), *present = json_object_get(json, "present");

		assert_int_equal(json_array_size(present), 2);
		assert_string_equal(json_string_value(json_array_get(present, 0)), "select/query");
		assert_string_equal(json_string_value(json_array_get(present, 1)), "update/query");
		json_decref(json);
	}
}

static const struct store_ops *real_ops;
static _Atomic int n_by_key;		/* reads that would give a key which was not selected, by itself */

static int watch_read(struct store *s, __u64 id, const struct store_range *range, const struct store_reader *reader)
{
	struct bytes bytes = { 0 };
	struct labels other;

	labels_put(&bytes, "other");
	labels_put(&bytes, "query");
	other = (struct labels){ bytes.data, (__u16)bytes.len };
	n_by_key += reader->slice && !range->whole && (!reader->wants || reader->wants(reader->arg, &other));
	bytes_fini(&bytes);
	return real_ops->read(s, id, range, reader);
}

/* Returns the picture of an image, which the caller frees. */
static char *image_of(__s64 from, __s64 to, const char *name, const char *text, int *ret_by_key)
{
	json_t *json;
	char *image;

	n_by_key = 0;
	json = json_of(VALUE_IMAGE, from, to, name, text);
	assert_int_equal(json_array_size(json_object_get(json, "present")), 2);
	image = strdup(json_string_value(json_object_get(json, "image")));
	json_decref(json);
	*ret_by_key = n_by_key;
	return image;
}

/* One host of a thousand is drawn from its own slices, and from those of all hosts together. */
TEST(selected_keys_are_drawn_without_reading_all_keys)
{
	__s64 to = now_ns() / SLOT / 3600 * 3600, from = to - 3 * DAY;
	struct store_ops watched = *server.a.store->ops;
	char *all, *selected;
	int n_all, n_selected;

	real_ops = server.a.store->ops;
	watched.read = watch_read;
	server.a.store->ops = &watched;
	all = image_of(from, to, "decompose_all", "true", &n_all);
	selected = image_of(from, to, "selected", "select/query,update/query", &n_selected);
	assert_string_equal(selected, all);
	assert_true(n_all > 0);
	assert_int_equal(n_selected, 0);
	server.a.store->ops = real_ops;
	free(all);
	free(selected);
}

static json_int_t raw_count(__s64 from, __s64 to)
{
	json_t *raw = json_of(VALUE_RAW, from, to, "stats", "true"), *stats = json_object_get(raw, "stats");
	json_int_t n = number_at(stats, "select/query", "count") + number_at(stats, "update/query", "count");

	json_decref(raw);
	return n;
}

/* Of n events in a minute n - 20 take 2 ms or longer: 820 in an hour. */
TEST(an_explanation_counts_each_event_once_from_every_tier)
{
	__s64 to = now_ns() / SLOT / 3600 * 3600;
	const struct { __s64 from, to; int tier, n_blocks, inside; } cases[] = {
		{ to - 3 * DAY, to, 3600, 36, 72 * 820 }, { to - DAY / 4, to, 60, 60, 6 * 820 },
		{ to - DAY / 4 + 7, to - 119, 60, 60, -1 }, { to - 50000, to - 61, 3600, 14, -1 }, { to - 600, to, 1, 10, -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *json = json_of(VALUE_EXPLAIN, cases[i].from, cases[i].to, "ymin", "2000000");
		json_int_t in = number_at(json, "inside", "count"), out = number_at(json, "outside", "count");

		assert_int_equal(number_at(json, "tier", NULL), cases[i].tier);
		assert_in_range(number_at(json, "blocks", NULL), cases[i].n_blocks - 1, cases[i].n_blocks + 1);
		assert_int_equal(in + out, raw_count(cases[i].from, cases[i].to));
		if (cases[i].inside >= 0)
			assert_int_equal(in, cases[i].inside);
		assert_int_equal(number_at(json, "end_time", NULL), cases[i].to);
		json_decref(json);
	}
}

/* at: begin and end of the time, and of the baseline. */
static json_t *explained(const __s64 at[4])
{
	char text[4][24];
	const struct http_param param[] = { { "start_time", text[0] }, { "end_time", text[1] }, { "baseline_start", text[2] },
					    { "baseline_end", text[3] } };
	char reason[PARAMS_REASON_MAX] = "";
	struct value *v, *done = NULL;
	json_t *json;

	for (int i = 0; i < 4; i++)
		snprintf(text[i], sizeof(text[i]), "%lld", (long long)at[i]);
	assert_int_equal(value_new(&server.a.services, inst, VALUE_EXPLAIN, param, 4, &v, reason), 0);
	value_run(v, on_done, &done);
	while (!done)
		uv_run(&server.loop, UV_RUN_ONCE);
	assert_int_equal(done->status, 200);
	json = json_loadb(done->data, done->len, 0, NULL);
	value_free(done);
	return json;
}

/* The baseline overlaps the time, and its beginning is only kept as minutes. */
TEST(a_baseline_of_another_tier_counts_each_event_once)
{
	__s64 to = now_ns() / SLOT / 3600 * 3600, from = to - 2 * DAY;
	json_t *json = explained((const __s64[4]){ to - 5400, to - 1800, from, to - 60 });

	assert_int_equal(number_at(json, "inside", "count"), raw_count(to - 5400, to - 1800));
	assert_int_equal(number_at(json, "outside", "count"), raw_count(from, to - 60) - raw_count(to - 5400, to - 1800));
	assert_null(json_object_get(json_object_get(json, "baseline"), "dropped"));
	json_decref(json);
}

TEST(dropped_data_are_shown_as_dropped)
{
	__s64 to = now_ns() / SLOT / 3600 * 3600, from = to - 3 * DAY;
	json_t *json, *columns;
	int n_dropped = 0;

	drop_before(to - DAY, to - DAY, to - 2 * DAY);
	json = json_of(VALUE_GRID, from, to, "ncols", "72");
	columns = json_object_get(json, "columns");
	assert_true(json_is_true(json_object_get(json, "dropped")));
	for (size_t c = 0; c < json_array_size(columns); c++) {
		const char *is = json_string_value(json_object_get(json_array_get(columns, c), "state"));

		assert_string_equal(is, c < 24 ? "dropped" : "ok");
		n_dropped += *is == 'd';
	}
	assert_int_equal(n_dropped, 24);
	json_decref(json);
	json = explained((const __s64[4]){ to - 5400, to - 1800, from, to - DAY });
	assert_null(json_object_get(json, "dropped"));
	assert_true(json_is_true(json_object_get(json_object_get(json, "baseline"), "dropped")));
	json_decref(json);
	json = json_of(VALUE_RAW, from, to, NULL, NULL);
	assert_true(json_is_true(json_object_get(json, "dropped")));
	json_decref(json);
}

/* Adds n running events of an age, at the end of a slot. */
static void add_running(__s64 slot, __u64 n, __u64 age_ns)
{
	struct bytes key = { 0 }, cells = { 0 };
	struct slice slice = { .ruler = inst->in.ruler[1], .axis = 1 };
	struct batch b = { .source = "db1", .incarnation = 1, .inst = inst->in.id, .slot_ns = SLOT, .slot = slot, .seq = 9,
			   .run = 1, .slice = &slice, .n_slices = 1 };
	struct hist h;
	bool is_new;

	assert_int_equal(hist_init(&h, slice.ruler), 0);
	hist_record_times(&h, age_ns, n);
	hist_encode(&h, &cells);
	hist_fini(&h);
	labels_put(&key, "select");
	labels_put(&key, "query");
	slice.key = (struct labels){ key.data, (__u16)key.len };
	slice.hist = cells.data;
	slice.hist_len = (__u32)cells.len;
	assert_int_equal(server.a.store->ops->add(server.a.store, &b, 1, &is_new), 0);
	bytes_fini(&key);
	bytes_fini(&cells);
}

/* The second measure is treated as one of scope point: each picture of the first shows it once; alone, it is a mean. */
TEST(running_queries_are_shown_once_with_the_first_measure)
{
	static const enum value_kind_id kinds[] = { VALUE_GRID, VALUE_FIGURE, VALUE_REPORT };
	__s64 to = now_ns() / SLOT / 3600 * 3600, at = to - 7200;
	const json_t *column, *age;
	json_t *json;

	assert_string_equal(inst->in.measure[1], "cputime");
	((struct metric *)inst->metric)->point = strdup("cputime");
	add_running(at + 30, 4, 2000000000);
	add_running(at + 31, 2, 3000000000);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct value *v = made(kinds[i], at, at + 60, NULL, NULL);

		assert_non_null(v->grid[0]->running);
		assert_true(v->grid[0]->running->point && !v->grid[0]->point);
		assert_int_equal(v->grid[0]->running->all.count, 6);
		assert_int_equal(v->grid[0]->running->n_cols, v->grid[0]->n_cols);
		value_free(v);
	}
	json = json_of(VALUE_GRID, at, at + 60, "ncols", "1");
	assert_string_equal(json_string_value(json_object_get(json, "running")), "cputime");
	column = json_array_get(json_object_get(json, "columns"), 0);
	age = json_array_get(json_object_get(column, "running"), 0);
	assert_true(fabs(json_number_value(json_array_get(age, 2)) - 4 / 60.0) < 1e-9);
	json_decref(json);
	json = json_of(VALUE_GRID, at, at + 60, "measure", "cputime");
	assert_null(json_object_get(json, "running"));
	assert_string_equal(json_string_value(json_object_get(json, "scope")), "point");
	json_decref(json);
	/* the slots of 30 s are the last; nothing ends before */
	json = json_of(VALUE_KEYS, at, at + 31, NULL, NULL);
	assert_int_equal(number_at(json, "running", "count"), 4);
	assert_int_equal(number_at(json, "running", "oldest"), 2000000000);
	assert_int_equal(number_at(json, "running", "time"), at + 31);
	json_decref(json);
	/* of the two slots, the one in which more run */
	json = json_of(VALUE_EXPLAIN, at, at + 60, "ymin", "1000000000");
	assert_int_equal(number_at(json, "inside", "count"), 0);
	assert_int_equal(number_at(json, "running", "count"), 4);
	assert_int_equal(number_at(json, "running", "time"), at + 31);
	json_decref(json);
	json = json_of(VALUE_EXPLAIN, at, at + 60, "ymin", "2500000000");
	assert_int_equal(number_at(json, "running", "count"), 2);
	assert_int_equal(number_at(json, "running", "oldest"), 3000000000);
	json_decref(json);
	json = json_of(VALUE_RAW, at, at + 60, "measure", "*");
	age = json_object_get(json_object_get(json_object_get(json, "stats"), "cputime"), "select/query");
	assert_true(fabs(json_number_value(json_object_get(age, "count")) - 0.1) < 1e-9);
	json_decref(json);
}

TEST_MAIN_WITH(start, stop)
