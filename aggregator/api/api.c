#include "aggregator/api/private.h"
#include "aggregator/api/reply.h"
#include "aggregator/base/clock.h"
#include "aggregator/catalog/conditions.h"
#include "aggregator/catalog/resource.h"
#include "aggregator/http/accept.h"
#include "aggregator/value/value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rest of the catalogue ---- */

static void get_catalogue(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, resource_catalogue(api->catalog), NULL);
}

static void get_old_metrics(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, resource_old_metrics(api->catalog), NULL);
}

static void get_old_types(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, resource_old_types(), NULL);
}

static void get_transformations(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, json_object(), NULL);
}

static void get_openapi(struct api *api, struct http_request *r, const struct where *w)
{
	char *text = strdup(openapi_text);

	if (text)
		http_reply(r, 200, "application/json", text, strlen(text), NULL);
	else
		reply_error(r, -ENOMEM, NULL);
}

static void get_sources(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, conditions_json(api->catalog, now_ns()), NULL);
}

static void get_status(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, api->parts.status(api->parts.status_arg), NULL);
}

static void get_value_list(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, resource_values(w->inst), NULL);
}

static void get_heatmap_list(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, resource_heatmaps(w->inst), NULL);
}

/* ---- values ---- */

/* If the request does not name a format, the Accept header decides. */
static int choose_format(struct http_request *r, enum value_kind_id kind, struct input *in, char *reason)
{
	const char *formats = params_formats(kind);
	char format[16];

	if (!formats || !accept_choose(http_header(r, "Accept"), formats, format, sizeof(format)))
		return 0;
	return input_default(in, "format", format, reason);
}

static void get_value(struct api *api, struct http_request *r, const struct where *w)
{
	struct raw_input raw = reply_input(r);
	char reason[PARAMS_REASON_MAX] = "";
	struct http_param query[HTTP_PARAMS_MAX];
	struct input in;
	int err;

	if (!strcmp(http_method(r), "GET")) {
		raw.n_query = params_known(raw.query, raw.n_query, query);
		raw.query = query;
	}
	err = input_read(&raw, &in, reason);

	if (!err) {
		err = choose_format(r, w->kind, &in, reason);
		if (err)
			input_fini(&in);
	}
	if (!err)
		err = series_open(&api->series, r, w->inst, w->kind, &in, reason);
	if (err)
		reply_error(r, err, reason);
}

static void get_stream(struct api *api, struct http_request *r, const struct where *w)
{
	char reason[PARAMS_REASON_MAX] = "";
	int err = stream_open(&api->streams, r, w->inst, reason);

	if (err)
		reply_error(r, err, reason);
}

static void get_views(struct api *api, struct http_request *r, const struct where *w)
{
	char reason[PARAMS_REASON_MAX] = "";
	int err = stream_open_views(&api->streams, r, reason);

	if (err)
		reply_error(r, err, reason);
}

/* ---- routes ---- */

#define ONE "instrumentations/:id"

static const struct route {
	struct api_route is;
	api_handler *handle;
} routes[] = {
	{ { "GET", "", false, 0 }, get_catalogue },
	{ { "GET", "metrics", false, 0 }, get_old_metrics },
	{ { "GET", "types", false, 0 }, get_old_types },
	{ { "GET", "transformations", false, 0 }, get_transformations },
	{ { "GET", "openapi.json", false, 0 }, get_openapi },
	{ { "GET", "stream", false, 0 }, get_views },
	{ { "GET", "sources", false, 0 }, get_sources },
	{ { "GET", "instrumentations", false, 0 }, api_instrumentations_list },
	{ { "POST", "instrumentations", false, 0 }, api_instrumentations_create },
	{ { "GET", ONE, false, 0 }, api_instrumentations_show },
	{ { "PUT", ONE, false, 0 }, api_instrumentations_change },
	{ { "DELETE", ONE, false, 0 }, api_instrumentations_erase },
	{ { "POST", ONE "/clone", false, 0 }, api_instrumentations_clone },
	{ { "GET", ONE "/value", false, 0 }, get_value_list },
	{ { "GET", ONE "/value/raw", true, VALUE_RAW }, get_value },
	{ { "GET", ONE "/value/keys", true, VALUE_KEYS }, get_value },
	{ { "GET", ONE "/value/grid", true, VALUE_GRID }, get_value },
	{ { "GET", ONE "/value/stream", true, VALUE_STREAM }, get_stream },
	{ { "GET", ONE "/value/report", true, VALUE_REPORT }, get_value },
	{ { "GET", ONE "/value/chart", true, VALUE_CHART }, get_value },
	{ { "GET", ONE "/value/explain", true, VALUE_EXPLAIN }, get_value },
	{ { "POST", ONE "/value/explain", true, VALUE_EXPLAIN }, get_value },
	{ { "GET", ONE "/value/exemplars", true, VALUE_EXEMPLARS }, get_value },
	{ { "GET", ONE "/value/flame", true, VALUE_FLAME }, get_value },
	{ { "GET", ONE "/value/multiples", true, VALUE_MULTIPLES }, get_value },
	{ { "GET", ONE "/value/composition", true, VALUE_COMPOSITION }, get_value },
	{ { "POST", ONE "/value/composition", true, VALUE_COMPOSITION }, get_value },
	{ { "GET", ONE "/value/compare", true, VALUE_COMPARE }, get_value },
	{ { "GET", ONE "/value/heatmap", false, 0 }, get_heatmap_list },
	{ { "GET", ONE "/value/heatmap/image", true, VALUE_IMAGE }, get_value },
	{ { "GET", ONE "/value/heatmap/details", true, VALUE_DETAILS }, get_value },
	{ { "GET", ONE "/value/heatmap/figure", true, VALUE_FIGURE }, get_value },
	{ { "GET", ONE "/value/heatmap/average", true, VALUE_AVERAGE }, get_value },
	{ { "GET", ONE "/value/heatmap/percentile", true, VALUE_PERCENTILE }, get_value },
	{ { "GET", "annotations", false, 0 }, api_annotations_list },
	{ { "POST", "annotations", false, 0 }, api_annotations_add },
	{ { "GET", "annotations/:annotation", false, 0 }, api_annotations_show },
	{ { "DELETE", "annotations/:annotation", false, 0 }, api_annotations_remove },
	{ { "GET", "alerts", false, 0 }, api_alerts_list },
	{ { "POST", "alerts", false, 0 }, api_alerts_add },
	{ { "GET", "alerts/:alert", false, 0 }, api_alerts_show },
	{ { "DELETE", "alerts/:alert", false, 0 }, api_alerts_remove },
	{ { "GET", "worksheets", false, 0 }, api_worksheets_list },
	{ { "POST", "worksheets", false, 0 }, api_worksheets_add },
	{ { "GET", "worksheets/:worksheet", false, 0 }, api_worksheets_show },
	{ { "PUT", "worksheets/:worksheet", false, 0 }, api_worksheets_change },
	{ { "DELETE", "worksheets/:worksheet", false, 0 }, api_worksheets_remove },
	{ { "POST", "worksheets/:worksheet/clone", false, 0 }, api_worksheets_clone },
	{ { "GET", "admin/status", false, 0 }, get_status },
	{ { "GET", "admin/measuring", false, 0 }, api_measuring_show },
	{ { "PUT", "admin/measuring", false, 0 }, api_measuring_switch },
};

#define N_ROUTES (sizeof(routes) / sizeof(*routes))

const struct api_route *api_route(size_t index)
{
	return index < N_ROUTES ? &routes[index].is : NULL;
}

/* ---- paths ---- */

/* Reads the id at *path; 0: not an id. */
static __u64 id_at(const char *path)
{
	size_t len = strspn(path, "0123456789");
	__u64 id = 0;

	if (!len || len > 18 || (path[len] && path[len] != '/'))
		return 0;
	for (size_t i = 0; i < len; i++)
		id = 10 * id + (__u64)(path[i] - '0');
	return id;
}

/* Does the path have that form?  :id, or : and any other word, matches any piece, which is copied to ret_word if it
 * fits. */
static bool path_is(const char *path, const char *form, char ret_word[WORD_MAX])
{
	while (*form) {
		if (*form == ':') {
			size_t len = strcspn(path, "/");

			if (!len)
				return false;
			snprintf(ret_word, WORD_MAX, "%.*s", len < WORD_MAX ? (int)len : 0, path);
			path += len;
			form += strcspn(form, "/");
		} else if (*path++ != *form++) {
			return false;
		}
	}
	return !*path;
}

/* Lists the methods that exist for that form of a path: "GET, PUT and DELETE". */
static void reply_method(struct http_request *r, const char *form)
{
	const char *method[4];
	char text[128];
	size_t n = 0, at;

	for (size_t i = 0; i < N_ROUTES; i++)
		if (!strcmp(routes[i].is.path, form) && n < 4)
			method[n++] = routes[i].is.method;
	at = (size_t)snprintf(text, sizeof(text), "method %.16s is not possible here; there is ", http_method(r));
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", !i ? "" : i + 1 < n ? ", " : " and ", method[i]);
	http_error(r, 405, "ECA_INVAL", text);
}

static void reply_nowhere(struct api *api, struct http_request *r, const char *path)
{
	const char *inst = strncmp(path, "instrumentations/", 17) ? NULL : path + 17;

	if (inst && !catalog_find(api->catalog, id_at(inst)))
		reply_error(r, -ENOENT, NULL);
	else if (inst && strstr(inst, "/value/"))
		http_error(r, 404, "ECA_NOENT", "there is no such value; GET .../value and .../value/heatmap list them");
	else if (!strcmp(path, "customers") || !strncmp(path, "customers/", 10))
		http_error(r, 404, "ECA_NOENT", "there are no customers here: this server has one scope, /ca");
	else
		http_error(r, 404, "ECA_NOENT", "there is no such resource");
}

/* It changes something, or is about alerts, whose state the leader has. */
static bool is_for_leader(const struct api_route *is)
{
	return !is->is_value && (strcmp(is->method, "GET") || !strncmp(is->path, "alerts", strlen("alerts")));
}

static void handle_route(struct api *api, struct http_request *r, const char *path)
{
	const struct route *there = NULL, *found = NULL;
	struct where w = { .word = "" };

	for (size_t i = 0; i < N_ROUTES && !found; i++) {
		if (!path_is(path, routes[i].is.path, w.word))
			continue;
		there = &routes[i];
		found = strcmp(http_method(r), there->is.method) ? NULL : there;
	}
	w.id = id_at(w.word);
	if (there && strstr(there->is.path, ":id"))
		catalog_touch(api->catalog, w.id, boot_ns());
	w.inst = catalog_find(api->catalog, w.id);
	if (!there) {
		reply_nowhere(api, r, path);
	} else if (strstr(there->is.path, ":id") && !w.inst) {
		reply_error(r, -ENOENT, NULL);
	} else if (!found) {
		reply_method(r, there->is.path);
	} else if (!api->parts.forward || !is_for_leader(&found->is) || !api->parts.forward(api->parts.forward_arg, r)) {
		w.kind = (enum value_kind_id)found->is.kind;
		found->handle(api, r, &w);
	}
}

/* ca/M.m.u */
static bool is_version(const char *text)
{
	unsigned major, minor, update;
	int end = 0;

	return !*text || (sscanf(text, "ca/%5u.%5u.%5u%n", &major, &minor, &update, &end) == 3 && !text[end] &&
			  !strpbrk(text, "+- "));
}

static void handle_ca(struct api *api, struct http_request *r)
{
	char *path = strdup(http_path(r) + strlen("/ca"));
	size_t len = path ? strlen(path) : 0;

	if (len && path[len - 1] == '/')		/* ignore a slash at the end */
		path[len - 1] = 0;
	if (!path)
		reply_error(r, -ENOMEM, NULL);
	else if (!is_version(http_header(r, "X-API-Version")))
		http_error(r, 409, "ECA_INVAL", "the header X-API-Version is invalid: it must be like ca/0.1.8");
	else
		handle_route(api, r, *path == '/' ? path + 1 : path);
	free(path);
}

void api_handle(void *arg, struct http_request *r)
{
	struct api *api = arg;

	if (!strcmp(http_path(r), "/metrics"))
		metrics_reply(&api->parts.metrics, r);
	else if (!strncmp(http_path(r), PROMQL_PATH, strlen(PROMQL_PATH)))
		promql_handle(&api->promql, r);
	else
		handle_ca(api, r);
}

int api_new(const struct api_parts *parts, struct api **ret_api)
{
	struct api *api = calloc(1, sizeof(*api));

	if (!api)
		return -ENOMEM;
	api->parts = *parts;
	api->catalog = parts->services->catalog;
	api->promql = (struct promql){ parts->services, parts->metrics.export };
	streams_init(&api->streams, parts->services);
	all_series_init(&api->series, parts->services, parts->held);
	*ret_api = api;
	return 0;
}

size_t api_active_bytes(const struct api *api)
{
	return api->streams.memory.bytes;
}

void api_close(struct api *api)
{
	if (api)
		all_series_hurry(&api->series);
}

void api_free(struct api *api)
{
	if (!api)
		return;
	streams_fini(&api->streams);
	all_series_fini(&api->series);
	free(api);
}
