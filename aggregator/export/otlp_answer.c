#include "aggregator/export/otlp_answer.h"

#include "aggregator/export/otlp.pb-c.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Its first line; a byte that is no printable ASCII becomes a question mark. */
static void take_message(const char *text, size_t len, char out[OTLP_MESSAGE_MAX])
{
	size_t n = 0;

	while (len && strchr(" \t\r\n", *text)) {
		text++;
		len--;
	}
	for (; n < len && n < OTLP_MESSAGE_MAX - 1 && text[n] && text[n] != '\n' && text[n] != '\r'; n++)
		out[n] = (char)(text[n] >= ' ' && text[n] <= '~' ? text[n] : '?');
	out[n] = '\0';
}

static bool is_type(const char *type, const char *name) { return !strncasecmp(type, name, strlen(name)); }

/* A 64-bit integer of protobuf's JSON mapping: a text, or a number. */
static __u64 read_long(const json_t *json)
{
	long long n = json_is_string(json) ? strtoll(json_string_value(json), NULL, 10) : json_integer_value(json);

	return n > 0 ? (__u64)n : 0;
}

static void read_json(bool is_success, const void *body, size_t len, struct otlp_answer *a)
{
	json_t *all = json_loadb(body, len, JSON_REJECT_DUPLICATES, NULL);
	const json_t *partial = json_object_get(all, "partialSuccess"), *text;

	text = is_success ? json_object_get(partial, "errorMessage") : json_object_get(all, "message");
	a->is_readable = json_is_object(all);
	a->n_rejected = is_success ? read_long(json_object_get(partial, "rejectedDataPoints")) : 0;
	if (json_is_string(text))
		take_message(json_string_value(text), json_string_length(text), a->message);
	json_decref(all);
}

static void read_response(const void *body, size_t len, struct otlp_answer *a)
{
	Otlp__ExportResponse *r = otlp__export_response__unpack(NULL, len, body);
	const Otlp__PartialSuccess *partial = r ? r->partial_success : NULL;

	a->is_readable = r;
	if (partial && partial->rejected_data_points > 0)
		a->n_rejected = (__u64)partial->rejected_data_points;
	if (partial && partial->error_message)
		take_message(partial->error_message, strlen(partial->error_message), a->message);
	if (r)
		otlp__export_response__free_unpacked(r, NULL);
}

static void read_status(const void *body, size_t len, struct otlp_answer *a)
{
	Otlp__Status *s = otlp__status__unpack(NULL, len, body);

	a->is_readable = s;
	if (s && s->message)
		take_message(s->message, strlen(s->message), a->message);
	if (s)
		otlp__status__free_unpacked(s, NULL);
}

void otlp_answer_read(long status, const char *type, const void *body, size_t len, struct otlp_answer *ret_answer)
{
	bool is_success = status / 100 == 2;
	struct otlp_answer *a = ret_answer;

	*a = (struct otlp_answer){ .is_readable = true };
	if (!len)
		return;
	if (is_type(type, "application/json"))
		read_json(is_success, body, len, a);
	else if (is_type(type, "application/x-protobuf") && is_success)
		read_response(body, len, a);
	else if (is_type(type, "application/x-protobuf"))
		read_status(body, len, a);
	else if (is_success)
		a->is_readable = false;
	else if (is_type(type, "text/plain"))
		take_message(body, len, a->message);
}
