#include "ui/cli/base/selected.h"

#include "collector/core/show.h"
#include "ui/cli/base/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_SHOWN 5			/* or six, instead of "and 1 more" */

/* Returns the length of the first key of the list, which ends at a comma without a backslash before it. */
static size_t key_length(const char *list)
{
	size_t len = 0;

	while (list[len] && list[len] != ',')
		len += list[len] == '\\' && list[len + 1] ? 2 : 1;
	return len;
}

/* Asks for the keys of the time, the most frequent first; selected: only this one, or NULL. */
static json_t *keys_read(struct client *c, const char *id, const char *selected, const struct selection *s, const struct range *range)
{
	struct query_string p = { .len = 0 };
	json_t *reply;

	range_put(range, &p);
	query_string_put(&p, "by", s->by);
	query_string_put(&p, "order", "count");
	query_string_put(&p, "selected", selected);
	return inst_get(c, id, "/value/keys", &p, &reply) ? NULL : reply;
}

static bool is_missing(struct client *c, const char *id, const char *key, const struct selection *s, const struct range *range)
{
	json_t *reply = keys_read(c, id, key, s, range);
	bool missing = json_number(reply, "observed") > 0 && !json_array_size(json_object_get(reply, "keys"));

	json_decref(reply);
	return missing;
}

static const char *key_at(const json_t *keys, size_t i)
{
	return json_text(json_array_get(keys, i), "key");
}

/* Writes "select, update and 3 more": as many as fit, at most KEYS_SHOWN, or one more instead of "and 1 more". */
static void keys_text(const json_t *keys, char *out, size_t room)
{
	static const size_t room_of_more = sizeof(" and 18446744073709551615 more");
	size_t n = json_array_size(keys), most = n > KEYS_SHOWN + 1 ? KEYS_SHOWN : n, at = 0, i = 0;

	*out = '\0';
	for (; i < most && at + strlen(key_at(keys, i)) + 2 + room_of_more < room; i++)
		at += (size_t)snprintf(out + at, room - at, "%s%s", i ? ", " : "", key_at(keys, i));
	if (n > i)
		snprintf(out + at, room - at, i ? " and %zu more" : "%zu keys", n - i);
}

void selected_check(struct client *c, const char *command, const char *id, const struct selection *s, const struct range *range)
{
	const char *at = s->keys;
	char keys[512] = "";

	while (at && *at) {
		size_t len = key_length(at);
		char *key = strndup(at, len);

		if (key && is_missing(c, id, key, s, range)) {
			json_t *reply = *keys ? NULL : keys_read(c, id, NULL, s, range);

			if (reply)
				keys_text(json_object_get(reply, "keys"), keys, sizeof(keys));
			json_decref(reply);
			show_print(stderr, *keys ? "heatscope %s: no events of the key %s in this time, which has %s\n" :
						   "heatscope %s: no events of the key %s in this time\n", command, key, keys);
		}
		free(key);
		at += len + (at[len] == ',');
	}
}
