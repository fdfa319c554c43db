#include "collector/link_kind.h"

#include <string.h>

void link_close(struct link *l)
{
	l->kind->close(l);
}

int link_send_json(struct link *l, enum frame_type type, const json_t *json)
{
	return l->kind->send_json(l, type, json);
}

int link_send_batch(struct link *l, const struct bytes *frame)
{
	return l->kind->send_batch(l, frame);
}

int link_flush(struct link *l)
{
	return l->kind->flush ? l->kind->flush(l) : 0;
}

bool link_is_ready(const struct link *l)
{
	return !l->kind->is_ready || l->kind->is_ready(l);
}

const char *link_read_want(const void *data, size_t len, json_t **ret_want)
{
	json_t *json = json_loadb(data, len, 0, NULL);
	const char *aggregator = json_string_value(json_object_get(json, "aggregator")), *why = NULL;

	if (!json)
		why = "WANT is not JSON";
	else if (!aggregator || !*aggregator || strlen(aggregator) > 63)
		why = "WANT has no \"aggregator\" of 1 to 63 bytes";
	else if (!json_is_array(json_object_get(json, "instrumentations")))
		why = "WANT has no array \"instrumentations\"";
	if (why)
		json_decref(json);
	else
		*ret_want = json;
	return why;
}
