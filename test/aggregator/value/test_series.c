#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "aggregator/http/http.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define SLOT 1000000000ll

static struct server server;
static __u64 inst;

static int start(void **state)
{
	server_start(&server, false);
	server_collector(&server, "db1");
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

/* Makes a new instrumentation that db1 measures. */
static void begin(void)
{
	inst = server_create(&server);
	server_state(&server, inst, "active", "");
}

static void end(void)
{
	char path[64];
	struct answer a;

	snprintf(path, sizeof(path), "/ca/instrumentations/%llu", (unsigned long long)inst);
	a = ask(&server, "DELETE", path, NULL, NULL);
	assert_int_equal(a.status, 204);
	answer_fini(&a);
}

static json_t *get(const char *format, ...)
{
	char what[400], path[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(path, sizeof(path), "/ca/instrumentations/%llu/value/%s", (unsigned long long)inst, what);
	return get_json(&server, path);
}

static double number(const json_t *json, const char *name)
{
	const json_t *value = json_object_get(json, name);

	if (!json_is_number(value))
		fail_msg("no number \"%s\"", name);
	return json_number_value(value);
}

/* Sends a request without waiting; the next function returns whether its reply has arrived within so many ms. */
static int send_get(const char *what)
{
	char request[512];
	int fd = server_connect(&server), len;

	len = snprintf(request, sizeof(request), "GET /ca/instrumentations/%llu/value/%s HTTP/1.1\r\nHost: localhost\r\n"
		       "Connection: close\r\n\r\n", (unsigned long long)inst, what);
	assert_int_equal(write(fd, request, (size_t)len), len);
	return fd;
}

/* Waits until the server has read so many requests: when it ends, it answers only those that it has read. */
static void read_by_server(unsigned long long n_requests)
{
	const struct http_counters *c = http_counters(server.a.http[0]);

	for (int i = 0; i < 1000 && *(volatile const unsigned long long *)&c->requests < n_requests; i++)
		usleep(5000);
	assert_true(c->requests >= n_requests);
}

static bool comes(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* Returns its status, and the JSON if that is 200. */
static int receive(int fd, json_t **ret_json)
{
	static char all[1 << 20];
	size_t len = 0;
	ssize_t n;
	int status = 0;
	char *body;

	while ((n = read(fd, all + len, sizeof(all) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	all[len] = 0;
	assert_int_equal(sscanf(all, "HTTP/1.%*d %d", &status), 1);
	body = strstr(all, "\r\n\r\n");
	assert_non_null(body);
	*ret_json = status == 200 ? json_loads(body + 4, 0, NULL) : NULL;
	return status;
}

TEST(points_are_what_each_would_be_alone)
{
	static const char *const values[] = { "raw?", "heatmap/image?width=20&height=20&", "heatmap/details?x=3&y=290&ymax=2000000&",
					      "heatmap/average?", "heatmap/percentile?percentile=0.5&" };
	__s64 t = now_ns() / SLOT - 20;

	begin();
	for (int i = 0; i < 6; i++)
		server_batch(&server, "db1", inst, t + i, "select", 1000000 * (i + 1), i);
	for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
		json_t *all = get("%sstart_time=%lld&duration=2&ndatapoints=3", values[v], (long long)t);

		assert_int_equal(json_array_size(all), 3);
		for (int i = 0; i < 3; i++) {
			json_t *one = get("%sstart_time=%lld&duration=2", values[v], (long long)t + 2 * i);

			assert_int_equal(number(one, "start_time"), t + 2 * i);
			assert_true(json_equal(json_array_get(all, (size_t)i), one));
			json_decref(one);
		}
		json_decref(all);
	}
	end();
}

TEST(one_point_that_was_asked_for_is_an_array_too)
{
	json_t *json;

	begin();
	json = get("raw?ndatapoints=1");
	assert_int_equal(json_array_size(json), 1);
	json_decref(json);
	json = get("raw");
	assert_true(json_is_object(json));
	assert_null(json_object_get(json, "delay"));		/* it waited for no source */
	json_decref(json);
	end();
}

TEST(averages_and_percentiles_are_of_all_events_of_the_interval)
{
	static const struct { const char *p; __u64 least, most; } cases[] = {
		{ "0", 1000000, 1000000 }, { "0.5", 1000000, 1032000 }, { "0.9", 1000000, 1032000 }, { "0.91", 20000000, 20700000 },
		{ "0.99", 50000000, 50000000 }, { "1", 50000000, 50000000 },
	};
	__s64 t = now_ns() / SLOT - 20;
	json_t *json;

	begin();	/* 90 of 1 ms, 8 of 20 ms and 2 of 50 ms, over three slots and two keys */
	server_batch(&server, "db1", inst, t, "select", 1000000, 90);
	server_batch(&server, "db1", inst, t + 1, "update", 20000000, 8);
	server_batch(&server, "db1", inst, t + 2, "select", 50000000, 2);
	json = get("heatmap/average?start_time=%lld&duration=3", (long long)t);
	assert_true(number(json, "average") == (90 * 1e6 + 8 * 20e6 + 2 * 50e6) / 100);
	assert_string_equal(json_string_value(json_object_get(json, "measure")), "latency");
	json_decref(json);
	json = get("heatmap/average?start_time=%lld&duration=3&measure=cputime&selected=update", (long long)t);
	assert_true(number(json, "average") == 10e6);
	json_decref(json);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json = get("heatmap/percentile?start_time=%lld&duration=3&percentile=%s", (long long)t, cases[i].p);
		assert_in_range((unsigned long)number(json, "percentile"), cases[i].least, cases[i].most);
		json_decref(json);
	}
	json = get("heatmap/percentile?start_time=%lld&percentile=0.5", (long long)t - 5);
	assert_true(json_is_null(json_object_get(json, "percentile")));
	json_decref(json);
	json = get("heatmap/average?start_time=%lld", (long long)t - 5);
	assert_true(json_is_null(json_object_get(json, "average")));
	json_decref(json);
	end();
}

TEST(a_reply_waits_for_sources_that_reported_recently)
{
	__s64 t = now_ns() / SLOT - 3;
	char what[128];
	json_t *json;
	int fd;

	begin();
	server_batch(&server, "db1", inst, t, "select", 1000000, 3);
	snprintf(what, sizeof(what), "raw?start_time=%lld&duration=1&ndatapoints=2", (long long)t);
	fd = send_get(what);
	assert_false(comes(fd, 100));
	server_batch(&server, "db1", inst, t + 1, "select", 1000000, 4);
	assert_true(comes(fd, 4000));
	assert_int_equal(receive(fd, &json), 200);
	assert_true(number(json_array_get(json, 0), "delay") >= 1);
	assert_int_equal(number(json_array_get(json, 1), "minreporting"), 1);
	json_decref(json);
	end();
}

TEST(a_reply_waits_no_longer_than_the_timeout)
{
	__s64 t = now_ns() / SLOT - 3;
	char what[128];
	json_t *json;

	begin();
	server_batch(&server, "db1", inst, t, "select", 1000000, 3);
	snprintf(what, sizeof(what), "raw?start_time=%lld&timeout=200", (long long)t + 1);
	assert_int_equal(receive(send_get(what), &json), 200);
	assert_true(number(json, "delay") >= 150);
	assert_int_equal(number(json, "minreporting"), 0);
	assert_int_equal(number(json, "nsources"), 1);
	json_decref(json);
	snprintf(what, sizeof(what), "raw?start_time=%lld&timeout=0", (long long)t + 1);
	assert_int_equal(receive(send_get(what), &json), 200);
	assert_null(json_object_get(json, "delay"));
	json_decref(json);
	end();
}

TEST(no_reply_waits_for_a_source_that_left_failed_or_is_suspended)
{
	__s64 t = now_ns() / SLOT - 3;
	char what[128], path[64];
	struct answer a;
	json_t *json;

	snprintf(what, sizeof(what), "raw?start_time=%lld", (long long)t + 1);
	for (int how = 0; how < 3; how++) {
		int fd;

		begin();
		server_batch(&server, "db1", inst, t, "select", 1000000, 3);
		fd = send_get(what);
		assert_false(comes(fd, 50));
		snprintf(path, sizeof(path), "/ca/instrumentations/%llu", (unsigned long long)inst);
		if (how == 0) {
			server_hang_up(&server);
		} else if (how == 1) {
			server_state(&server, inst, "failed", "no memory");
		} else {
			a = ask(&server, "PUT", path, NULL, "{\"enabled\": false}");
			assert_int_equal(a.status, 200);
			answer_fini(&a);
		}
		assert_true(comes(fd, 2000));
		assert_int_equal(receive(fd, &json), 200);
		json_decref(json);
		if (how == 0)
			server_collector(&server, "db1");
		end();
	}
}

TEST(deleting_answers_the_waiting_requests)
{
	__s64 t = now_ns() / SLOT - 3;
	char what[64];
	json_t *json;
	int fd;

	begin();
	server_batch(&server, "db1", inst, t, "select", 1000000, 3);
	snprintf(what, sizeof(what), "raw?start_time=%lld", (long long)t + 1);
	fd = send_get(what);
	assert_false(comes(fd, 50));
	end();
	assert_true(comes(fd, 2000));
	assert_int_equal(receive(fd, &json), 404);
}

/* 300 keys of 900 cells are about 5 MB of text per second. */
TEST(a_reply_over_the_limit_says_so)
{
	enum { KEYS = 300 };
	__s64 t = now_ns() / SLOT - 20;
	struct slice slice[KEYS];
	struct bytes key[KEYS] = { 0 }, cells = { 0 };
	struct hist h;
	char path[160];
	struct answer a;

	begin();
	assert_int_equal(hist_init(&h, RULER(UNIT_NS, 5, 10, 40)), 0);
	for (__u32 i = 0; i < ruler_cells(h.ruler); i++)
		hist_record(&h, ruler_first(h.ruler, i), 1);
	hist_encode(&h, &cells);
	hist_fini(&h);
	for (int i = 0; i < KEYS; i++) {
		char label[16];

		snprintf(label, sizeof(label), "key %d", i);
		labels_put(&key[i], label);
		slice[i] = (struct slice){ .ruler = RULER(UNIT_NS, 5, 10, 40), .key = { key[i].data, (__u16)key[i].len },
					   .hist = cells.data, .hist_len = (__u32)cells.len };
	}
	for (int i = 0; i < 8; i++) {
		const struct batch b = { .source = "db1", .incarnation = 77, .inst = inst, .slot_ns = SLOT, .slot = t + i,
					 .seq = server.seq++, .run = 1, .slice = slice, .n_slices = KEYS };

		server_send(&server, &b);
	}
	snprintf(path, sizeof(path), "/ca/instrumentations/%llu/value/raw?start_time=%lld&ndatapoints=8", (unsigned long long)inst,
		 (long long)t);
	a = ask(&server, "GET", path, NULL, NULL);
	assert_int_equal(a.status, 409);
	if (!strstr(a.body, "of them fill the 32 MiB that a reply may have"))
		fail_msg("%.300s", a.body);
	answer_fini(&a);
	for (int i = 0; i < KEYS; i++)
		bytes_fini(&key[i]);
	bytes_fini(&cells);
	end();
}

/* ---- many readers ---- */

#define PICTURE "heatmap/figure?width=4000&height=3000&data=false&duration=100"
#define MANY (LARGE_RUNNING_MAX + LARGE_WAITING_MAX)

static const volatile struct http_counters *counters(void) { return http_counters(server.a.http[0]); }

TEST(pictures_of_readers_that_hung_up_are_dropped_and_counted)
{
	static int fd[MANY];
	unsigned long long requests, hung_up = counters()->hung_up, answered;
	json_t *json;

	begin();
	requests = counters()->requests;
	answered = counters()->by_class[2];
	for (int i = 0; i < MANY; i++)
		fd[i] = send_get(PICTURE);
	read_by_server(requests + MANY);
	for (int i = 0; i < MANY; i++)
		close(fd[i]);
	assert_int_equal(receive(send_get("heatmap/figure?data=false"), &json), 200);
	assert_true(counters()->hung_up - hung_up >= LARGE_WAITING_MAX / 2);
	for (int i = 0; i < 1000 && counters()->hung_up - hung_up + counters()->by_class[2] - answered < MANY + 1; i++)
		usleep(5000);		/* until those in progress are drawn */
	assert_int_equal(counters()->hung_up - hung_up + counters()->by_class[2] - answered, MANY + 1);
	end();
}

TEST(a_series_ends_when_its_reader_hangs_up)
{
	unsigned long long requests, hung_up = counters()->hung_up;
	int fd;

	begin();
	requests = counters()->requests;
	fd = send_get("heatmap/image?ndatapoints=2000&duration=1&timeout=0");
	read_by_server(requests + 1);
	close(fd);
	for (int i = 0; i < 1000 && counters()->hung_up == hung_up; i++)
		usleep(5000);
	assert_int_equal(counters()->hung_up, hung_up + 1);
	end();
}

/* Is it refused, with Retry-After? */
static bool is_refused(int fd)
{
	char head[512] = "";
	ssize_t n = comes(fd, 0) ? read(fd, head, sizeof(head) - 1) : 0;

	return n > 0 && !strncmp(head, "HTTP/1.1 503 ", 13) && strstr(head, "\r\nRetry-After: 5\r\n") && strstr(head, "try again");
}

TEST(beyond_a_bound_pictures_are_refused_and_small_values_are_not)
{
	enum { MORE = 24 };		/* some of MANY may be drawn by then */
	static int fd[MANY + MORE];
	unsigned long long requests, busy = counters()->busy;
	size_t n_refused = 0;
	json_t *json;

	begin();
	requests = counters()->requests;
	for (int i = 0; i < MANY + MORE; i++)
		fd[i] = send_get(PICTURE);
	read_by_server(requests + MANY + MORE);
	assert_int_equal(receive(send_get("raw?duration=1"), &json), 200);
	json_decref(json);
	/* later requests were answered before the pictures */
	assert_false(comes(fd[LARGE_RUNNING_MAX + LARGE_WAITING_MAX / 2], 0));
	for (int i = 0; i < MANY + MORE; i++) {
		n_refused += is_refused(fd[i]);
		close(fd[i]);
	}
	assert_true(n_refused > 0);
	assert_int_equal(counters()->busy - busy, n_refused);
	end();
}

/* The server's end must not last until the timeout, and every request gets a reply. */
TEST(the_end_answers_all_waiting_requests)
{
	enum { TIMEOUT_MS = 5000 };		/* the longest */
	__s64 t = now_ns() / SLOT - 3;
	unsigned long long n_before;
	char what[64];
	json_t *json;
	int fd, how;

	begin();
	server_batch(&server, "db1", inst, t, "select", 1000000, 3);
	snprintf(what, sizeof(what), "raw?start_time=%lld&timeout=%d", (long long)t + 1, TIMEOUT_MS);
	n_before = http_counters(server.a.http[0])->requests;
	fd = send_get(what);
	read_by_server(n_before + 1);
	assert_false(comes(fd, 50));
	server_stop(&server);
	how = receive(fd, &json);		/* 200: the collector's end came first */
	assert_true(how == 503 || (how == 200 && json_number_value(json_object_get(json, "delay")) < TIMEOUT_MS));
	json_decref(json);
	start(state);
}

TEST_MAIN_WITH(start, stop)
