#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLOT 1000000000ll

static struct server server;

static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

/* A reader of server-sent events. */
struct reader {
	int fd;
	struct bytes in;		/* as received, chunked */
	struct bytes text;		/* events */
	char id[32];			/* of the last event */
	bool ended;
};

static void reader_open(struct reader *r, const char *path)
{
	char request[1024];
	int len = snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);

	memset(r, 0, sizeof(*r));
	r->fd = server_connect(&server);
	assert_int_equal(send(r->fd, request, (size_t)len, 0), len);
}

static void reader_close(struct reader *r)
{
	close(r->fd);
	bytes_fini(&r->in);
	bytes_fini(&r->text);
}

/* Takes the head, then whole chunks. */
static bool take_chunk(struct reader *r)
{
	char *data = (char *)r->in.data, *end;
	size_t len, used;

	if (r->in.len < 8)
		return false;
	if (!memcmp(data, "HTTP/", 5)) {
		end = memmem(data, r->in.len, "\r\n\r\n", 4);
		if (!end)
			return false;
		assert_memory_equal(data, "HTTP/1.1 200", 12);
		assert_non_null(memmem(data, r->in.len, "text/event-stream", 17));
		used = (size_t)(end + 4 - data);
	} else {
		end = memmem(data, r->in.len, "\r\n", 2);
		len = strtoul(data, NULL, 16);
		if (!end || r->in.len < (size_t)(end + 2 - data) + len + 2)
			return false;
		bytes_put(&r->text, end + 2, len);
		used = (size_t)(end + 2 - data) + len + 2;
	}
	memmove(r->in.data, r->in.data + used, r->in.len - used);
	r->in.len -= used;
	return true;
}

static bool reader_more(struct reader *r, int timeout_ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	char chunk[65536];
	ssize_t n;

	if (poll(&p, 1, timeout_ms) <= 0)
		return false;
	n = read(r->fd, chunk, sizeof(chunk));
	if (n <= 0) {
		r->ended = true;
		return false;
	}
	bytes_put(&r->in, chunk, (size_t)n);
	while (take_chunk(r))
		;
	return true;
}

/* Returns the next event's data; name gets its name.  NULL: none within the time. */
static json_t *reader_next(struct reader *r, char name[32], int timeout_ms)
{
	for (;;) {
		char *end = r->text.len ? memmem(r->text.data, r->text.len, "\n\n", 2) : NULL, *data;
		size_t used;
		json_t *json = NULL;

		if (!end) {
			if (!reader_more(r, timeout_ms))
				return NULL;
			continue;
		}
		used = (size_t)(end + 2 - (char *)r->text.data);
		*end = 0;
		if (r->text.data[0] != ':') {
			assert_int_equal(sscanf((char *)r->text.data, "id: %31[0-9-]\nevent: %31s", r->id, name), 2);
			data = strstr((char *)r->text.data, "\ndata: ");
			assert_non_null(data);
			json = json_loads(data + 7, JSON_REJECT_DUPLICATES, NULL);
			assert_non_null(json);
		}
		memmove(r->text.data, r->text.data + used, r->text.len - used);
		r->text.len -= used;
		if (json)
			return json;
	}
}

/* Returns the next event of that name; drops others. */
static json_t *await(struct reader *r, const char *wanted)
{
	char name[32];
	json_t *json;

	while ((json = reader_next(r, name, 5000))) {
		if (!strcmp(name, wanted))
			return json;
		json_decref(json);
	}
	fail_msg("no event %s", wanted);
	return NULL;
}

static double number(const json_t *json, const char *name)
{
	assert_true(json_is_number(json_object_get(json, name)));
	return json_number_value(json_object_get(json, name));
}

/* Returns the column of that slot once it has so many events: before, it may arrive as not yet observed. */
static json_t *await_column(struct reader *r, __s64 slot, double count)
{
	json_t *json;

	for (;;) {
		json = await(r, "column");
		if (number(json, "from") == (double)slot && number(json_object_get(json, "column"), "count") == count)
			return json;
		json_decref(json);
	}
}

#define STREAM "/ca/instrumentations/1/value/stream?duration=60&ncols=60"

TEST(a_grid_comes_first_then_what_changes)
{
	struct reader r;
	__s64 now = now_ns() / SLOT;
	json_t *grid, *event, *column;
	char name[32];

	server_batch(&server, "db1", 1, now - 5, "select", 1000000, 3);
	reader_open(&r, STREAM);
	grid = reader_next(&r, name, 5000);
	assert_string_equal(name, "grid");
	assert_int_equal(number(grid, "ncols"), 60);
	assert_int_equal(number(json_object_get(grid, "summary"), "count"), 3);
	assert_true(number(grid, "from") + 60 >= (double)now);
	server_batch(&server, "db1", 1, now - 5, "select", 1000000, 4);		/* an amendment */
	event = await_column(&r, now - 5, 7);
	column = json_object_get(event, "column");
	assert_string_equal(json_string_value(json_object_get(column, "state")), "ok");
	assert_int_equal(number(column, "slot"), now - 5 - (__s64)number(grid, "from"));
	json_decref(event);
	server_batch(&server, "db1", 1, now - 1, "select", 1000000, 1);		/* a new one */
	event = await_column(&r, now - 1, 1);
	json_decref(event);
	json_decref(grid);
	reader_close(&r);
}

/* The cells of a column use the rows of the grid that was sent. */
TEST(columns_use_the_rows_of_the_grid)
{
	static const __u64 values[] = { 900000, 1000000, 1100000, 3000000 };
	struct reader r;
	__s64 slot = now_ns() / SLOT - 4;
	json_t *grid, *event, *cells, *edge;
	char name[32];

	server_batch(&server, "db1", 1, slot, "select", 1000000, 3);
	reader_open(&r, STREAM);
	grid = reader_next(&r, name, 5000);
	assert_string_equal(name, "grid");
	edge = json_object_get(grid, "edge");
	for (size_t i = 0; i < 4; i++) {
		size_t row, found = 0;
		json_t *cell;

		server_batch(&server, "db1", 1, slot - 10 - (__s64)i, "select", values[i], 1);
		event = await_column(&r, slot - 10 - (__s64)i, 1);
		cells = json_object_get(json_object_get(event, "column"), "cells");
		json_array_foreach(cells, row, cell) {
			json_t *at = json_array_get(cell, 0), *n = json_array_get(cell, 1);
			size_t to = (size_t)json_integer_value(at);

			assert_true(to < (size_t)number(grid, "nrows"));
			if (json_number_value(json_array_get(edge, to)) <= (double)values[i] &&
			    json_number_value(json_array_get(edge, to + 1)) > (double)values[i])
				found += (size_t)json_integer_value(n);
		}
		assert_true(found >= 1);
		json_decref(event);
	}
	json_decref(grid);
	reader_close(&r);
}

/* The reader colours it by its levels, which are parts of a column. */
TEST(a_column_in_percent_comes_with_what_its_cells_count)
{
	struct reader r;
	__s64 slot = now_ns() / SLOT - 40;	/* no other test uses these slots */
	json_t *grid, *event;
	char name[32];

	server_batch(&server, "db1", 1, slot - 1, "select", 1000000, 3);
	server_batch(&server, "db1", 1, slot - 1, "select", 3000000, 1);
	reader_open(&r, STREAM "&transfer=percent&palette=fire");
	grid = reader_next(&r, name, 5000);
	assert_string_equal(name, "grid");
	server_batch(&server, "db1", 1, slot, "select", 1000000, 3);
	server_batch(&server, "db1", 1, slot, "select", 3000000, 5);
	event = await_column(&r, slot, 8);
	assert_true(number(json_object_get(event, "column"), "share") == 12.5);
	json_decref(event);
	json_decref(grid);
	reader_close(&r);
}

TEST(a_value_beyond_the_rows_brings_a_new_grid)
{
	struct reader r;
	__s64 slot = now_ns() / SLOT - 3;
	json_t *grid, *again;

	reader_open(&r, STREAM);
	grid = await(&r, "grid");
	server_batch(&server, "db1", 1, slot, "select", 60ull * SLOT, 1);
	again = await(&r, "grid");
	assert_true(number(again, "nrows") > number(grid, "nrows"));
	assert_int_equal(number(json_object_get(again, "summary"), "max"), 60ll * SLOT);
	json_decref(grid);
	json_decref(again);
	reader_close(&r);
}

/* Each value lies an octave beyond the rows, which reach from the lowest to the highest, so each needs a new grid.  A
 * few arrive as fast as they are made; on average there is a second between them. */
TEST(grids_do_not_wait_for_one_another_but_keep_their_pace)
{
	enum { N = 8, AT_ONCE = 5 };
	struct reader r;
	char path[96];
	__u64 id = server_create(&server);
	__s64 slot = now_ns() / SLOT - 3, began, last, least = 10 * SLOT;

	server_batch(&server, "db1", id, slot, "select", 10000, 1);
	server_batch(&server, "db1", id, slot, "select", SLOT / 2, 1);
	snprintf(path, sizeof(path), "/ca/instrumentations/%llu/value/stream", id);
	reader_open(&r, path);
	json_decref(await(&r, "grid"));
	began = last = now_ns();
	for (int i = 0; i < N; i++) {
		__u64 value = (__u64)SLOT << i;
		json_t *grid;

		server_batch(&server, "db1", id, slot, "select", value, 1);
		grid = await(&r, "grid");
		assert_int_equal(number(json_object_get(grid, "summary"), "max"), value);
		json_decref(grid);
		least = now_ns() - last < least ? now_ns() - last : least;
		last = now_ns();
	}
	assert_true(least < SLOT * 9 / 10);
	assert_true(last - began > (N - AT_ONCE) * SLOT * 9 / 10);
	reader_close(&r);
}

TEST(a_brighter_cell_brings_new_levels)
{
	struct reader r;
	__s64 slot = now_ns() / SLOT - 3;
	json_t *grid, *shade, *levels, *old;

	reader_open(&r, STREAM);
	grid = await(&r, "grid");
	old = json_object_get(json_object_get(grid, "shade"), "levels");
	server_batch(&server, "db1", 1, slot, "select", 1000000, 5000);
	shade = await(&r, "shade");
	levels = json_object_get(shade, "levels");
	assert_int_equal(json_array_size(levels), 255);
	assert_true(json_number_value(json_array_get(levels, 254)) > json_number_value(json_array_get(old, 254)));
	json_decref(grid);
	json_decref(shade);
	reader_close(&r);
}

TEST(silence_is_sent_as_unobserved)
{
	struct reader r;
	json_t *grid, *event;
	const char *word = "";

	reader_open(&r, STREAM);
	grid = await(&r, "grid");
	for (int i = 0; i < 6 && strcmp(word, "unobserved"); i++) {
		event = await(&r, "column");
		word = json_string_value(json_object_get(json_object_get(event, "column"), "state"));
		word = !strcmp(word, "unobserved") ? "unobserved" : "";
		json_decref(event);
	}
	assert_string_equal(word, "unobserved");
	json_decref(grid);
	reader_close(&r);
}

/* Even if there was never any data: a column each, not the whole grid again. */
TEST(silence_from_the_beginning_is_sent_by_column)
{
	struct reader r;
	char path[96], name[32];
	json_t *event;

	snprintf(path, sizeof(path), "/ca/instrumentations/%llu/value/stream", server_create(&server));
	reader_open(&r, path);
	json_decref(await(&r, "grid"));
	for (int i = 0; i < 2; i++) {
		event = reader_next(&r, name, 5000);
		assert_string_equal(name, "column");
		assert_string_equal(json_string_value(json_object_get(json_object_get(event, "column"), "state")), "unobserved");
		json_decref(event);
	}
	reader_close(&r);
}

/* A source sends a batch when the last event has arrived: the reader sees it before the tick, every 100 ms, that looks
 * for silence. */
TEST(a_change_does_not_wait_for_a_tick)
{
	enum { N = 20, TICK = 100000000 };
	struct reader r;
	char path[96];
	__u64 id = server_create(&server);
	__s64 slot = now_ns() / SLOT - 5, last, least = TICK;

	server_batch(&server, "db1", id, slot, "select", 1000000, 1);
	snprintf(path, sizeof(path), "/ca/instrumentations/%llu/value/stream", id);
	reader_open(&r, path);
	json_decref(await(&r, "grid"));
	last = now_ns();
	for (int i = 0; i < N; i++) {
		server_batch(&server, "db1", id, slot, "select", 1000000, 1);
		json_decref(await_column(&r, slot, 2 + i));
		least = now_ns() - last < least ? now_ns() - last : least;
		last = now_ns();
	}
	assert_true(least < TICK * 8 / 10);
	reader_close(&r);
}

TEST(changes_come_at_most_twenty_times_a_second)
{
	struct reader r;
	__s64 slot = now_ns() / SLOT - 2, began;
	json_t *grid, *event;
	char name[32];
	int n = 0;
	double count = 0;

	reader_open(&r, STREAM);
	grid = await(&r, "grid");
	began = now_ns();
	for (int i = 0; i < 200; i++)
		server_batch(&server, "db1", 1, slot - 40, "select", 1000000, 1);
	while (count < 200) {
		event = reader_next(&r, name, 5000);
		assert_non_null(event);
		if (!strcmp(name, "column") && number(event, "from") == (double)slot - 40) {
			count = number(json_object_get(event, "column"), "count");
			n++;
		}
		json_decref(event);
	}
	assert_int_equal(count, 200);
	assert_true(n <= (now_ns() - began) / 50000000 + 1);
	json_decref(grid);
	reader_close(&r);
}

/* For idle-max, an open stream counts as requests for as long as it is open. */
TEST(an_open_stream_counts_as_a_request)
{
	const volatile __s64 *touched = &catalog_find(server.a.services.catalog, 1)->touched_ns;
	struct reader r;
	char name[32];
	__s64 before;

	reader_open(&r, "/ca/instrumentations/1/value/stream?duration=10");
	json_decref(reader_next(&r, name, 5000));
	before = *touched;
	for (int i = 0; i < 100 && *touched == before; i++)
		usleep(50000);
	assert_true(*touched > before);
	reader_close(&r);
}

TEST(deleting_ends_the_stream)
{
	struct reader r;
	struct answer a;
	char path[96], name[32];
	__u64 id = server_create(&server);

	snprintf(path, sizeof(path), "/ca/instrumentations/%llu/value/stream", id);
	reader_open(&r, path);
	json_decref(await(&r, "grid"));
	snprintf(path, sizeof(path), "/ca/instrumentations/%llu", id);
	a = ask(&server, "DELETE", path, NULL, NULL);
	assert_int_equal(a.status, 204);
	answer_fini(&a);
	for (json_t *json; (json = reader_next(&r, name, 5000));)
		json_decref(json);
	assert_true(r.ended);
	reader_close(&r);
	snprintf(path, sizeof(path), "/ca/instrumentations/%llu/value/stream", id);
	a = ask(&server, "GET", path, NULL, NULL);
	assert_int_equal(a.status, 404);
	answer_fini(&a);
}

/* ---- several views ---- */

#define VIEW "%%7B%%22instrumentation%%22:%%22%llu%%22,%%22ncols%%22:%d,%%22duration%%22:%d%%7D"
#define VIEWS(list) "/ca/stream?views=%%5B" list "%%5D"

/* Returns the next event of that view. */
static json_t *await_view(struct reader *r, const char *wanted, int view)
{
	for (;;) {
		json_t *json = await(r, wanted);

		if (number(json, "view") == view)
			return json;
		json_decref(json);
	}
}

TEST(several_views_share_a_stream_and_each_gets_its_own)
{
	struct reader r;
	__s64 slot = now_ns() / SLOT - 5;
	__u64 id = server_create(&server);
	json_t *first, *second, *event;
	char path[512];
	double count = 0;

	server_batch(&server, "db1", id, slot, "select", 1000000, 3);
	snprintf(path, sizeof(path), VIEWS(VIEW "," VIEW), id, 30, 30, 1ull, 60, 60);
	reader_open(&r, path);
	first = await(&r, "grid");
	second = await(&r, "grid");
	if (number(first, "view") == 1) {
		event = first;
		first = second;
		second = event;
	}
	assert_int_equal(number(first, "ncols"), 30);
	assert_int_equal(number(json_object_get(first, "summary"), "count"), 3);
	assert_int_equal(number(second, "view"), 1);
	assert_int_equal(number(second, "ncols"), 60);
	server_batch(&server, "db1", id, slot, "select", 1000000, 4);
	while (count != 7) {
		event = await_view(&r, "column", 0);
		count = number(event, "from") == (double)slot ? number(json_object_get(event, "column"), "count") : 0;
		json_decref(event);
	}
	json_decref(first);
	json_decref(second);
	reader_close(&r);
}

static void delete(__u64 id)
{
	struct answer a;
	char path[96];

	snprintf(path, sizeof(path), "/ca/instrumentations/%llu", id);
	a = ask(&server, "DELETE", path, NULL, NULL);
	assert_int_equal(a.status, 204);
	answer_fini(&a);
}

TEST(a_deleted_view_is_reported_and_the_others_go_on)
{
	struct reader r;
	__u64 id = server_create(&server), other = server_create(&server);
	json_t *event;
	char path[512];

	snprintf(path, sizeof(path), VIEWS(VIEW "," VIEW "," VIEW), id, 60, 60, 999999ull, 60, 60, other, 60, 60);
	reader_open(&r, path);
	event = await(&r, "gone");
	assert_int_equal(number(event, "view"), 1);
	assert_string_equal(json_string_value(json_object_get(event, "code")), "ECA_NOENT");
	assert_non_null(json_string_value(json_object_get(event, "message")));
	json_decref(event);
	json_decref(await(&r, "grid"));
	json_decref(await(&r, "grid"));
	delete(id);
	event = await(&r, "gone");
	assert_int_equal(number(event, "view"), 0);
	json_decref(event);
	for (int i = 0; i < 2; i++)
		json_decref(await_view(&r, "column", 2));
	assert_false(r.ended);
	delete(other);
	json_decref(await_view(&r, "gone", 2));
	while (reader_more(&r, 5000))
		;
	assert_true(r.ended);
	reader_close(&r);
}

TEST(an_invalid_list_of_views_is_refused)
{
	static const struct {
		const char *path, *says;
	} c[] = {
		{ "/ca/stream", "\\\"views\\\"" },
		{ "/ca/stream?ncols=3", "it needs the parameter" },
		{ "/ca/stream?views=%5B%5D", "JSON array of 1 to 128 objects" },
		{ "/ca/stream?views=%5B1%5D", "instrumentation" },
		{ "/ca/stream?views=%5B%7B%22instrumentation%22:1%7D,%7B%22instrumentation%22:1,%22ncols%22:0%7D%5D", "view 1: " },
		{ "/ca/stream?views=%5B%7B%22instrumentation%22:1,%22xyz%22:0%7D%5D", "view 0: " },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct answer a = ask(&server, "GET", c[i].path, NULL, NULL);

		assert_int_equal(a.status, 409);
		if (!strstr(a.body, c[i].says))
			fail_msg("%s: %s", c[i].path, a.body);
		answer_fini(&a);
	}
}

/* Many readers come and go at any moment and leave nothing behind (server_stop checks). */
TEST(readers_may_leave_at_any_time)
{
	struct reader r[20];
	char several[512];

	snprintf(several, sizeof(several), VIEWS(VIEW "," VIEW), 1ull, 60, 60, 1ull, 30, 60);
	for (int i = 0; i < 60; i++) {
		struct reader *one = &r[i % 20];

		if (i >= 20)
			reader_close(one);
		reader_open(one, i % 2 ? STREAM : several);
		if (i % 3 == 0)
			json_decref(await(one, "grid"));
	}
	for (int i = 0; i < 20; i++)
		reader_close(&r[i]);
	server_batch(&server, "db1", 1, now_ns() / SLOT - 1, "select", 1000000, 1);
	json_decref(get_json(&server, "/ca"));
}

TEST(a_stream_may_be_open_when_the_server_ends)
{
	struct reader r;

	reader_open(&r, STREAM);
	json_decref(await(&r, "grid"));
	server_stop(&server);
	while (reader_more(&r, 5000))
		;
	assert_true(r.ended);
	reader_close(&r);
	start(NULL);
}

TEST_MAIN_WITH(start, stop)
