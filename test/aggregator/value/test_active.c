#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "aggregator/payload/picture_data.h"
#include "aggregator/params/params.h"
#include "render/encode/png_text.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLOT   1000000000ll
#define VALUE  "/ca/instrumentations/1/value/"
#define PILE   9  /* queries that wait for one another */
#define LENGTH 30 /* s */

static struct server server;
static __s64 t0; /* first slot of the first pile-up */
static const __u64 ruler = RULER(UNIT_NS, 5, 10, 40);

/* ---- batches ---- */

static void put_slice(struct bytes *hist, __u16 axis, __u64 value, unsigned n, const struct bytes *key,
		      struct slice *ret_slice)
{
	struct hist h;

	assert_int_equal(hist_init(&h, ruler), 0);
	hist_record_times(&h, value, n);
	hist_encode(&h, hist);
	hist_fini(&h);
	*ret_slice = (struct slice){.ruler = ruler,
				    .axis = axis,
				    .key = {key->data, (__u16)key->len},
				    .hist = hist->data,
				    .hist_len = (__u32)hist->len};
}

/* Sends a slot: so many events that ended after `latency`, and so many that run at its end since `age`. */
static void send_slot(__s64 slot, unsigned n_ended, __u64 latency, unsigned n_running, __u64 age)
{
	struct batch b = {.incarnation = 77, .inst = 1, .slot_ns = SLOT, .slot = slot, .seq = server.seq++, .run = 1};
	struct bytes key = {0}, hist[2] = {{0}, {0}};
	struct slice slice[2];

	strcpy(b.source, "db1");
	labels_put(&key, "update");
	b.slice = slice;
	if (n_ended)
		put_slice(&hist[0], 0, latency, n_ended, &key, &slice[b.n_slices++]);
	if (n_running)
		put_slice(&hist[1], 1, age, n_running, &key, &slice[b.n_slices++]);
	server_send(&server, &b);
	bytes_fini(&key);
	bytes_fini(&hist[0]);
	bytes_fini(&hist[1]);
}

/* Sends a pile-up from a slot on; no source reports the ten slots before. */
static void send_pile(__s64 from)
{
	for (__s64 i = -10; i < LENGTH; i++)
		send_slot(from + i, 0, 0, i < 0 ? 0 : PILE, (__u64)((i + 1) * SLOT));
}

static void send_end(__s64 from)
{
	send_slot(from + LENGTH, PILE, LENGTH * SLOT + SLOT / 2, 0, 0);
}

/* The second measure is treated as one of scope point: how long a running exchange has run. */
static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	((struct metric *)catalog_find(server.a.services.catalog, 1)->metric)->point = strdup("cputime");
	t0 = now_ns() / SLOT - 100;
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

/* ---- grids ---- */

static json_t *grid(__s64 from, __s64 to, const char *more)
{
	char path[256];

	snprintf(path, sizeof(path), VALUE "grid?active=true&start_time=%lld&end_time=%lld&ncols=1000%s",
		 (long long)from, (long long)to, more);
	return get_json(&server, path);
}

static double number(const json_t *json, const char *name)
{
	return json_number_value(json_object_get(json, name));
}

/* Returns how many were under way in a column: the sum of all rows, or the rows of that name; NULL: all. */
static double load_of(const json_t *g, const json_t *column, const char *name)
{
	const json_t *rows = json_object_get(g, "rows");
	double sum = 0;
	size_t i;
	json_t *cell;

	json_array_foreach(json_object_get(column, "cells"), i, cell)
	{
		const char *row =
			json_string_value(json_array_get(rows, (size_t)json_integer_value(json_array_get(cell, 0))));

		if (!name || !strcmp(row, name))
			sum += json_number_value(json_array_get(cell, 1));
	}
	return sum / 1e9 / number(g, "column");
}

static double load(const json_t *g, size_t col, const char *name)
{
	return load_of(g, json_array_get(json_object_get(g, "columns"), col), name);
}

/* Ages and latencies are only known to their bucket. */
static bool is_about(double x, double y)
{
	return fabs(x - y) < 0.02 * PILE;
}

TEST(a_pile_up_is_visible_while_it_hangs_and_after_it_ended)
{
	json_t *g;

	send_pile(t0);
	g = grid(t0 - 10, t0 + LENGTH, "");
	for (size_t col = 0; col < LENGTH + 10; col++)
		assert_true(is_about(load(g, col, "running"), col < 10 ? 0 : PILE) && load(g, col, "rest") == 0);
	json_decref(g);
	send_end(t0);
	g = grid(t0 - 10, t0 + LENGTH + 1, "");
	for (size_t col = 11; col < LENGTH + 10; col++)
		assert_true(is_about(load(g, col, "rest"), PILE) && load(g, col, "running") == 0);
	assert_int_equal(number(json_object_get(g, "summary"), "sum"), PILE * (LENGTH * SLOT + SLOT / 2));
	assert_int_equal(number(json_object_get(g, "summary"), "count"), PILE);
	json_decref(g);
}

/* The range ends before the queries ended, but they ran in it.  Read once from the cube and once, with the same slots,
 * from the store. */
TEST(the_time_after_the_range_is_looked_at)
{
	__s64 old = t0 - 300;

	for (int i = 0; i < 2; i++) {
		__s64 from = i ? old : t0;
		json_t *g;

		if (i) {
			send_pile(from);
			send_end(from);
		}
		g = grid(from - 10, from + 10, "");
		assert_int_equal(json_array_size(json_object_get(g, "columns")), 20);
		for (size_t col = 0; col < 20; col++)
			if (col < 9 || col > 10) /* their begin is known to a slot */
				assert_true(is_about(load(g, col, NULL), col < 10 ? 0 : PILE));
		json_decref(g);
		g = grid(from - 10, from + 10, "&selected=select");
		assert_true(number(json_object_get(g, "summary"), "sum") == 0);
		json_decref(g);
	}
}

/* ---- as a chart ---- */

static void chart_path(const char *picture, const char *format, char path[256])
{
	snprintf(path, 256, VALUE "%s?show=active&start_time=%lld&end_time=%lld&format=%s", picture, (long long)t0 - 10,
		 (long long)t0 + LENGTH, format);
}

TEST(a_chart_stacks_how_many_there_were)
{
	char path[256];
	json_t *v, *series, *one;

	chart_path("chart", "json", path);
	v = get_json(&server, path);
	series = json_object_get(v, "series");
	assert_string_equal(json_string_value(json_object_get(v, "show")), "active");
	assert_string_equal(json_string_value(json_object_get(v, "what")), "queries at once, by part of their time");
	assert_int_equal(json_array_size(series), 1);		/* nothing runs any more, so running exchanges have no
								 * series */
	one = json_array_get(series, 0);
	assert_string_equal(json_string_value(json_object_get(one, "key")), "rest");
	assert_true(is_about(number(one, "total"), PILE * (LENGTH + 0.0) / (LENGTH + 10)));
	for (size_t col = 11; col < LENGTH + 10; col++)
		assert_true(is_about(json_number_value(json_array_get(json_object_get(one, "values"), col)), PILE));
	json_decref(v);
}

/* A PNG carries the numbers that it was drawn from: they give the same picture. */
static void is_drawn_again(const char *picture)
{
	char path[256], reason[PARAMS_REASON_MAX] = "", *text;
	struct picture_data back;
	struct answer a;
	size_t len, n_again;
	__u8 *again;

	chart_path(picture, "png", path);
	a = ask(&server, "GET", path, NULL, NULL);
	assert_int_equal(a.status, 200);
	assert_int_equal(png_text_get((__u8 *)a.body, a.body_len, PICTURE_DATA_SCHEMA, &text, &len, reason), 0);
	if (picture_data_get(text, len, NULL, 0, &back, reason))
		fail_msg("%s", reason);
	assert_int_equal(picture_data_draw(&back, &again, &n_again), 0);
	assert_int_equal(picture_data_attach(&back, &again, &n_again), 0);
	assert_int_equal(n_again, a.body_len);
	assert_memory_equal(again, a.body, n_again);
	picture_data_fini(&back);
	free(again);
	free(text);
	answer_fini(&a);
}

TEST(its_picture_is_drawn_again_from_its_own_numbers)
{
	is_drawn_again("chart");
	is_drawn_again("report");
}

/* Above the maps of the latency, which do not change. */
TEST(a_report_has_it_as_its_chart)
{
	char path[256];
	json_t *v, *chart, *series;
	struct answer a;

	chart_path("report", "json", path);
	a = ask(&server, "GET", path, NULL, NULL);
	assert_int_equal(a.status, 200);
	v = json_loads(a.body, 0, NULL);
	assert_non_null(v);
	answer_fini(&a);
	chart = json_object_get(v, "chart");
	series = json_object_get(chart, "series");
	assert_string_equal(json_string_value(json_object_get(chart, "what")), "queries at once, by part of their time");
	assert_string_equal(json_string_value(json_object_get(json_array_get(series, 0), "key")), "rest");
	assert_true(is_about(json_number_value(json_array_get(json_object_get(json_array_get(series, 0), "values"), 20)), PILE));
	assert_true(number(json_object_get(json_array_get(json_object_get(v, "maps"), 0), "summary"), "count") == 0);
	json_decref(v);
}

/* ---- a live view ---- */

struct reader {
	int fd;
	char text[1 << 20]; /* bytes that are not parsed yet */
	size_t len;
};

static void reader_open(struct reader *r, const char *path)
{
	char request[512];
	int len = snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n", path);

	r->fd = server_connect(&server);
	r->len = 0;
	r->text[0] = 0;
	assert_int_equal(send(r->fd, request, (size_t)len, 0), len);
}

/* Returns the data of the next event of that name; NULL: it has not arrived yet. */
static json_t *take(struct reader *r, const char *name)
{
	char wanted[64];
	const char *at, *end;
	json_t *json;

	snprintf(wanted, sizeof(wanted), "event: %s\ndata: ", name);
	at = strstr(r->text, wanted);
	end = at ? strstr(at, "\n\n") : NULL;
	if (!end)
		return NULL;
	json = json_loadb(at + strlen(wanted), (size_t)(end - at) - strlen(wanted), 0, NULL);
	assert_non_null(json);
	r->len -= (size_t)(end + 2 - r->text);
	memmove(r->text, end + 2, r->len + 1);
	return json;
}

/* Returns false if nothing arrived for so long. */
static bool read_more(struct reader *r, int wait_ms)
{
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	ssize_t n;

	if (!poll(&p, 1, wait_ms))
		return false;
	n = read(r->fd, r->text + r->len, sizeof(r->text) - r->len - 1);
	assert_true(n > 0);
	r->len += (size_t)n;
	r->text[r->len] = 0;
	return true;
}

static json_t *await(struct reader *r, const char *name)
{
	json_t *json;

	while (!(json = take(r, name)))
		assert_true(read_more(r, 10000));
	return json;
}

/* Reads events until all those columns have arrived with the height of the pile-up. */
static void await_loads(struct reader *r, const json_t *g, const char *name, __s64 from, __s64 to)
{
	bool seen[LENGTH + 20] = {false};
	__s64 n = 0, until_ns = now_ns() + 20 * SLOT;

	while (n < to - from) {
		json_t *event = await(r, "column"), *column = json_object_get(event, "column");
		__s64 at = (__s64)number(event, "from") - from;

		if (at >= 0 && at < to - from && is_about(load_of(g, column, name), PILE) && !seen[at]) {
			seen[at] = true;
			n++;
		}
		json_decref(event);
		if (now_ns() > until_ns)
			fail_msg("%lld of %lld columns of %s", (long long)n, (long long)(to - from), name);
	}
}

TEST(a_live_view_gets_all_columns_that_an_end_changes)
{
	static struct reader r;
	__s64 now = now_ns() / SLOT, since = now - LENGTH - 2;
	json_t *g;

	send_slot(now - 1, 0, 0, 0, 0);
	reader_open(&r, VALUE "stream?active=true&duration=60&ncols=60");
	g = await(&r, "grid");
	assert_int_equal(json_array_size(json_object_get(g, "rows")), 2);
	assert_null(json_object_get(g, "edge"));
	send_slot(now, 0, 0, PILE, (__u64)(now + 1 - since) * SLOT); /* began before the view was opened */
	await_loads(&r, g, "running", since, now);
	send_slot(now + 1, PILE, (__u64)(now + 1 - since) * SLOT + SLOT / 2, 0, 0);
	await_loads(&r, g, "rest", since + 1, now);
	json_decref(g);
	close(r.fd);
}

/* Returns the greatest height of all columns that arrive from now on for so long. */
static double highest(struct reader *r, const json_t *g, __s64 span_ns)
{
	__s64 until_ns = now_ns() + span_ns;
	double max = 0;

	while (now_ns() < until_ns) {
		json_t *event = take(r, "column");
		double n = event ? load_of(g, json_object_get(event, "column"), NULL) : 0;

		max = n > max ? n : max;
		json_decref(event);
		if (!event)
			read_more(r, 100);
	}
	return max;
}

/* A spool is resent: its slots are before the view's range.  Columns of 10 s, so that most ticks have no new slot. */
TEST(running_queries_count_once_also_with_late_slots)
{
	static struct reader r;
	__s64 now = now_ns() / SLOT, since = now - LENGTH;
	json_t *g;

	send_slot(now, 0, 0, PILE, (__u64)(now + 1 - since) * SLOT);
	reader_open(&r, VALUE "stream?active=true&duration=60&ncols=6");
	g = await(&r, "grid");
	send_slot(t0 - 500, 1, SLOT, 0, 0);
	if (highest(&r, g, 3 * SLOT) > 2 * PILE * 1.02) /* the queries of the test before ran then, too */
		fail_msg("it is counted again");
	send_slot(now + 1, PILE, (__u64)(now + 1 - since) * SLOT + SLOT / 2, 0, 0);
	assert_true(is_about(highest(&r, g, 3 * SLOT), 2 * PILE));
	json_decref(g);
	close(r.fd);
}

/* Its slots arrive 3 s before their time: before the view is opened, and while it is open. */
TEST(a_live_view_gets_the_slots_of_a_clock_that_is_ahead)
{
	static struct reader r;

	for (int opened = 0; opened < 2; opened++) {
		__s64 now = now_ns() / SLOT;
		json_t *g;

		for (int i = 0; i <= 3 && !opened; i++)
			send_slot(now + i, i == 3 ? PILE : 0, 2 * SLOT + SLOT / 2, 0, 0);
		reader_open(&r, VALUE "stream?active=true&duration=60&ncols=60");
		g = await(&r, "grid");
		for (int i = 0; i <= 3 && opened; i++)
			send_slot(now + i, i == 3 ? PILE : 0, 2 * SLOT + SLOT / 2, 0, 0);
		await_loads(&r, g, "rest", now + 2, now + 3);
		json_decref(g);
		close(r.fd);
	}
}

/* ---- the integral ---- */

/* Returns the exact sum of the latencies, from the raw value. */
static double latencies(__s64 from, __s64 to)
{
	char path[256];
	json_t *v;
	double sum;

	snprintf(path, sizeof(path), VALUE "raw?stats=true&start_time=%lld&end_time=%lld", (long long)from, (long long)to);
	v = get_json(&server, path);
	sum = number(json_object_get(json_object_get(v, "stats"), "update"), "sum");
	json_decref(v);
	return sum;
}

/* Over an hour in columns of 1, 2, 5 and 60 s, and over a day, which is read as minutes. */
TEST(all_columns_add_up_to_the_latencies)
{
	static const struct {
		__s64 span_s;
		int n_cols;
		double column_s;
	} cases[] = { { 3600, 3600, 1 }, { 3600, 1800, 2 }, { 3600, 720, 5 }, { 3600, 60, 60 }, { 86400, 1440, 60 } };
	__s64 to = (now_ns() / SLOT / 60 + 1) * 60;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		__s64 from = to - cases[i].span_s;
		double wanted = latencies(from, to), sum = 0;
		char path[256];
		json_t *g, *column;
		size_t col;

		snprintf(path, sizeof(path), VALUE "grid?active=true&start_time=%lld&end_time=%lld&ncols=%d", (long long)from,
			 (long long)to, cases[i].n_cols);
		g = get_json(&server, path);
		assert_true(number(g, "column") == cases[i].column_s);
		json_array_foreach(json_object_get(g, "columns"), col, column)
			sum += load_of(g, column, NULL) * 1e9 * cases[i].column_s;
		if (!(wanted > 2 * PILE * LENGTH * 1e9) || fabs(sum - wanted) > 1000)
			fail_msg("case %zu: %.0f instead of %.0f ns", i, sum, wanted);
		assert_true(number(json_object_get(g, "summary"), "sum") == wanted);
		json_decref(g);
	}
}

/* ---- refusals ---- */

static void refuses(const char *more, const char *reason)
{
	char path[256];
	struct answer a;

	snprintf(path, sizeof(path), VALUE "grid?active=true&duration=10&%s", more);
	a = ask(&server, "GET", path, NULL, NULL);
	if (a.status != 409 || !strstr(a.body, reason))
		fail_msg("%s: %d %s", more, a.status, a.body);
	answer_fini(&a);
}

TEST(other_measures_and_forms_are_refused)
{
	refuses("measure=cputime", "cputime is not one: use latency");
	refuses("format=csv", "leave out \\\"format\\\"");
	refuses("narrative=true", "leave out \\\"narrative\\\"");
	refuses("active=maybe", "given more than once");
}

TEST_MAIN_WITH(start, stop)
