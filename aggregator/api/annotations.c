/* Serves /ca/annotations: lists, makes and removes notes and firings. */
#include "aggregator/api/private.h"
#include "aggregator/annotations/annotations.h"
#include "aggregator/api/reply.h"
#include "aggregator/base/clock.h"
#include "aggregator/base/json_get.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define LIST_MOST 1000			/* the newest ones, in one reply */

static const char no_such[] = "there is no such annotation";

/* ---- listing ---- */

struct span {
	double from_s, to_s, inst;
};

static int read_span(const json_t *request, struct span *ret, char *reason)
{
	struct span span = { .to_s = ANNOTATIONS_TIME_MAX_S };
	int err = json_get_number(request, "start_time", 0, ANNOTATIONS_TIME_MAX_S, &span.from_s, reason);
	if (err >= 0)
		err = json_get_number(request, "end_time", 0, ANNOTATIONS_TIME_MAX_S, &span.to_s, reason);
	if (err >= 0)
		err = json_get_number(request, "instrumentation", 0, 1e15, &span.inst, reason);
	if (err >= 0 && span.to_s < span.from_s)
		err = refuse(reason, "\"end_time\" is before \"start_time\"");
	if (err < 0)
		return err;
	*ret = span;
	return 0;
}

static json_t *list_json(const struct annotation_list *all)
{
	json_t *list = json_array();

	for (size_t i = 0; all && i < all->n; i++)
		json_array_append_new(list, annotation_json(&all->item[i]));
	return list;
}

void api_annotations_list(struct api *api, struct http_request *r, const struct where *w)
{
	struct annotation_list *all = NULL;
	char reason[REASON_MAX] = "";
	json_t *request = NULL;
	struct span span;
	int err = reply_object(r, &request, reason);

	if (!err)
		err = read_span(request, &span, reason);
	if (!err)
		err = annotations_take(api->parts.services->annotations, (__u64)span.inst, (__s64)(span.from_s * 1e9), (__s64)(span.to_s * 1e9), LIST_MOST, &all);
	json_decref(request);
	if (err)
		reply_error(r, err, reason);
	else
		reply_json(r, 200, list_json(all), NULL);
	annotation_list_free(all);
}

void api_annotations_show(struct api *api, struct http_request *r, const struct where *w)
{
	const struct annotation *found = annotations_find(api->parts.services->annotations, w->id);

	if (found)
		reply_json(r, 200, annotation_json(found), NULL);
	else
		reply_error(r, -ENOENT, no_such);
}

/* ---- making and removing ---- */

struct adding {
	struct http_request *request;
	struct annotations *annotations;
	__u64 id;
};

static void on_added(void *arg, int err)
{
	struct adding *add = arg;
	const struct annotation *made = err ? NULL : annotations_find(add->annotations, add->id);
	char location[64];

	snprintf(location, sizeof(location), "/ca/annotations/%llu", (unsigned long long)add->id);
	if (made)
		reply_json(add->request, 201, annotation_json(made), location);
	else
		reply_error(add->request, err ? err : -ENOENT, err ? NULL : "it was removed meanwhile");
	free(add);
}

static int read_note(const struct api *api, struct http_request *r, struct annotation *ret, char *reason)
{
	json_t *request;
	int err = reply_object(r, &request, reason);

	if (err)
		return err;
	err = annotation_parse(request, now_ns(), ret, reason);
	json_decref(request);
	if (!err && ret->inst && !catalog_find(api->catalog, ret->inst))
		return refuse(reason, "there is no instrumentation %llu", (unsigned long long)ret->inst);
	return err;
}

void api_annotations_add(struct api *api, struct http_request *r, const struct where *w)
{
	char reason[REASON_MAX] = "";
	struct annotation note;
	struct adding *add = malloc(sizeof(*add));
	int err = add ? read_note(api, r, &note, reason) : -ENOMEM;

	if (!err) {
		*add = (struct adding){ .request = r, .annotations = api->parts.services->annotations };
		err = annotations_add(api->parts.services->annotations, &note, on_added, add, &add->id, reason);
	}
	if (err) {
		free(add);
		reply_error(r, err, reason);
	}
}

void api_annotations_remove(struct api *api, struct http_request *r, const struct where *w)
{
	const struct annotation *found = annotations_find(api->parts.services->annotations, w->id);
	int err = found ? 0 : -ENOENT;

	if (found && found->kind == ANNOTATION_ALERT && found->to_ns == ANNOTATION_OPEN) {
		reply_error(r, -EINVAL, "this alert is firing now; it can be removed when it is over");
		return;
	}
	if (!err)
		err = annotations_remove(api->parts.services->annotations, w->id, reply_gone, r);
	if (err)
		reply_error(r, err, err == -ENOENT ? no_such : NULL);
}
