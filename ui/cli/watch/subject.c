#include "ui/cli/watch/subject.h"
#include "ui/cli/base/client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static size_t read_names(const json_t *array, char (*out)[NAME_MAX_LEN], size_t room)
{
	size_t n = json_array_size(array) < room ? json_array_size(array) : room;

	for (size_t i = 0; i < n; i++)
		snprintf(out[i], NAME_MAX_LEN, "%s", json_string_value(json_array_get(array, i)) ?: "");
	return n;
}

/* The fields of a key are those of the decomposition that are no measures. */
static void read_fields(const json_t *decomposition, struct subject *s)
{
	json_t *name;
	size_t i;

	json_array_foreach(decomposition, i, name)
		if (json_is_string(name) && s->n_fields < KEY_FIELDS_MAX &&
		    subject_measure(s, json_string_value(name)) < 0)
			snprintf(s->field[s->n_fields++], NAME_MAX_LEN, "%s", json_string_value(name));
}

static void put_title(const json_t *json, struct subject *s)
{
	const char *where = json_text(json, "predicate-text");
	size_t at;

	snprintf(s->title, sizeof(s->title), "%s.%s", json_text(json, "module"), json_text(json, "stat"));
	for (size_t i = 0; i < s->n_fields; i++) {
		at = strlen(s->title);
		snprintf(s->title + at, sizeof(s->title) - at, "%s%s", i ? ", " : " by ", s->field[i]);
	}
	at = strlen(s->title);
	if (*where)
		snprintf(s->title + at, sizeof(s->title) - at, " where %s", where);
}

static void read_sources(const json_t *sources, struct subject *s)
{
	json_t *source;
	size_t i;

	json_array_foreach(sources, i, source) {
		const char *state = json_text(source, "state"), *reason = json_text(source, "reason");

		s->n_sources++;
		s->n_active += !strcmp(state, "active") || !strcmp(state, "partial");
		if (*reason && !*s->trouble)
			snprintf(s->trouble, sizeof(s->trouble), "%.60s: %.180s", json_text(source, "source"), reason);
	}
}

static void read_trouble(const json_t *json, struct subject *s)
{
	if (!strcmp(json_text(json, "state"), "suspended"))
		snprintf(s->trouble, sizeof(s->trouble), "suspended: 'heatscope set %.20s --resume' resumes it, or "
			 "'heatscope on'", s->id);
	else if (!s->n_active && !*s->trouble)
		snprintf(s->trouble, sizeof(s->trouble), "no collector that measures it is connected");
}

int subject_read(const json_t *json, struct subject *ret_subject)
{
	struct subject s = { .slot_s = json_number_value(json_object_get(json, "granularity")) };

	snprintf(s.id, sizeof(s.id), "%s", json_text(json, "id"));
	s.n_measures = read_names(json_object_get(json, "measures"), s.measure, MEASURES_MAX);
	if (!*s.id || !s.n_measures || !(s.slot_s > 0) || !(s.slot_s <= 86400))
		return -EBADMSG;
	read_fields(json_object_get(json, "decomposition"), &s);
	put_title(json, &s);
	read_sources(json_object_get(json, "sources"), &s);
	read_trouble(json, &s);
	*ret_subject = s;
	return 0;
}

long subject_measure(const struct subject *s, const char *name)
{
	for (size_t i = 0; i < s->n_measures; i++)
		if (!strcmp(s->measure[i], name))
			return (long)i;
	return -1;
}
