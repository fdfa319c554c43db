#include "aggregator/notify/alert_payload.h"

#include "render/grid/annotation.h"
#include "render/encode/base64.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS 1000000000ll
#define LINK_S 900			/* the page shows at least this span */
#define LINK_MAX_S 86400		/* and at most this one */

void alert_payload_time(__s64 at_ns, char out[ALERT_PAYLOAD_TIME])
{
	__s64 ms = at_ns / 1000000;
	time_t s = (time_t)(ms / 1000);
	struct tm tm = { 0 };
	size_t len = gmtime_r(&s, &tm) ? strftime(out, ALERT_PAYLOAD_TIME, "%Y-%m-%dT%H:%M:%S", &tm) : 0;

	snprintf(out + len, ALERT_PAYLOAD_TIME - len, ".%03dZ", (int)(ms % 1000));
}

static json_t *number_or_null(double n)
{
	return isfinite(n) ? json_real(n) : json_null();
}

static json_t *time_or_null(__s64 at_ns)
{
	char text[ALERT_PAYLOAD_TIME];

	alert_payload_time(at_ns, text);
	return at_ns == ANNOTATION_OPEN ? json_null() : json_string(text);
}

static json_t *id_or_null(__u64 id)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)id);
	return id ? json_string(text) : json_null();
}

/* Links to the page, which stands still at the end of a span. */
static json_t *link_to(const char *page_url, __u64 inst, __s64 span_s, __s64 end_s)
{
	char *text;
	int len;
	json_t *json;

	if (!*page_url)
		return json_null();
	len = asprintf(&text, "%s%s#inst=%llu&duration=%lld&end=%lld", page_url, page_url[strlen(page_url) - 1] == '/' ? "" : "/",
		       (unsigned long long)inst, (long long)(span_s > LINK_MAX_S ? LINK_MAX_S : span_s), (long long)end_s);
	json = len < 0 ? NULL : json_string(text);
	if (len >= 0)
		free(text);
	return json;
}

/* The span ends some minutes after it began to fire; if it has ended, some minutes after its end. */
static json_t *link_json(const struct alert_payload *n)
{
	__s64 to_ns = n->to_ns == ANNOTATION_OPEN ? n->from_ns : n->to_ns;

	return link_to(n->page_url, n->rule->inst, (to_ns - n->from_ns) / NS + LINK_S, to_ns / NS + LINK_S / 3);
}

/* If the instrumentation is no longer observed, it is unknown whether the problem is over. */
static const char *how_it_ended(const struct alert_payload *n)
{
	if (n->to_ns == ANNOTATION_OPEN)
		return "";
	if (!strcmp(n->state, alert_state_name(ALERT_NO_DATA)))
		return " is not observed any more";
	return strcmp(n->state, "removed") ? " is over" : " is removed";
}

static json_t *text_json(const struct alert_payload *n)
{
	char text[ALERT_NAME_MAX + 512];

	snprintf(text, sizeof(text), "%s%s: %s", n->rule->name, how_it_ended(n), n->sentence);
	return json_string(text);
}

json_t *alert_payload_json(const struct alert_payload *n)
{
	bool fires = n->to_ns == ANNOTATION_OPEN;
	json_t *json = json_pack("{s:i, s:s, s:o, s:o, s:s, s:s, s:s}", "version", 1, "status", fires ? "firing" : "resolved",
				 "text", text_json(n), "alert", id_or_null(n->id), "name", n->rule->name, "state", n->state,
				 "sentence", n->sentence);

	if (!json)
		return NULL;
	json_object_set_new(json, "instrumentation", id_or_null(n->rule->inst));
	json_object_set_new(json, "metric", json_string(n->metric));
	json_object_set_new(json, "measure", json_string(n->measure));
	json_object_set_new(json, "unit", json_string(n->unit));
	json_object_set_new(json, "key", json_string(n->rule->key));
	json_object_set_new(json, "value", number_or_null(n->value));
	json_object_set_new(json, "limit", number_or_null(n->limit));
	json_object_set_new(json, "from", time_or_null(n->from_ns));
	json_object_set_new(json, "to", time_or_null(n->to_ns));
	json_object_set_new(json, "from_ns", json_integer(n->from_ns));
	json_object_set_new(json, "to_ns", fires ? json_null() : json_integer(n->to_ns));
	json_object_set_new(json, "annotation", id_or_null(n->annotation));
	if (json_object_set_new(json, "link", link_json(n))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

int alert_payload_picture(json_t *payload, const void *png, size_t len, __s64 from_ns, __s64 to_ns, const char *why_not)
{
	char *text = png ? base64_text(png, len) : NULL;
	json_t *picture;

	if (!png)
		return json_object_set_new(payload, "picture", json_pack("{s:s}", "reason", why_not)) ? -ENOMEM : 0;
	picture = json_pack("{s:s, s:o, s:o, s:s}", "type", "image/png", "from", time_or_null(from_ns), "to", time_or_null(to_ns), "base64",
			    text ? text : "");
	free(text);
	if (text)
		return json_object_set_new(payload, "picture", picture) ? -ENOMEM : 0;
	json_decref(picture);
	return -ENOMEM;
}

json_t *report_payload_json(const struct report_payload *n)
{
	char from[ALERT_PAYLOAD_TIME], to[ALERT_PAYLOAD_TIME], text[512], metric[2 * NAME_MAX_LEN + 1];
	char *base64 = base64_text(n->data, n->len);
	json_t *json;

	alert_payload_time(n->from_ns, from);
	alert_payload_time(n->to_ns, to);
	snprintf(text, sizeof(text), "%s: %s, %s to %s", n->report, n->instrumentation, from, to);
	snprintf(metric, sizeof(metric), "%s.%s", n->module, n->stat);
	json = json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:I, s:I, s:o, s:{s:s, s:s}}", "version", 1, "status", "report",
			 "text", text, "report", n->report, "name", n->instrumentation, "instrumentation", id_or_null(n->inst), "metric", metric,
			 "from", from, "to", to, "from_ns", (json_int_t)n->from_ns, "to_ns", (json_int_t)n->to_ns, "link",
			 link_to(n->page_url, n->inst, (n->to_ns - n->from_ns) / NS, n->to_ns / NS), "document", "type", n->type, "base64",
			 base64 ? base64 : "");
	free(base64);
	if (base64)
		return json;
	json_decref(json);
	return NULL;
}
