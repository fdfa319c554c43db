#include "ui/cli/base/predicate.h"
#include "collector/core/where.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct typing {
	const json_t *catalogue;
	const json_t *metric;		/* NULL: not in the catalogue; the daemon will refuse it */
};

static const char *type_of(void *arg, const char *field)
{
	const struct typing *t = arg;
	const json_t *name;
	size_t i;

	json_array_foreach(json_object_get(t->metric, "fields"), i, name)
		if (!strcmp(json_string_value(name), field))
			return json_string_value(json_object_get(client_field(t->catalogue, t->metric, field), "type"));
	return t->metric ? NULL : "string";
}

int predicate_put(struct client *c, const char *metric, const char *where, const char *predicate, json_t *body)
{
	struct typing typing = { NULL, NULL };
	const struct where_fields fields = { type_of, &typing };
	json_t *catalogue, *json = NULL;
	char reason[WHERE_REASON];
	int err;

	if (predicate) {
		json = json_string(predicate);
		if (!json)
			snprintf(c->reason, sizeof(c->reason), "--predicate must be UTF-8");
		return json ? json_object_set_new(body, "predicate", json) : -EINVAL;
	}
	if (!where)
		return 0;
	err = client_json(c, "GET", "/ca", NULL, &catalogue);
	if (err)
		return err;
	typing = (struct typing){ catalogue, client_metric(catalogue, metric) };
	err = where_parse(where, &fields, &json, reason);
	if (err)
		snprintf(c->reason, sizeof(c->reason), "--where: %s", reason);
	else
		json_object_set_new(body, "predicate", json);
	json_decref(catalogue);
	return err;
}
