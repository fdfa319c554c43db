#include "client.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void reply_fini(struct reply *r)
{
	free(r->data);
	memset(r, 0, sizeof(*r));
}

static size_t reply_put(char *data, size_t size, size_t n, void *arg)
{
	struct reply *r = arg;
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

/* The daemon's own sentence, where there is one. */
static void explain(struct client *c, const char *method, const char *path, const struct reply *r)
{
	json_t *json = r->data ? json_loads(r->data, 0, NULL) : NULL;
	const char *said = json_string_value(json_object_get(json_object_get(json, "error"), "message"));

	if (said && r->status == 401)
		snprintf(c->reason, sizeof(c->reason), "%s (--token-file or HEATSCOPE_TOKEN_FILE says where it is)", said);
	else if (said)
		snprintf(c->reason, sizeof(c->reason), "%s", said);
	else
		snprintf(c->reason, sizeof(c->reason), "%s %s: heatscoped answered %ld", method, path, r->status);
	json_decref(json);
}

static int perform(struct client *c, CURL *curl, struct reply *r)
{
	static const char no_daemon[] = "is heatscoped running there? (--url or HEATSCOPE_URL says where)";
	CURLcode code = curl_easy_perform(curl);

	if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
		snprintf(c->reason, sizeof(c->reason), "%s: %s; --cacert FILE names an authority to trust", c->url,
			 curl_easy_strerror(code));
		return -EACCES;
	}
	if (code != CURLE_OK) {
		snprintf(c->reason, sizeof(c->reason), "%s: %s; %s", c->url, curl_easy_strerror(code), no_daemon);
		return -ECONNREFUSED;
	}
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &r->status);
	return 0;
}

static int check_url(struct client *c)
{
	if (!strncasecmp(c->url, "http://", 7) || !strncasecmp(c->url, "https://", 8) || (!strncmp(c->url, "unix:", 5) && c->url[5]))
		return 0;
	snprintf(c->reason, sizeof(c->reason), "%.200s: must be http://HOST:PORT, https://HOST:PORT or unix:PATH (--url or "
		 "HEATSCOPE_URL)", c->url);
	return -EPROTONOSUPPORT;
}

static void set_url(const struct client *c, CURL *curl, const char *path)
{
	char url[4096];

	if (!strncmp(c->url, "unix:", 5)) {
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, c->url + 5);
		snprintf(url, sizeof(url), "http://localhost%s", path);
	} else {
		snprintf(url, sizeof(url), "%s%s", c->url, path);
	}
	curl_easy_setopt(curl, CURLOPT_URL, url);
}

/* No token in the clear beyond this machine. */
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
	char line[24 + 256 + 2] = "Authorization: Bearer ";
	size_t start = strlen(line);
	struct curl_slist *more;
	FILE *f;

	if (!c->token_file || !strncmp(c->url, "unix:", 5))
		return 0;
	if (!may_take_token(c->url)) {
		snprintf(c->reason, sizeof(c->reason), "%s: a token is sent over https or to this machine only", c->url);
		return -EPERM;
	}
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

int client_request(struct client *c, const char *method, const char *path, const json_t *body, struct reply *ret_reply)
{
	struct curl_slist *headers = NULL;
	struct reply r = { 0 };
	char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	CURL *curl = curl_easy_init();
	int err = -ENOMEM;

	if (!curl || (body && !text))
		goto out;
	err = check_url(c);
	if (!err)
		err = add_token(c, &headers);
	if (err)
		goto out;
	set_url(c, curl, path);
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 5L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, 120L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, reply_put);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &r);
	if (text) {
		headers = curl_slist_append(headers, "Content-Type: application/json");
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, text);
	}
	if (c->cacert)
		curl_easy_setopt(curl, CURLOPT_CAINFO, c->cacert);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	err = perform(c, curl, &r);
	if (!err && (r.status < 200 || r.status > 299)) {
		explain(c, method, path, &r);
		err = r.status == 404 ? -ENOENT : -EINVAL;
	}
out:
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	free(text);
	if (err)
		reply_fini(&r);
	*ret_reply = r;
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
	if (!*ret_json) {
		snprintf(c->reason, sizeof(c->reason), "%s: the reply is not JSON: %s", path, error.text);
		err = -EBADMSG;
	}
	reply_fini(&r);
	return err;
}

void params_put(struct params *p, const char *name, const char *value)
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
