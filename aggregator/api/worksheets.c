/* Serves /ca/worksheets: saved arrangements of maps. */
#include "aggregator/api/private.h"
#include "aggregator/api/reply.h"
#include "aggregator/worksheets/worksheets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char no_such[] = "there is no such worksheet";

static void refuse_worksheet(struct http_request *r, int err, const char *reason)
{
	reply_error(r, err, err == -ENOENT ? no_such : reason);
}

void api_worksheets_list(struct api *api, struct http_request *r, const struct where *w)
{
	reply_json(r, 200, worksheets_list(api->parts.worksheets), NULL);
}

void api_worksheets_show(struct api *api, struct http_request *r, const struct where *w)
{
	json_t *found = worksheets_find(api->parts.worksheets, w->word);

	if (found)
		reply_json(r, 200, found, NULL);
	else
		refuse_worksheet(r, -ENOENT, NULL);
}

/* ---- what changes ---- */

struct saving {
	struct worksheets *worksheets;
	struct http_request *request;
	unsigned status;		/* of the reply, if all goes well */
};

static void on_saved(void *arg, int err, const char *id)
{
	struct saving *s = arg;
	json_t *found = err ? NULL : worksheets_find(s->worksheets, id);
	char location[WORKSHEET_ID_MAX + 32];

	snprintf(location, sizeof(location), "/ca/worksheets/%s", id);
	if (found)
		reply_json(s->request, s->status, found, s->status == 201 ? location : NULL);
	else
		refuse_worksheet(s->request, err ? err : -ENOENT, NULL);	/* it may have been removed meanwhile */
	free(s);
}

typedef int (*save)(struct worksheets *w, const char *id, const json_t *given, struct saving *s, char *reason);

static int save_new(struct worksheets *w, const char *id, const json_t *given, struct saving *s, char *reason)
{
	return worksheets_add(w, given, on_saved, s, reason);
}

static int save_clone(struct worksheets *w, const char *id, const json_t *given, struct saving *s, char *reason)
{
	return worksheets_clone(w, id, given, on_saved, s, reason);
}

static int save_change(struct worksheets *w, const char *id, const json_t *given, struct saving *s, char *reason)
{
	return worksheets_change(w, id, given, on_saved, s, reason);
}

static void do_save(struct worksheets *worksheets, struct http_request *r, const char *id, unsigned status, save save)
{
	struct saving *s = malloc(sizeof(*s));
	char reason[REASON_MAX] = "";
	json_t *given = NULL;
	int err = s ? reply_object(r, &given, reason) : -ENOMEM;

	if (!err) {
		*s = (struct saving){ worksheets, r, status };
		err = save(worksheets, id, given, s, reason);
	}
	json_decref(given);
	if (err) {
		free(s);
		refuse_worksheet(r, err, reason);
	}
}

void api_worksheets_add(struct api *api, struct http_request *r, const struct where *w)
{
	do_save(api->parts.worksheets, r, "", 201, save_new);
}

void api_worksheets_clone(struct api *api, struct http_request *r, const struct where *w)
{
	do_save(api->parts.worksheets, r, w->word, 201, save_clone);
}

void api_worksheets_change(struct api *api, struct http_request *r, const struct where *w)
{
	do_save(api->parts.worksheets, r, w->word, 200, save_change);
}

static void on_removed(void *request, int err, const char *id)
{
	reply_gone(request, err);
}

void api_worksheets_remove(struct api *api, struct http_request *r, const struct where *w)
{
	char reason[REASON_MAX] = "";
	int err = worksheets_remove(api->parts.worksheets, w->word, on_removed, r, reason);

	if (err)
		refuse_worksheet(r, err, reason);
}
