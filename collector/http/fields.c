#include "collector/http/fields.h"
#include "collector/http/http.h"
#include "collector/core/slice.h"
#include "collector/server/exchange_metric.h"

#include <stdio.h>
#include <string.h>

static const struct field fields[] = {
	TURN_DISCRETE("method", "method"),
	TURN_DISCRETE("path", "path without numbers and ids"),
	TURN_DISCRETE("status", "status"),
	TURN_DISCRETE("class", "class of status"),
	TURN_DISCRETE("host", "host asked for"),
	TURN_FIELDS
};

const struct metric http_metric = {
	"http", "requests", "HTTP requests", "requests", fields, sizeof(fields) / sizeof(fields[0]),
	SCOPE_INTERVAL, "age", TURN_WEIGHTS, "path"
};

static const char *const method_names[N_METHODS] = {
	[METHOD_NONE] = "none", [METHOD_ENCRYPTED] = "encrypted", [METHOD_OPAQUE] = "opaque", [METHOD_OTHER] = "other",
	[METHOD_GET] = "GET", [METHOD_HEAD] = "HEAD", [METHOD_POST] = "POST", [METHOD_PUT] = "PUT", [METHOD_DELETE] = "DELETE",
	[METHOD_CONNECT] = "CONNECT", [METHOD_OPTIONS] = "OPTIONS", [METHOD_TRACE] = "TRACE", [METHOD_PATCH] = "PATCH",
	[METHOD_PROPFIND] = "PROPFIND", [METHOD_MKCOL] = "MKCOL", [METHOD_COPY] = "COPY", [METHOD_MOVE] = "MOVE",
	[METHOD_LOCK] = "LOCK", [METHOD_UNLOCK] = "UNLOCK", [METHOD_REPORT] = "REPORT", [METHOD_SEARCH] = "SEARCH",
	[METHOD_PURGE] = "PURGE",
};

const struct field_codes http_method_codes = CODES_NAMES(method_names, METHOD_OTHER);

static const char *const class_names[] = {
	[STATUS_UNKNOWN] = "unknown", "1xx", "2xx", "3xx", "4xx", "5xx", "6xx", "7xx", "8xx", "9xx",
};

const struct field_codes http_class_codes = CODES_NAMES(class_names, STATUS_UNKNOWN);

/* ---- status ---- */

static void status_label(__u64 code, char *out)
{
	if (code == STATUS_UNKNOWN)
		snprintf(out, LABEL_MAX + 1, "unknown");
	else
		snprintf(out, LABEL_MAX + 1, "%u", (unsigned)code);
}

static int status_codes(const char *text, __u64 *ret_code, size_t max)
{
	__u64 status = STATUS_UNKNOWN;

	if (strlen(text) == 3 && strspn(text, "0123456789") == 3)
		status = (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
	else if (strcmp(text, "unknown"))
		return 0;
	return codes_one(status, ret_code, max);
}

const struct field_codes http_status_codes = { .label = status_label, .codes = status_codes };
