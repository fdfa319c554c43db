#include "ui/cli/base/client.h"
#include "ui/cli/base/option_words.h"
#include "render/grid/zone.h"
#include "collector/core/refuse.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void reply_fini(struct reply *r)
{
	free(r->data);
	memset(r, 0, sizeof(*r));
}

size_t reply_put(char *data, size_t size, size_t n, void *reply)
{
	struct reply *r = reply;
	char *grown = realloc(r->data, r->len + size * n + 1);

	if (!grown)
		return 0;
	memcpy(grown + r->len, data, size * n);
	r->data = grown;
	r->len += size * n;
	r->data[r->len] = 0;
	return size * n;
}

const char *client_url_default(void)
{
	return access(CLIENT_SOCKET, R_OK | W_OK) ? CLIENT_URL : "unix:" CLIENT_SOCKET;
}

static void say_in_options(struct client *c, const char *said)
{
	snprintf(c->reason, sizeof(c->reason), "%s", said);
	option_words(c->reason, sizeof(c->reason));
}

/* The error sentence in the daemon's reply, if it has one. */
static void explain_reply(struct client *c, const char *method, const char *path, const struct reply *r)
{
	json_t *json = r->data ? json_loads(r->data, 0, NULL) : NULL;
	const char *said = json_string_value(json_object_get(json_object_get(json, "error"), "message"));

	if (said && r->status == 401)
		snprintf(c->reason, sizeof(c->reason), "%s (--token-file or HEATSCOPE_TOKEN_FILE says where it is)", said);
	else if (said)
		say_in_options(c, said);
	else
		snprintf(c->reason, sizeof(c->reason), "%s %s: heatscoped answered %ld", method, path, r->status);
	json_decref(json);
}

const char *client_place(const struct client *c, char ret_place[CLIENT_PLACE_MAX])
{
	const char *scheme = strstr(c->url, "://"), *host = scheme ? scheme + 3 : c->url;
	size_t len = strcspn(host, "/?#");

	while (strncmp(c->url, "unix:", 5) && memchr(host, '@', len)) {	/* a path may have one */
		const char *after = (const char *)memchr(host, '@', len) + 1;

		len -= (size_t)(after - host);
		host = after;
	}
	snprintf(ret_place, CLIENT_PLACE_MAX, "%.*s%s", scheme ? (int)(scheme + 3 - c->url) : 0, c->url, host);
	return ret_place;
}

/* The reason why no reply came. */
static int explain_failure(struct client *c, CURLcode code)
{
	static const char no_daemon[] = "is heatscoped running there? (--url or HEATSCOPE_URL says where)";
	char place[CLIENT_PLACE_MAX];

	if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
		return refuse_in(-EACCES, c->reason, sizeof(c->reason), "%s: %s; --cacert FILE names an authority to "
			"trust", client_place(c, place), curl_easy_strerror(code));
	return refuse_in(-ECONNREFUSED, c->reason, sizeof(c->reason), "%s: %s; %s", client_place(c, place),
		curl_easy_strerror(code), no_daemon);
}

static int check_url(struct client *c)
{
	char place[CLIENT_PLACE_MAX];

	if (!strncasecmp(c->url, "http://", 7) || !strncasecmp(c->url, "https://", 8) || (!strncmp(c->url, "unix:", 5) && c->url[5]))
		return 0;
	return refuse_in(-EPROTONOSUPPORT, c->reason, sizeof(c->reason), "%.200s: must be http://HOST:PORT, "
		"https://HOST:PORT or unix:PATH (--url or HEATSCOPE_URL)", client_place(c, place));
}

static int set_url(const struct client *c, CURL *curl, const char *path)
{
	bool is_socket = !strncmp(c->url, "unix:", 5);
	char *url;

	if (asprintf(&url, "%s%s", is_socket ? "http://localhost" : c->url, path) < 0)
		return -ENOMEM;
	if (is_socket)
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, c->url + 5);
	curl_easy_setopt(curl, CURLOPT_URL, url);	/* copies it */
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);	/* ".." is no way out of an id */
	free(url);
	return 0;
}

/* Refuses to send a token unencrypted to another machine. */
static int may_take_token(const char *url)
{
	static const char *const ours[] = { "localhost", "127.0.0.1", "[::1]" };
	char *scheme = NULL, *host = NULL;
	CURLU *parts = curl_url();
	int may = 0;

	if (parts && !curl_url_set(parts, CURLUPART_URL, url, 0) && !curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) &&
	    !curl_url_get(parts, CURLUPART_HOST, &host, 0)) {
		may = !strcmp(scheme, "https");
		for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
			may |= !strcmp(host, ours[i]);
	}
	curl_free(scheme);
	curl_free(host);
	curl_url_cleanup(parts);
	return may;
}

/* "Authorization: Bearer ..." from the token's file. */
static int add_token(struct client *c, struct curl_slist **headers)
{
	char place[CLIENT_PLACE_MAX], line[24 + 256 + 2] = "Authorization: Bearer ";
	size_t start = strlen(line);
	struct curl_slist *more;
	FILE *f;

	if (!c->token_file || !strncmp(c->url, "unix:", 5))
		return 0;
	if (!may_take_token(c->url))
		return refuse_in(-EPERM, c->reason, sizeof(c->reason), "%s: a token is sent over https or to this "
			"machine only", client_place(c, place));
	f = fopen(c->token_file, "re");
	if (!f || !fgets(line + start, sizeof(line) - start, f)) {
		snprintf(c->reason, sizeof(c->reason), "%s: %s", c->token_file, f ? "is empty" : strerror(errno));
		if (f)
			fclose(f);
		return -EINVAL;
	}
	fclose(f);
	line[strcspn(line, "\r\n")] = 0;
	more = curl_slist_append(*headers, line);
	*headers = more ? more : *headers;
	return more ? 0 : -ENOMEM;
}

static void set_options(const struct client *c, struct transfer *t)
{
	struct curl_slist *headers = t->headers;

	curl_easy_setopt(t->curl, CURLOPT_CUSTOMREQUEST, t->method);
	curl_easy_setopt(t->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(t->curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(t->curl, CURLOPT_CONNECTTIMEOUT, 5L);
	curl_easy_setopt(t->curl, CURLOPT_TIMEOUT, 120L);
	curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, reply_put);
	curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, &t->reply);
	if (t->body) {
		headers = curl_slist_append(headers, "Content-Type: application/json");
		curl_easy_setopt(t->curl, CURLOPT_POSTFIELDS, t->body);
	}
	if (c->cacert)
		curl_easy_setopt(t->curl, CURLOPT_CAINFO, c->cacert);
	curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, headers);
	t->headers = headers;
}

int client_prepare(struct client *c, const char *method, const char *path, const json_t *body,
		   struct transfer *ret_transfer)
{
	struct transfer *t = ret_transfer;
	struct curl_slist *headers = NULL;
	int err;

	*t = (struct transfer){ .curl = curl_easy_init(), .method = method, .path = strdup(path),
				.body = body ? json_dumps(body, JSON_COMPACT) : NULL };
	err = t->curl && t->path && (!body || t->body) ? 0 : -ENOMEM;
	if (!err)
		err = check_url(c);
	if (!err)
		err = add_token(c, &headers);
	t->headers = headers;
	if (!err)
		err = set_url(c, t->curl, path);
	if (err)
		transfer_fini(t);
	else
		set_options(c, t);
	return err;
}

int client_result(struct client *c, struct transfer *t, int code)
{
	if (code != CURLE_OK)
		return explain_failure(c, code);
	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &t->reply.status);
	if (t->reply.status >= 200 && t->reply.status <= 299)
		return 0;
	explain_reply(c, t->method, t->path, &t->reply);
	return t->reply.status == 404 ? -ENOENT : -EINVAL;
}

void transfer_fini(struct transfer *t)
{
	curl_slist_free_all(t->headers);
	curl_easy_cleanup(t->curl);
	free(t->body);
	free(t->path);
	reply_fini(&t->reply);
	memset(t, 0, sizeof(*t));
}

int client_request(struct client *c, const char *method, const char *path, const json_t *body, struct reply *ret_reply)
{
	struct transfer t;
	int err = client_prepare(c, method, path, body, &t);

	*ret_reply = (struct reply){ .len = 0 };
	if (err)
		return err;
	err = client_result(c, &t, curl_easy_perform(t.curl));
	if (!err) {
		*ret_reply = t.reply;
		t.reply = (struct reply){ .len = 0 };
	}
	transfer_fini(&t);
	return err;
}

int client_json(struct client *c, const char *method, const char *path, const json_t *body, json_t **ret_json)
{
	struct reply r;
	json_error_t error;
	int err = client_request(c, method, path, body, &r);

	*ret_json = NULL;
	if (err || !r.len) {
		reply_fini(&r);
		return err;
	}
	*ret_json = json_loadb(r.data, r.len, 0, &error);
	if (!*ret_json)
		err = refuse_in(-EBADMSG, c->reason, sizeof(c->reason), "%s: the reply is not JSON: %s", path,
			error.text);
	reply_fini(&r);
	return err;
}

void client_metric_name(const json_t *of, char *out, size_t room)
{
	snprintf(out, room, "%s.%s", json_text(of, "module"),
		 json_text(of, "stat"));
}

const json_t *client_metric(const json_t *catalogue, const char *metric)
{
	const json_t *one;
	char name[80];
	size_t i;

	json_array_foreach(json_object_get(catalogue, "metrics"), i, one) {
		client_metric_name(one, name, sizeof(name));
		if (!strcmp(name, metric))
			return one;
	}
	return NULL;
}

const json_t *client_field(const json_t *catalogue, const json_t *metric, const char *name)
{
	const json_t *own = json_object_get(json_object_get(metric, "own_fields"), name);

	return own ?: json_object_get(json_object_get(catalogue, "fields"), name);
}

const char *client_arity(const json_t *catalogue, const json_t *metric, const char *name)
{
	const char *type = json_string_value(json_object_get(client_field(catalogue, metric, name), "type"));
	const json_t *types = json_object_get(catalogue, "types");

	return json_string_value(json_object_get(json_object_get(types, type ?: ""), "arity")) ?: "";
}

void query_string_put_zone(struct query_string *p)
{
	__s64 now_s = time(NULL);
	struct zone here = zone_local(now_s, now_s);
	char offset[16];

	snprintf(offset, sizeof(offset), "%d", zone_offset(&here, now_s));
	query_string_put(p, "time_zone", *here.name ? here.name : NULL);
	query_string_put(p, "utc_offset", offset);
}

void query_string_put(struct query_string *p, const char *name, const char *value)
{
	char *escaped = value ? curl_easy_escape(NULL, value, 0) : NULL;
	int n;

	if (!escaped)
		return;
	n = snprintf(p->text + p->len, sizeof(p->text) - p->len, "%c%s=%s", p->len ? '&' : '?', name, escaped);
	if (n > 0 && (size_t)n < sizeof(p->text) - p->len)
		p->len += (size_t)n;
	else
		p->text[p->len] = 0;
	curl_free(escaped);
}
