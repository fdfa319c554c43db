#include "aggregator/http/accept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *format, *type;
} types[] = {
	{ "json", "application/json" }, { "png", "image/png" }, { "pdf", "application/pdf" }, { "svg", "image/svg+xml" },
	{ "folded", "text/plain" },
	{ "csv", "text/csv" },		/* no HTML: then every browser would get it where it shows a picture */
};

static const char *type_of(const char *format, size_t len)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i].format) == len && !strncmp(types[i].format, format, len))
			return types[i].type;
	return "";
}

/* Returns how closely a range names the type: 3 exactly, 2 as image/any, 1 as any, 0 not at all. */
static int type_closeness(const char *range, size_t len, const char *type)
{
	size_t group = strcspn(type, "/");

	if (len == strlen(type) && !strncasecmp(range, type, len))
		return 3;
	if (len == group + 2 && !strncasecmp(range, type, group + 1) && range[group + 1] == '*')
		return 2;
	return len == 3 && !strncmp(range, "*/*", 3);
}

/* Reads the ";q=" of a range; 1 if absent. */
static double type_quality(const char *parameters, size_t len)
{
	for (size_t i = 0; i + 2 < len; i++)
		if (parameters[i] == ';') {
			size_t at = i + 1 + strspn(parameters + i + 1, " \t");

			if (at + 1 < len && (parameters[at] == 'q' || parameters[at] == 'Q') && parameters[at + 1] == '=')
				return strtod(parameters + at + 2, NULL);
		}
	return 1;
}

/* Returns the quality that the closest range gives the type; 0: no range names it. */
static double quality_of(const char *accept, const char *type)
{
	int closest = 0;
	double q = 0;

	for (const char *at = accept + strspn(accept, " \t,"); *at; at += strspn(at, " \t,")) {
		size_t whole = strcspn(at, ","), len = strcspn(at, ";, \t");
		int close = type_closeness(at, len, type);

		if (close > closest) {
			closest = close;
			q = type_quality(at + len, whole - len);
		}
		at += whole;
	}
	return q;
}

int accept_choose(const char *accept, const char *formats, char *ret_format, size_t room)
{
	double best = 0;

	for (const char *at = formats; *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		double q = quality_of(accept, type_of(at, len));

		if (q > best && len < room) {
			best = q;
			snprintf(ret_format, room, "%.*s", (int)len, at);
		}
		at += len;
	}
	return best > 0;
}
