#include "ui/cli/watch/event_stream.h"

#include <errno.h>
#include <string.h>

/* "name: value" of one line, in place; NULL: another field. */
static char *value_of(char *line, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(line, name, len) || line[len] != ':')
		return NULL;
	return line + len + 1 + (line[len + 1] == ' ');
}

/* One event's lines, NUL-terminated. */
static void report_event(const struct event_stream *e, char *block)
{
	const char *type = "message", *data = NULL;

	for (char *line; (line = strsep(&block, "\n")); ) {
		type = value_of(line, "event") ?: type;
		data = value_of(line, "data") ?: data;
	}
	if (data)
		e->on(e->arg, type, data);
}

int event_stream_push(struct event_stream *e, const void *data, size_t len)
{
	size_t from = 0;
	char *text, *end;

	bytes_put(&e->rest, data, len);
	if (e->rest.err || !e->rest.len)
		return e->rest.err;
	text = (char *)e->rest.data;
	while ((end = memmem(text + e->seen, e->rest.len - e->seen, "\n\n", 2))) {
		*end = 0;
		report_event(e, text + from);
		from = e->seen = (size_t)(end - text) + 2;
	}
	memmove(text, text + from, e->rest.len - from);
	e->rest.len -= from;
	e->seen = e->rest.len ? e->rest.len - 1 : 0;	/* the end may be cut in two */
	return e->rest.len > EVENT_BYTES_MAX ? -EMSGSIZE : 0;
}

void event_stream_fini(struct event_stream *e)
{
	bytes_fini(&e->rest);
	*e = (struct event_stream){ .on = e->on, .arg = e->arg };
}
