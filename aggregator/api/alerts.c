/* Serves /ca/alerts: lists, makes and removes rules, with their states. */
#include "aggregator/api/private.h"
#include "aggregator/api/reply.h"
#include "aggregator/base/clock.h"
#include "aggregator/notify/alerts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char no_such[] = "there is no such alert";

struct adding {
	struct http_request *request;
	struct alerts *alerts;
	__u64 id;
};

void api_alerts_list(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, alerts_json(api->parts.alerts), NULL);
}

void api_alerts_show(struct api *api, struct http_request *r, const struct where *w)
{
	json_t *one = alerts_one(api->parts.alerts, w->id);

	if (one)
		reply_json(r, 200, one, NULL);
	else
		reply_error(r, -ENOENT, no_such);
}

static void on_added(void *arg, int err)
{
	struct adding *add = arg;
	json_t *made = err ? NULL : alerts_one(add->alerts, add->id);
	char location[64];

	snprintf(location, sizeof(location), "/ca/alerts/%llu", (unsigned long long)add->id);
	if (made)
		reply_json(add->request, 201, made, location);
	else
		reply_error(add->request, err ? err : -ENOENT, err ? NULL : "it was removed meanwhile");
	free(add);
}

void api_alerts_add(struct api *api, struct http_request *r, const struct where *w)
{
	char reason[REASON_MAX] = "";
	json_t *request = NULL;
	struct adding *add = malloc(sizeof(*add));
	int err = add ? reply_object(r, &request, reason) : -ENOMEM;

	if (!err) {
		*add = (struct adding){ .request = r, .alerts = api->parts.alerts };
		err = alerts_add(api->parts.alerts, request, now_ns(), on_added, add, &add->id, reason);
	}
	json_decref(request);
	if (err) {
		free(add);
		reply_error(r, err, reason);
	}
}

void api_alerts_remove(struct api *api, struct http_request *r, const struct where *w)
{
	char reason[REASON_MAX] = "";
	int err = alerts_remove(api->parts.alerts, w->id, reply_gone, r, reason);

	if (err)
		reply_error(r, err, err == -ENOENT ? no_such : reason);
}
