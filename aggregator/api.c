#include "api.h"
#include "resource.h"
#include "stream.h"
#include "value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each holds a copy of what it reads, megabytes for an hour of many keys. */
#define VALUES_MAX 64

struct api {
	struct aggregator *a;
	size_t n_values;		/* on their way */
	struct streams streams;
};

/* ---- replies ---- */

/* Takes the reference. */
static void reply_json(struct http_request *r, unsigned status, json_t *json, const char *location)
{
	char *text = json ? json_dumps(json, JSON_ENSURE_ASCII) : NULL, *line = NULL;
	int len = text ? asprintf(&line, "%s\n", text) : -1;

	free(text);
	json_decref(json);
	if (len < 0)
		http_error(r, 503, "ECA_NORESOURCE", "out of memory");
	else
		http_reply(r, status, "application/json", line, (size_t)len, location);
}

static void reply_error(struct http_request *r, int err, const char *reason)
{
	switch (err) {
	case -EINVAL: http_error(r, 409, "ECA_INVAL", reason && *reason ? reason : "not valid"); break;
	case -ENOENT: http_error(r, 404, "ECA_NOENT", "there is no such instrumentation"); break;
	case -ESHUTDOWN: http_error(r, 503, "ECA_NORESOURCE", "shutting down"); break;
	case -ENOMEM: http_error(r, 503, "ECA_NORESOURCE", "out of memory"); break;
	default: http_error(r, 500, "ECA_IO", reason && *reason ? reason : strerror(-err));
	}
}

static void reply_method(struct http_request *r, const char *allowed)
{
	char text[96];

	snprintf(text, sizeof(text), "method %.16s is not possible here; there is %s", http_method(r), allowed);
	http_error(r, 405, "ECA_INVAL", text);
}

/* ---- instrumentations ---- */

struct creation {			/* one in flight; its catalogue entry is looked up again after it */
	struct api *api;
	struct http_request *request;
};

static void on_created(void *arg, int err, const struct catalog_inst *made)
{
	struct creation *c = arg;
	char location[64];

	if (err) {
		reply_error(c->request, err, NULL);
	} else {
		snprintf(location, sizeof(location), "/ca/instrumentations/%llu", (unsigned long long)made->in.id);
		reply_json(c->request, 201, resource_instrumentation(c->api->a->catalog, made, now_ns()), location);
	}
	free(c);
}

/* The body's JSON object, or without a body the query string as an object of texts. */
static json_t *creation_json(struct http_request *r, char *reason)
{
	size_t len, n;
	const char *body = http_body(r, &len);
	const struct http_param *param = http_params(r, &n);
	json_error_t error;
	json_t *json;

	if (len) {
		json = json_loadb(body, len, JSON_REJECT_DUPLICATES, &error);
		if (!json)
			snprintf(reason, REASON_MAX, "the body is not JSON: %.160s (line %d, column %d)", error.text, error.line,
				 error.column);
		else if (!json_is_object(json))
			snprintf(reason, REASON_MAX, "the body must be a JSON object");
		else
			return json;
		json_decref(json);
		return NULL;
	}
	json = json_object();
	for (size_t i = 0; i < n; i++)
		if (json_object_set_new(json, param[i].name, json_string(param[i].value))) {
			snprintf(reason, REASON_MAX, "a parameter is not UTF-8: \"%.64s\"", param[i].name);
			json_decref(json);
			return NULL;
		}
	return json;
}

static void create(struct api *api, struct http_request *r)
{
	char reason[REASON_MAX] = "";
	json_t *json = creation_json(r, reason);
	struct creation *c = json ? malloc(sizeof(*c)) : NULL;
	int err = c ? 0 : *reason ? -EINVAL : -ENOMEM;

	if (!err) {
		*c = (struct creation){ api, r };
		err = catalog_create(api->a->catalog, json, now_ns(), on_created, c, reason);
	}
	json_decref(json);
	if (err) {
		free(c);
		reply_error(r, err, reason);
	}
}

static void on_deleted(void *request, int err)
{
	if (err)
		reply_error(request, err, NULL);
	else
		http_reply(request, 204, NULL, NULL, 0, NULL);
}

static void instrumentations(struct api *api, struct http_request *r)
{
	if (!strcmp(http_method(r), "GET"))
		reply_json(r, 200, resource_instrumentations(api->a->catalog, now_ns()), NULL);
	else if (!strcmp(http_method(r), "POST"))
		create(api, r);
	else
		reply_method(r, "GET and POST");
}

static void instrumentation(struct api *api, struct http_request *r, const struct catalog_inst *ci)
{
	int err;

	if (!strcmp(http_method(r), "GET")) {
		reply_json(r, 200, resource_instrumentation(api->a->catalog, ci, now_ns()), NULL);
	} else if (!strcmp(http_method(r), "DELETE")) {
		err = catalog_delete(api->a->catalog, ci->in.id, on_deleted, r);
		if (err)
			reply_error(r, err, NULL);
	} else {
		reply_method(r, "GET and DELETE");
	}
}

/* ---- values ---- */

struct errand {				/* one value in flight */
	struct api *api;
	struct http_request *request;
};

static void on_value(struct value *v, void *arg)
{
	struct errand *e = arg;
	struct http_request *request = e->request;

	e->api->n_values--;
	free(e);
	if (v->status == 200) {
		http_reply(request, 200, v->type, v->data, v->len, NULL);
		v->data = NULL;
	} else {
		http_error(request, v->status, v->code, v->reason);
	}
	value_free(v);
}

static void reply_value(struct api *api, struct http_request *r, const struct catalog_inst *ci, enum value_kind kind)
{
	char reason[PARAMS_REASON_MAX] = "";
	struct value *v;
	size_t n;
	const struct http_param *param = http_params(r, &n);
	struct errand *e = api->n_values < VALUES_MAX ? malloc(sizeof(*e)) : NULL;
	int err = e ? value_new(api->a, ci, kind, param, n, &v, reason) : -ENOMEM;

	if (err == -ENOMEM) {
		http_error(r, 503, "ECA_NORESOURCE", e ? "out of memory" : "too many values are on their way; try again");
	} else if (err) {
		reply_error(r, err, reason);
	} else {
		*e = (struct errand){ api, r };
		api->n_values++;
		value_run(v, on_value, e);
		return;
	}
	free(e);
}

static void reply_stream(struct api *api, struct http_request *r, const struct catalog_inst *ci)
{
	char reason[PARAMS_REASON_MAX] = "";
	int err = stream_open(&api->streams, r, ci, reason);

	if (err)
		reply_error(r, err, reason);
}

static const struct {
	const char *path;
	enum value_kind kind;
} values[] = {
	{ "raw", VALUE_RAW },
	{ "keys", VALUE_KEYS },
	{ "grid", VALUE_GRID },
	{ "stream", VALUE_STREAM },
	{ "report", VALUE_REPORT },
	{ "heatmap/image", VALUE_IMAGE },
	{ "heatmap/details", VALUE_DETAILS },
	{ "heatmap/figure", VALUE_FIGURE },
};

/* path: what follows .../value, without slashes around it. */
static void value(struct api *api, struct http_request *r, const struct catalog_inst *ci, const char *path)
{
	if (strcmp(http_method(r), "GET")) {
		reply_method(r, "GET");
		return;
	}
	if (!*path || !strcmp(path, "heatmap")) {
		reply_json(r, 200, *path ? resource_heatmaps(ci) : resource_values(ci), NULL);
		return;
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		if (strcmp(path, values[i].path))
			continue;
		if (values[i].kind == VALUE_STREAM)
			reply_stream(api, r, ci);
		else
			reply_value(api, r, ci, values[i].kind);
		return;
	}
	http_error(r, 404, "ECA_NOENT", "there is no such value; there are: raw, keys, grid, stream, report, heatmap");
}

/* ---- paths ---- */

/* Is this the path's next part?  Then *path moves behind it and its slash. */
static bool step(const char **path, const char *part)
{
	size_t len = strlen(part);

	if (strncmp(*path, part, len) || ((*path)[len] && (*path)[len] != '/'))
		return false;
	*path += len + ((*path)[len] == '/');
	return true;
}

/* The id that comes next; 0: none. */
static __u64 step_id(const char **path)
{
	size_t len = strspn(*path, "0123456789");
	__u64 id = 0;

	if (!len || len > 18 || ((*path)[len] && (*path)[len] != '/'))
		return 0;
	for (size_t i = 0; i < len; i++)
		id = 10 * id + (__u64)((*path)[i] - '0');
	*path += len + ((*path)[len] == '/');
	return id;
}

static void one_instrumentation(struct api *api, struct http_request *r, const char *path)
{
	const struct catalog_inst *ci = catalog_find(api->a->catalog, step_id(&path));

	if (!ci)
		reply_error(r, -ENOENT, NULL);
	else if (!*path)
		instrumentation(api, r, ci);
	else if (step(&path, "value"))
		value(api, r, ci, path);
	else
		http_error(r, 404, "ECA_NOENT", "there is no such resource");
}

static void route(struct api *api, struct http_request *r, const char *path)
{
	bool get = !strcmp(http_method(r), "GET");

	if (!*path && get)
		reply_json(r, 200, resource_catalogue(api->a->catalog), NULL);
	else if (step(&path, "instrumentations"))
		*path ? one_instrumentation(api, r, path) : instrumentations(api, r);
	else if (!strcmp(path, "admin/status") && get)
		reply_json(r, 200, resource_status(api->a), NULL);
	else if (!*path || !strcmp(path, "admin/status"))
		reply_method(r, "GET");
	else
		http_error(r, 404, "ECA_NOENT", "there is no such resource");
}

void api_handle(void *arg, struct http_request *r)
{
	char *path = strdup(http_path(r) + strlen("/ca"));
	size_t len = path ? strlen(path) : 0;

	if (len && path[len - 1] == '/')		/* a slash at the end is as none */
		path[len - 1] = 0;
	if (path)
		route(arg, r, *path == '/' ? path + 1 : path);
	else
		reply_error(r, -ENOMEM, NULL);
	free(path);
}

int api_new(struct aggregator *a, struct api **ret_api)
{
	struct api *api = calloc(1, sizeof(*api));

	if (!api)
		return -ENOMEM;
	api->a = a;
	streams_init(&api->streams, a);
	*ret_api = api;
	return 0;
}

void api_free(struct api *api)
{
	if (!api)
		return;
	streams_fini(&api->streams);
	free(api);
}
