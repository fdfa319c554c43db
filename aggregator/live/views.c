#include "aggregator/live/views.h"
#include "aggregator/params/params.h"
#include "collector/core/instrumentation.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ID_DIGITS 18

static int refuse_views(char *reason, const char *why)
{
	return refuse(reason, "value for parameter \"views\" is invalid: %s", why);
}

void views_fini(struct views *v)
{
	for (size_t i = 0; i < v->n; i++)
		input_fini(&v->view[i].in);
	v->n = 0;
}

/* "17" or 17 */
static __u64 id_of(const json_t *json)
{
	const char *text = json_string_value(json);

	if (json_is_integer(json))
		return json_integer_value(json) > 0 ? (__u64)json_integer_value(json) : 0;
	if (!text || !*text || strlen(text) > ID_DIGITS || text[strspn(text, "0123456789")])
		return 0;
	return strtoull(text, NULL, 10);
}

/* The other members are parameters, as in a body. */
static int read_params(json_t *view, const struct raw_input *common, struct input *ret_in, char *reason)
{
	struct raw_input raw = *common;
	char *text;
	int err;

	json_object_del(view, "instrumentation");
	text = json_dumps(view, 0);
	if (!text)
		return -ENOMEM;
	raw.body = text;
	raw.body_len = strlen(text);
	err = input_read(&raw, ret_in, reason);
	free(text);
	return err;
}

static int read_view(json_t *json, const struct raw_input *common, struct views *v, char *reason)
{
	__u64 id = id_of(json_object_get(json, "instrumentation"));
	int err;

	if (!json_is_object(json) || !id)
		return refuse_views(reason, "each entry must be an object with the id of an \"instrumentation\"");
	err = read_params(json, common, &v->view[v->n].in, reason);
	if (!err)
		v->view[v->n++].inst = id;
	return err;
}

static int read_all(const char *text, const struct raw_input *common, struct views *v, char *reason)
{
	json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *one;
	size_t i;
	int err = 0;

	if (!json_is_array(all) || !json_array_size(all) || json_array_size(all) > VIEWS_MAX)
		err = refuse_views(reason, "must be a JSON array of 1 to 128 objects");
	else
		json_array_foreach(all, i, one)
			err = err ?: read_view(one, common, v, reason);
	json_decref(all);
	return err;
}

int views_read(const struct http_param *param, size_t n_params, struct views *ret_views, char *reason)
{
	struct http_param *others = calloc(n_params + 1, sizeof(*others));
	struct raw_input common = { .query = others, .type = "application/json" };
	const char *text = NULL;
	int err = others ? 0 : -ENOMEM;

	for (size_t i = 0; i < n_params && !err; i++)
		if (!strcmp(param[i].name, "views")) {
			if (text)
				err = refuse_views(reason, "it is given more than once");
			text = param[i].value;
		} else {
			others[common.n_query++] = param[i];
		}
	common.n_query = params_known(others, common.n_query, others);
	if (!err && !text)
		err = refuse(reason, "it needs the parameter \"views\"");
	*ret_views = (struct views){ 0 };
	if (!err)
		err = read_all(text, &common, ret_views, reason);
	if (err)
		views_fini(ret_views);
	free(others);
	return err;
}
