#include "ui/cli/base/selected.h"

#include "collector/core/show.h"
#include "ui/cli/base/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the length of the first key of the list, which ends at a comma without a backslash before it. */
static size_t key_length(const char *list)
{
	size_t len = 0;

	while (list[len] && list[len] != ',')
		len += list[len] == '\\' && list[len + 1] ? 2 : 1;
	return len;
}

static bool is_missing(struct client *c, const char *id, const char *key, const struct selection *s, const struct range *range)
{
	struct query_string p = { .len = 0 };
	json_t *reply;
	bool missing;

	range_put(range, &p);
	query_string_put(&p, "by", s->by);
	query_string_put(&p, "selected", key);
	if (inst_get(c, id, "/value/keys", &p, &reply))
		return false;
	missing = json_number(reply, "observed") > 0 && !json_array_size(json_object_get(reply, "keys"));
	json_decref(reply);
	return missing;
}

void selected_check(struct client *c, const char *command, const char *id, const struct selection *s, const struct range *range)
{
	const char *at = s->keys;

	while (at && *at) {
		size_t len = key_length(at);
		char *key = strndup(at, len);

		if (key && is_missing(c, id, key, s, range))
			show_print(stderr, "heatscope %s: no events of the key %s in this time; 'heatscope raw %s%s%s' lists the keys\n", command, key,
				   id, s->by ? " --by " : "", s->by ? s->by : "");
		free(key);
		at += len + (at[len] == ',');
	}
}
