/* call.h - sends requests without blocking: replies and streams arrive while keys are read.
 *
 *      call_start() -> calls_wait() ... -> data() of a stream's pieces -> done()
 *
 * Done    calls_wait() calls done() exactly once.
 * Errors  done() gets 0 or -errno with the client's sentence; 0 also if the server ends a stream.
 * Memory  a call is freed just before its done(). call_cancel() ends a call at any time, without done(), and takes
 *         NULL.
 */
#ifndef HEATSCOPE_WATCH_CALL_H
#define HEATSCOPE_WATCH_CALL_H

#include "ui/cli/base/client.h"

#include <curl/curl.h>

struct calls {
	struct client *client;
	CURLM *multi;
	struct call *first;
};

struct call;				/* its fields are in call.c */

struct call_reader {
	void (*data)(void *arg, const char *data, size_t len);	/* of a stream; NULL: done() gets the reply */
	void (*done)(void *arg, int err, const char *reason, const json_t *reply);
};

int calls_init(struct calls *all, struct client *c);
void calls_fini(struct calls *all);

/* Sends a GET. */
int call_start(struct calls *all, const char *path, const struct call_reader *reader, void *arg,
	       struct call **ret_call);
void call_cancel(struct call *c);

/* Waits until data comes, also on one of n descriptors (curl sets their revents), but at most timeout_ms. */
void calls_wait(struct calls *all, struct curl_waitfd *fd, unsigned n, int timeout_ms);

#endif
