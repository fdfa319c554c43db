/* client.h - sends requests to heatscoped over HTTP and reads the replies.
 *
 * Where   $HEATSCOPE_URL or --url: "http://127.0.0.1:23181", "https://db1.example:23181" or "unix:/path/to/socket".
 *         Without either: the socket of an installed heatscoped if this user may use it, else loopback.
 * Token   of --token-file or $HEATSCOPE_TOKEN_FILE.  It goes only to this machine, or over https.
 * Errors  0 or -errno, and a sentence in `reason`: the request, the daemon's error message if it sent one, and advice.
 * Memory  the caller frees replies and transfers (reply_fini, transfer_fini, json_decref).
 */
#ifndef HEATSCOPE_CLIENT_H
#define HEATSCOPE_CLIENT_H

#include <jansson.h>
#include <stddef.h>

#define CLIENT_URL "http://127.0.0.1:23181"
#define CLIENT_SOCKET "/run/heatscope/api.sock"

struct client {
	const char *url;
	const char *token_file;		/* NULL: no token */
	const char *cacert;		/* of the authorities to trust for https; NULL: the system's */
	char reason[512];
};

#define CLIENT_PLACE_MAX 256

/* Writes the client's URL as it may be shown: without a user and a password. */
const char *client_place(const struct client *c, char ret_place[CLIENT_PLACE_MAX]);

/* Returns the URL of heatscoped if neither an option nor the environment gives one. */
const char *client_url_default(void);

struct reply {
	char *data;			/* NUL-terminated */
	size_t len;
	long status;
};

void reply_fini(struct reply *r);

/* Sends a request and reads the reply.  Any reply of 200..299 is success; body may be NULL. */
int client_request(struct client *c, const char *method, const char *path, const json_t *body, struct reply *ret_reply);

/* The same, and parses the reply; *ret_json is NULL for an empty one. */
int client_json(struct client *c, const char *method, const char *path, const json_t *body, json_t **ret_json);

/* A request that the caller performs with curl itself, as it has several at a time (watch/call.h). */
struct transfer {
	void *curl, *headers;		/* CURL, struct curl_slist */
	char *body;
	const char *method;
	char *path;
	struct reply reply;
};

int client_prepare(struct client *c, const char *method, const char *path, const json_t *body,
		   struct transfer *ret_transfer);

/* Returns the outcome of the transfer; code: a CURLcode. */
int client_result(struct client *c, struct transfer *t, int code);

/* Appends a part of the reply: a CURLOPT_WRITEFUNCTION for &transfer.reply. */
size_t reply_put(char *data, size_t size, size_t n, void *reply);
void transfer_fini(struct transfer *t);

/* Writes "mysql.queries" into out, room bytes, cut if it is longer.  of: an instrumentation, or a metric of the
 * catalogue. */
void client_metric_name(const json_t *of, char *out, size_t room);

/* Returns the metric of the catalogue (GET /ca) with this name, such as "mysql.queries", borrowed.  NULL: there is no
 * such metric. */
const json_t *client_metric(const json_t *catalogue, const char *metric);

/* Returns the field of a metric in the catalogue: as the metric describes it, else the common description. */
const json_t *client_field(const json_t *catalogue, const json_t *metric, const char *name);

/* Returns "discrete" or "numeric"; "" if the catalogue does not say. */
const char *client_arity(const json_t *catalogue, const json_t *metric, const char *name);

/* Return a member of an object; "", 0: it has no such member of that type. */
static inline const char *json_text(const json_t *of, const char *name)
{
	return json_string_value(json_object_get(of, name)) ?: "";
}

static inline double json_number(const json_t *of, const char *name)
{
	return json_number_value(json_object_get(of, name));
}

/* A query string under construction: "?a=1&b=x%20y".  The longest parameter is a key, with all its bytes escaped. */
#define PARAMS_MAX 8192
struct query_string {
	char text[PARAMS_MAX];
	size_t len;
};

void query_string_put(struct query_string *p, const char *name, const char *value);	/* NULL values are left out */

/* Adds this process's time zone: its name where it is known, and its offset now. */
void query_string_put_zone(struct query_string *p);

#endif
