#include "test/aggregator/store/clickhouse/gate.h"

#include "test/kit/check.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_MAX 65536

struct gate {
	int listener;
	struct sockaddr_in server;
	char url[40];
	pthread_t thread;
	_Atomic enum gate_when when;
	void (*act)(void *arg);
	void *arg;
	_Atomic size_t answered;
};

static int connect_server(const struct gate *g)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)&g->server, sizeof(g->server))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool send_all(int fd, const char *data, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = send(fd, data + at, len - at, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

/* Reads a request: its head, and as many bytes as it says. */
static char *read_request(int fd, size_t *ret_len)
{
	char *data = calloc(1, HEAD_MAX + 1), *end = NULL;
	size_t len = 0, whole = HEAD_MAX;

	while (data && len < whole) {
		ssize_t n = recv(fd, data + len, whole - len, 0);

		if (n <= 0)
			break;
		len += (size_t)n;
		data[len] = 0;
		if (!end && (end = strstr(data, "\r\n\r\n"))) {
			const char *length = strcasestr(data, "\r\nContent-Length:");
			size_t head = (size_t)(end + 4 - data);

			whole = head + (length && length < end ? strtoull(length + 17, NULL, 10) : 0);
			data = realloc(data, whole > HEAD_MAX ? whole + 1 : HEAD_MAX + 1);
		}
	}
	*ret_len = len;
	if (data && end && len >= whole)
		return data;
	free(data);
	return NULL;
}

/* Asks the server to close the connection after its answer, which then needs no parsing. */
static bool forward(int server, const char *request, size_t len)
{
	const char *line = strstr(request, "\r\n");
	size_t first = line ? (size_t)(line - request) : 0;

	return line && send_all(server, request, first) && send_all(server, "\r\nConnection: close", 19) &&
	       send_all(server, line, len - first);
}

static void relay(struct gate *g, int server, int client)
{
	char data[65536];
	ssize_t n;

	while ((n = recv(server, data, sizeof(data), 0)) > 0) {
		g->answered += (size_t)n;
		if (!send_all(client, data, (size_t)n))
			return;
	}
}

static void act_if(struct gate *g, bool insert, enum gate_when when)
{
	if (!insert || g->when != when)
		return;
	g->when = GATE_NEVER;
	g->act(g->arg);
}

/* The statement of rows that are sent is in the address, that of a roll-up in the body. */
static bool is_insert(const char *request)
{
	const char *line = strstr(request, "\r\n"), *body = strstr(request, "\r\n\r\n"), *table = strstr(request, ".filed");
	const char *insert = strstr(request, "INSERT%20INTO");

	if (insert && insert < line)
		return table && table < line;
	return body && !strncmp(body + 4, "INSERT INTO", 11) && table;
}

static void exchange(struct gate *g, int client, int server, const char *request, size_t len)
{
	bool insert = is_insert(request);
	char peek;

	act_if(g, insert, GATE_BEFORE);
	if (!forward(server, request, len))
		return;
	if (insert && g->when == GATE_AFTER)
		recv(server, &peek, 1, MSG_PEEK);	/* the answer comes when the rows are there */
	act_if(g, insert, GATE_AFTER);
	relay(g, server, client);
}

static void serve(struct gate *g, int client)
{
	size_t len;
	char *request = read_request(client, &len);
	int server = request ? connect_server(g) : -1;

	if (server >= 0) {
		exchange(g, client, server, request, len);
		close(server);
	}
	free(request);
	close(client);
}

static void *gate_run(void *arg)
{
	struct gate *g = arg;
	int client;

	while ((client = accept(g->listener, NULL, NULL)) >= 0)
		serve(g, client);
	return NULL;
}

struct gate *gate_open(const char *url)
{
	struct gate *g = calloc(1, sizeof(*g));
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(any);
	unsigned port;

	assert_non_null(g);
	assert_int_equal(sscanf(url, "http://127.0.0.1:%u", &port), 1);
	g->server = any;
	g->server.sin_port = htons((uint16_t)port);
	g->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(g->listener >= 0 && !bind(g->listener, (struct sockaddr *)&any, sizeof(any)) && !listen(g->listener, 8) &&
		    !getsockname(g->listener, (struct sockaddr *)&any, &len));
	snprintf(g->url, sizeof(g->url), "http://127.0.0.1:%u", ntohs(any.sin_port));
	assert_int_equal(pthread_create(&g->thread, NULL, gate_run, g), 0);
	return g;
}

void gate_close(struct gate *g)
{
	shutdown(g->listener, SHUT_RDWR);
	pthread_join(g->thread, NULL);
	close(g->listener);
	free(g);
}

const char *gate_url(const struct gate *g)
{
	return g->url;
}

void gate_act(struct gate *g, enum gate_when when, void (*act)(void *arg), void *arg)
{
	g->act = act;
	g->arg = arg;
	g->when = when;
}

bool gate_acted(const struct gate *g)
{
	return g->when == GATE_NEVER;
}

size_t gate_answered(const struct gate *g)
{
	return g->answered;
}

/* --- without a gate --- */

static size_t take_answer(char *data, size_t size, size_t n, void *arg)
{
	strncat(arg, data, n < 32 ? n : 32);
	return n;
}

__u64 gate_ask_server(const char *sql)
{
	char answer[100] = "";
	CURL *easy = curl_easy_init();

	curl_easy_setopt(easy, CURLOPT_URL, getenv("CLICKHOUSE_URL"));
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, sql);
	curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, answer);
	assert_int_equal(curl_easy_perform(easy), CURLE_OK);
	curl_easy_cleanup(easy);
	return strtoull(answer, NULL, 10);
}
