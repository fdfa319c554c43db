/* client.h - asks heatscoped over HTTP.
 *
 * Where   $HEATSCOPE_URL or --url: "http://127.0.0.1:23181" (default) or "unix:/path/to/socket".
 * Errors  0 or -errno, and a sentence in `reason`: what was asked, what the daemon said (its own
 *         error message where it gave one), what to do.
 * Memory  replies are freed by the caller (reply_fini, json_decref).
 */
#ifndef HEATSCOPE_CLIENT_H
#define HEATSCOPE_CLIENT_H

#include <jansson.h>
#include <stddef.h>

#define CLIENT_URL "http://127.0.0.1:23181"

struct client {
	const char *url;
	char reason[512];
};

struct reply {
	char *data;			/* NUL-terminated */
	size_t len;
	long status;
};

void reply_fini(struct reply *r);

/* Any reply of 200..299 is success; body may be NULL. */
int client_request(struct client *c, const char *method, const char *path, const json_t *body, struct reply *ret_reply);

/* The same, parsed; *ret_json is NULL for an empty reply. */
int client_json(struct client *c, const char *method, const char *path, const json_t *body, json_t **ret_json);

/* A query string in the making: "?a=1&b=x%20y". */
struct params {
	char text[2048];
	size_t len;
};

void params_put(struct params *p, const char *name, const char *value);	/* NULL values are left out */

#endif
