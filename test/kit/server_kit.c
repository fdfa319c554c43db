#include "test/kit/check.h"
#include "test/kit/server_kit.h"

#include "collector/core/frame.h"
#include "collector/core/metric_json.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- the server ---- */

static void on_stop(uv_async_t *async)
{
	struct server *s = async->data;

	aggregator_stop(&s->a);
	uv_close((uv_handle_t *)&s->stop, NULL);
}

static void *serve(void *arg)
{
	struct server *s = arg;

	uv_run(&s->loop, UV_RUN_DEFAULT);
	return NULL;
}

static void write_page(const struct server *s)
{
	static const char *const files[][2] = {
		{ "index.html", "<!doctype html><title>page</title>\n" },
		{ "app.js", "export const x = 1;\n" },
		{ ".secret", "hidden\n" },
	};
	char path[192];

	snprintf(path, sizeof(path), "%s/page", s->folder);
	assert_int_equal(mkdir(path, 0755), 0);
	for (size_t i = 0; i < 3; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/page/%s", s->folder, files[i][0]);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(files[i][1], f);
		fclose(f);
	}
}

static int free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	close(fd);
	return ntohs(at.sin_port);
}

void server_open(struct server *s, bool on_tcp)
{
	char reason[CONF_REASON_MAX];

	memset(s, 0, sizeof(*s));
	s->collector = -1;
	strcpy(s->folder, "/tmp/heatscope-test-XXXXXX");
	assert_non_null(mkdtemp(s->folder));
	write_page(s);
	conf_init(&s->conf);
	s->port = on_tcp ? free_port() : 0;
	if (on_tcp)
		snprintf(s->conf.listen, sizeof(s->conf.listen), "127.0.0.1:%d", s->port);
	else
		snprintf(s->conf.listen, sizeof(s->conf.listen), "unix:%s/http.sock", s->folder);
	snprintf(s->conf.socket, sizeof(s->conf.socket), "%s/ingest.sock", s->folder);
	snprintf(s->conf.page, sizeof(s->conf.page), "%s/page", s->folder);
	strcpy(s->conf.database, "memory");
	s->conf.cube_slots = 120;
	assert_int_equal(uv_loop_init(&s->loop), 0);
	if (aggregator_open(&s->a, &s->loop, &s->conf, reason))
		fail_msg("%s", reason);
}

static void clear_up(struct server *s)
{
	char command[128];

	aggregator_close(&s->a);
	assert_int_equal(uv_loop_close(&s->loop), 0);	/* no handle was left */
	snprintf(command, sizeof(command), "rm -r %s", s->folder);
	assert_int_equal(system(command), 0);
}

void server_close(struct server *s)
{
	aggregator_stop(&s->a);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	clear_up(s);
}

void server_start(struct server *s, bool on_tcp)
{
	server_open(s, on_tcp);
	assert_int_equal(uv_async_init(&s->loop, &s->stop, on_stop), 0);
	s->stop.data = s;
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

void server_stop(struct server *s)
{
	server_hang_up(s);
	uv_async_send(&s->stop);
	pthread_join(s->thread, NULL);
	clear_up(s);
}

/* ---- a collector ---- */

static int connect_unix(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static bool write_all(int fd, const void *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n <= 0)		/* a refusal may come before we have said all */
			return false;
		data = (const char *)data + n;
		len -= (size_t)n;
	}
	return true;
}

static void send_frame(struct server *s, enum frame_type type, const void *data, size_t len)
{
	struct bytes out = { 0 };

	frame_put(&out, type, data, len);
	write_all(s->collector, out.data, out.len);
	bytes_fini(&out);
}

/* Reads frames until one of this type has come. */
static void await_frame(struct server *s, enum frame_type type)
{
	char chunk[4096];

	for (;;) {
		struct frame f;
		long n = s->in.len ? frame_get(s->in.data, s->in.len, &f) : 0;
		ssize_t got;

		assert_true(n >= 0);
		if (n) {
			enum frame_type seen = f.type;

			if (seen == FRAME_ERROR)
				fail_msg("%.*s", (int)f.len, f.data);
			memmove(s->in.data, s->in.data + n, s->in.len - (size_t)n);
			s->in.len -= (size_t)n;
			if (seen == type)
				return;
			continue;
		}
		got = read(s->collector, chunk, sizeof(chunk));
		assert_true(got > 0);
		bytes_put(&s->in, chunk, (size_t)got);
	}
}

static const struct field fields[] = {
	{ "statement", "statement", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "command", "command", "string", FIELD_DISCRETE, 0, 0, 0 },
	{ "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 10, 40 },
	{ "cputime", "CPU time", "time", FIELD_NUMERIC, UNIT_NS, 10, 40 },
};
static const struct metric queries = { "mysql", "queries", "queries", "queries", fields, 4, SCOPE_INTERVAL, NULL, NULL, NULL };
static const struct metric threads = { "mysql", "threads", "threads", "threads", fields, 4, SCOPE_POINT, NULL, NULL, NULL };
static const struct metric pages = { "mysql", "pages", "pages", "pages", fields, 1, SCOPE_INTERVAL, NULL, NULL, NULL };

json_t *server_hello(const char *source)
{
	return json_pack("{s:i, s:s, s:s, s:i, s:s, s:[o, o, o]}", "format", 1, "source", source, "incarnation", "77", "pid", 1,
			 "version", "0.1.0", "metrics", metric_json_make(&queries, NULL),
			 metric_json_make(&pages, "no such server"), metric_json_make(&threads, NULL));
}

void server_offer(struct server *s)
{
	json_t *hello = server_hello("db1");
	const char *name;
	char reason[REASON_MAX];

	assert_int_equal(catalog_hello(s->a.services.catalog, hello, 1700000000000000000, &name, reason), 0);
	json_decref(hello);
}

static void on_made(void *arg, int err, const struct catalog_inst *made)
{
	const struct catalog_inst **ret_made = arg;

	assert_int_equal(err, 0);
	*ret_made = made;
}

const struct catalog_inst *server_make(struct server *s, json_t *request)
{
	const struct catalog_inst *made = NULL;
	char reason[REASON_MAX];

	assert_int_equal(catalog_create(s->a.services.catalog, request, now_ns(), on_made, &made, reason), 0);
	while (!made)
		uv_run(&s->loop, UV_RUN_ONCE);
	json_decref(request);
	return made;
}

void server_collector(struct server *s, const char *source)
{
	json_t *hello = server_hello(source);
	char *text = json_dumps(hello, 0);

	s->collector = connect_unix(s->conf.socket);
	send_frame(s, FRAME_HELLO, text, strlen(text));
	await_frame(s, FRAME_WANT);
	free(text);
	json_decref(hello);
}

void server_state(struct server *s, __u64 inst, const char *state, const char *reason)
{
	json_t *json = json_pack("{s:[{s:I, s:s, s:s}]}", "instrumentations", "id", (json_int_t)inst, "state", state, "reason",
				 reason);
	char *text = json_dumps(json, 0);

	send_frame(s, FRAME_STATE, text, strlen(text));
	free(text);
	json_decref(json);
}

void server_hang_up(struct server *s)
{
	if (s->collector >= 0)
		close(s->collector);
	s->collector = -1;
	bytes_fini(&s->in);
}

void server_send(struct server *s, const struct batch *b)
{
	struct bytes out = { 0 };

	batch_encode(b, &out);
	assert_int_equal(out.err, 0);
	send_frame(s, FRAME_BATCH, out.data, out.len);
	bytes_fini(&out);
	await_frame(s, FRAME_ACK);
}

void server_batch(struct server *s, const char *source, __u64 inst, __s64 slot, const char *statement, __u64 value,
		  __u64 n)
{
	struct batch b = { .incarnation = 77, .inst = inst, .slot_ns = 1000000000, .slot = slot, .seq = s->seq++, .run = 1 };
	struct slice slice[2];
	struct bytes key = { 0 }, hist[2] = { { 0 }, { 0 } };

	snprintf(b.source, sizeof(b.source), "%s", source);
	if (statement)
		labels_put(&key, statement);
	for (int axis = 0; axis < 2; axis++) {
		struct hist h;

		assert_int_equal(hist_init(&h, RULER(UNIT_NS, 5, 10, 40)), 0);
		hist_record_times(&h, axis ? value / 2 : value, n);
		hist_encode(&h, &hist[axis]);
		hist_fini(&h);
		slice[axis] = (struct slice){ .ruler = RULER(UNIT_NS, 5, 10, 40), .axis = (__u16)axis,
					      .key = { key.data, (__u16)key.len }, .hist = hist[axis].data,
					      .hist_len = (__u32)hist[axis].len };
	}
	b.slice = slice;
	b.n_slices = n ? 2 : 0;
	server_send(s, &b);
	bytes_fini(&key);
	bytes_fini(&hist[0]);
	bytes_fini(&hist[1]);
}

/* ---- a client ---- */

int server_connect(const struct server *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char path[128];
	int fd;

	if (!s->port) {
		snprintf(path, sizeof(path), "%s/http.sock", s->folder);
		return connect_unix(path);
	}
	at.sin_port = htons((uint16_t)s->port);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

struct answer ask_raw(const struct server *s, const void *request, size_t len)
{
	struct answer a = { 0 };
	struct bytes in = { 0 };
	char chunk[65536], *end;
	ssize_t n;
	int fd = server_connect(s);

	a.cut = !write_all(fd, request, len);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		bytes_put(&in, chunk, (size_t)n);
	close(fd);
	bytes_put(&in, "", 1);
	assert_int_equal(in.err, 0);
	a.all = (char *)in.data;
	a.head = a.all;
	end = strstr(a.all, "\r\n\r\n");
	if (end) {
		*end = 0;
		a.body = end + 4;
		a.body_len = in.len - 1 - (size_t)(a.body - a.all);
		sscanf(a.all, "HTTP/1.%*d %d", &a.status);
	}
	return a;
}

struct answer ask(const struct server *s, const char *method, const char *path, const char *headers, const char *body)
{
	struct answer a;
	char *request, length[64] = "", host[64];
	int len;

	if (strchr(path, ' '))		/* no URL has one, and libmicrohttpd 1.0 refuses it before we see it */
		fail_msg("%s: write %%20", path);
	if (body)
		snprintf(length, sizeof(length), "Content-Length: %zu\r\n", strlen(body));
	snprintf(host, sizeof(host), "Host: 127.0.0.1:%d\r\n", s->port);
	len = asprintf(&request, "%s %s HTTP/1.1\r\n%sConnection: close\r\n%s%s\r\n%s", method, path,
		       headers && strstr(headers, "Host:") ? "" : host, length, headers ? headers : "", body ? body : "");
	assert_true(len > 0);
	a = ask_raw(s, request, (size_t)len);
	free(request);
	return a;
}

void answer_fini(struct answer *a)
{
	free(a->all);
	memset(a, 0, sizeof(*a));
}

const char *answer_header(const struct answer *a, const char *name, char out[256])
{
	char start[80];
	const char *at;

	snprintf(start, sizeof(start), "\r\n%s: ", name);
	at = a->head ? strcasestr(a->head, start) : NULL;
	out[0] = 0;
	if (at)
		sscanf(at + strlen(start), "%255[^\r]", out);
	return out;
}

json_t *get_json(const struct server *s, const char *path)
{
	struct answer a = ask(s, "GET", path, NULL, NULL);
	char type[256];
	json_error_t error;
	json_t *json;

	if (a.status != 200)
		fail_msg("%s: %d %s", path, a.status, a.body ? a.body : "");
	assert_string_equal(answer_header(&a, "Content-Type", type), "application/json");
	assert_int_equal(a.body[a.body_len - 1], '\n');
	json = json_loadb(a.body, a.body_len, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		fail_msg("%s: %s at %d", path, error.text, error.position);
	answer_fini(&a);
	return json;
}

__u64 server_create(struct server *s)
{
	struct answer a = ask(s, "POST", "/ca/instrumentations", NULL,
			      "{\"module\": \"mysql\", \"stat\": \"queries\", \"decomposition\": [\"statement\", \"latency\"],"
			      " \"measures\": [\"latency\", \"cputime\"]}");
	char location[256];
	__u64 id;

	if (a.status != 201)
		fail_msg("creating: %d %s", a.status, a.body ? a.body : "");
	answer_header(&a, "Location", location);
	assert_int_equal(sscanf(location, "/ca/instrumentations/%llu", &id), 1);
	answer_fini(&a);
	return id;
}
