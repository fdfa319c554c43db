/* Serves /ca/instrumentations (make, clone, change, remove) and /ca/admin/measuring, which turns all of them off and
 * on. */
#include "aggregator/api/private.h"
#include "aggregator/api/reply.h"
#include "aggregator/base/clock.h"
#include "aggregator/catalog/request.h"
#include "aggregator/catalog/resource.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct creation {			/* a creation or change in flight; at the end the catalogue entry is looked up
					 * again */
	struct api *api;
	struct http_request *request;
};

static void reply_instrumentation(struct creation *c, int err, unsigned status, const struct catalog_inst *ci)
{
	char location[64];

	if (err) {
		reply_error(c->request, err, NULL);
	} else {
		snprintf(location, sizeof(location), "/ca/instrumentations/%llu", (unsigned long long)ci->in.id);
		reply_json(c->request, status, resource_instrumentation(c->api->catalog, ci, now_ns()),
			   status == 201 ? location : NULL);
	}
	free(c);
}

static void on_created(void *arg, int err, const struct catalog_inst *made)
{
	reply_instrumentation(arg, err, 201, made);
}

static void on_changed(void *arg, int err, const struct catalog_inst *changed)
{
	reply_instrumentation(arg, err, 200, changed);
}

enum deed { CREATE, CLONE, CHANGE };

static int do_deed(enum deed deed, struct catalog *catalog, __u64 id, const json_t *json, struct creation *c, char *reason)
{
	switch (deed) {
	case CREATE: return catalog_create(catalog, json, now_ns(), on_created, c, reason);
	case CLONE: return catalog_clone(catalog, id, json, now_ns(), on_created, c, reason);
	default: return catalog_change(catalog, id, json, on_changed, c, reason);
	}
}

static void ask_for(struct api *api, struct http_request *r, enum deed deed, __u64 id)
{
	const struct raw_input raw = reply_input(r);
	char reason[REASON_MAX] = "";
	json_t *json = NULL;
	struct creation *c = malloc(sizeof(*c));
	int err = c ? input_object(&raw, request_lists, &json, reason) : -ENOMEM;

	if (!err) {
		*c = (struct creation){ api, r };
		err = do_deed(deed, api->catalog, id, json, c, reason);
		json_decref(json);
	}
	if (err) {
		free(c);
		reply_error(r, err, reason);
	}
}

void api_instrumentations_create(struct api *api, struct http_request *r, const struct where *w)
{
	ask_for(api, r, CREATE, 0);
}

void api_instrumentations_clone(struct api *api, struct http_request *r, const struct where *w)
{
	ask_for(api, r, CLONE, w->inst->in.id);
}

void api_instrumentations_change(struct api *api, struct http_request *r, const struct where *w)
{
	ask_for(api, r, CHANGE, w->inst->in.id);
}

void api_instrumentations_erase(struct api *api, struct http_request *r, const struct where *w)
{
	char reason[REASON_MAX] = "";
	int err = catalog_check_free(api->catalog, w->inst, reason);

	if (!err)
		err = catalog_delete(api->catalog, w->inst->in.id, reply_gone, r);
	if (err)
		reply_error(r, err, reason);
}

void api_instrumentations_list(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, resource_instrumentations(api->catalog, now_ns()), NULL);
}

void api_instrumentations_show(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, resource_instrumentation(api->catalog, w->inst, now_ns()), NULL);
}

/* ---- everything off, and on again ---- */

void api_measuring_show(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, json_pack("{s:b}", "enabled", !catalog_is_off(api->catalog)), NULL);
}

static void on_switched(void *arg, int err)
{
	struct creation *c = arg;

	if (err)
		reply_error(c->request, err, NULL);
	else
		api_measuring_show(c->api, c->request, NULL);
	free(c);
}

static int want_enabled(const json_t *json, bool *ret_enabled, char *reason)
{
	const json_t *value = json_object_get(json, "enabled");
	const char *text = json_string_value(value);

	if (json_object_size(json) != 1 || (!json_is_boolean(value) && (!text || (strcmp(text, "true") && strcmp(text, "false")))))
		return refuse(reason, "it needs \"enabled\": true or false, and nothing else");
	*ret_enabled = text ? *text == 't' : json_is_true(value);
	return 0;
}

void api_measuring_switch(struct api *api, struct http_request *r, const struct where *w)
{
	const struct raw_input raw = reply_input(r);
	char reason[REASON_MAX] = "";
	struct creation *c = malloc(sizeof(*c));
	bool enabled;
	json_t *json = NULL;
	int err = c ? input_object(&raw, NULL, &json, reason) : -ENOMEM;

	if (!err)
		err = want_enabled(json, &enabled, reason);
	json_decref(json);
	if (!err) {
		*c = (struct creation){ api, r };
		err = catalog_set_off(api->catalog, !enabled, on_switched, c);
	}
	if (err) {
		free(c);
		reply_error(r, err, reason);
	}
}
