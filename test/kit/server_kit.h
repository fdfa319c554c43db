/* server_kit.h - runs a whole heatscoped in a thread of the test, with its store in memory, and a client for it.
 *
 *      server_start -> server_collector (HELLO) -> server_batch (BATCH, waits for its ACK)
 *                   -> ask(): a request over a real socket, its reply read to the end
 *
 * An error in any of these fails the test.
 */
#ifndef HEATSCOPE_SERVER_KIT_H
#define HEATSCOPE_SERVER_KIT_H

#include "aggregator/aggregator.h"
#include "aggregator/base/clock.h"
#include <pthread.h>

struct server {
	char folder[64];
	struct conf conf;
	struct aggregator a;
	uv_loop_t loop;
	uv_async_t stop;
	pthread_t thread;
	int port;			/* 0: HTTP on a Unix socket */
	int collector;			/* its connection, -1: none */
	struct bytes in;
	__u32 seq;
};

void server_start(struct server *s, bool on_tcp);
void server_stop(struct server *s);		/* and that everything has come to its end */

/* The same without a thread: the test runs the loop itself. */
void server_open(struct server *s, bool on_tcp);
void server_close(struct server *s);
void server_offer(struct server *s);		/* what db1 says in its hello */
const struct catalog_inst *server_make(struct server *s, json_t *request);	/* takes the request */
json_t *server_hello(const char *source);	/* offers mysql.queries and mysql.threads, a point metric; mysql.pages
						 * not */

void server_collector(struct server *s, const char *source);
void server_state(struct server *s, __u64 inst, const char *state, const char *reason);	/* STATE of one */
void server_hang_up(struct server *s);

/* Sends one batch: n events of `value` (axis 0; axis 1: half of it) in one slice per axis.  statement NULL: without
 * fields. */
void server_batch(struct server *s, const char *source, __u64 inst, __s64 slot, const char *statement, __u64 value,
		  __u64 n);
void server_send(struct server *s, const struct batch *b);

struct answer {
	int status;
	char *all, *head, *body;	/* head and body are parts of all */
	size_t body_len;
	bool cut;			/* the server closed before it had the whole request */
};
int server_connect(const struct server *s);

/* Sends a request.  headers: whole lines, each with \r\n; NULL: none.  body NULL: none. */
struct answer ask(const struct server *s, const char *method, const char *path, const char *headers, const char *body);
struct answer ask_raw(const struct server *s, const void *request, size_t len);
void answer_fini(struct answer *a);
const char *answer_header(const struct answer *a, const char *name, char out[256]);	/* "" if absent */

/* Sends a GET, whose reply must be 200 and JSON. */
json_t *get_json(const struct server *s, const char *path);

/* Creates mysql.queries by statement with latency and cputime; returns its id. */
__u64 server_create(struct server *s);

#endif
