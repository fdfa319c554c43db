/* Reads the reports of a configuration file: what each draws, when, and where it goes. */
#include "aggregator/conf/private.h"

#include "aggregator/base/json_get.h"
#include "aggregator/params/params.h"
#include "aggregator/notify/report_file.h"
#include "collector/core/instrumentation.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KEEP_MAX 10000
#define WORD 20

#define TEXT(name, flags, most) CYAML_FIELD_STRING_PTR(#name, CYAML_FLAG_POINTER | (flags), struct said_report, name, 1, most)

static const cyaml_schema_value_t name_schema = { CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CONF_NAME_MAX - 1) };

static const cyaml_schema_field_t fields[] = {
	TEXT(name, 0, CONF_NAME_MAX - 1), TEXT(every, 0, WORD), TEXT(at, CYAML_FLAG_OPTIONAL, WORD), TEXT(range, CYAML_FLAG_OPTIONAL, WORD),
	TEXT(format, CYAML_FLAG_OPTIONAL, WORD), TEXT(to, CYAML_FLAG_OPTIONAL, PATH_MAX - 1), TEXT(webhook, CYAML_FLAG_OPTIONAL, CONF_NAME_MAX - 1),
	CYAML_FIELD_UINT_PTR("keep", MAY, struct said_report, keep),
	CYAML_FIELD_SEQUENCE_COUNT("instrumentations", CYAML_FLAG_POINTER, struct said_report, instrumentations, n_instrumentations, &name_schema, 1,
				   CONF_REPORT_INSTS),
	CYAML_FIELD_END,
};
const cyaml_schema_value_t conf_report_schema = { CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct said_report, fields) };

/* "90min", "6h", "1d", "2w" */
static int read_range(const char *text, unsigned *ret_s, char *reason)
{
	static const struct { const char *name; unsigned s; } units[] = { { "min", 60 }, { "h", 3600 }, { "d", 86400 }, { "w", 604800 } };
	unsigned n;
	char unit[4] = "";
	int end = 0;

	if (!text)
		return 0;
	/* %u takes -5, too */
	if (*text >= '0' && *text <= '9' && sscanf(text, "%3u%3[a-z]%n", &n, unit, &end) == 2 && !text[end] && n)
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (!strcmp(unit, units[i].name)) {
				*ret_s = n * units[i].s;
				return 0;
			}
	return refuse(reason, "value \"%.20s\" for \"range\" is invalid: like 90min, 6h, 1d or 2w", text);
}

static int check_format(const char *format, char *reason)
{
	const char *formats = params_formats(VALUE_REPORT), *at = strstr(formats, format);
	size_t len = strlen(format);

	if (at && !strchr(format, ' ') && (at == formats || at[-1] == ' ') && (!at[len] || at[len] == ' '))
		return 0;
	return refuse(reason, "value \"%.20s\" for \"format\" is invalid: must be one of: %s", format, formats);
}

static int check_places(const struct said_report *s, char *reason)
{
	const char *why = !s->to && !s->webhook ? "it has no destination: give `to`, a folder, or `webhook`" :
			  s->to && *s->to != '/' ? "`to` must be the whole path of a folder, from / on" :
			  !s->to && s->keep ? "`keep` counts files: give `to`, a folder" :
			  !json_get_is_line(s->name) || *s->name == '.' || strchr(s->name, '/') ? "its name is part of files' names: no / and no control character" :
			  s->keep && (*s->keep < 1 || *s->keep > KEEP_MAX) ? "value for \"keep\" is invalid: 1 to 10000 files" : NULL;

	if (why)
		snprintf(reason, REASON_MAX, "%s", why);
	return why ? -EINVAL : 0;
}

static int take_instrumentations(const struct said_report *s, const struct conf *conf, struct conf_report *r, char *reason)
{
	int err = 0;

	for (unsigned i = 0; i < s->n_instrumentations && !err; i++) {
		err = conf_check_instrumentation(conf, s->instrumentations[i], reason);
		snprintf(r->instrumentation[i], sizeof(r->instrumentation[i]), "%s", s->instrumentations[i]);
	}
	r->n_instrumentations = s->n_instrumentations;
	return err;
}

static int take_one(const struct said_report *s, const struct conf *conf, struct conf_report *r, char *reason)
{
	const char *format = s->format ? s->format : "pdf";
	int err = check_places(s, reason);

	if (!err)
		err = schedule_parse(s->every, s->at, &r->when, reason);
	if (!err)
		err = read_range(s->range, &r->range_s, reason);
	if (!err)
		err = check_format(format, reason);
	if (!err)
		err = take_instrumentations(s, conf, r, reason);
	if (!err)
		err = conf_check_webhook(conf, s->webhook, reason);
	if (err)
		return err;
	snprintf(r->name, sizeof(r->name), "%s", s->name);
	snprintf(r->format, sizeof(r->format), "%s", format);
	snprintf(r->to, sizeof(r->to), "%s", s->to ? s->to : "");
	snprintf(r->webhook, sizeof(r->webhook), "%s", s->webhook ? s->webhook : "");
	r->keep = s->keep ? *s->keep : 0;
	return 0;
}

static size_t folder_len(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

static bool same_folder(const char *a, const char *b)
{
	size_t len = folder_len(a);

	return len == folder_len(b) && !memcmp(a, b, len);
}

static bool same_files(const struct conf_report *a, size_t i, const struct conf_report *b, size_t j)
{
	char stem[2][REPORT_FILE_STEM];

	report_file_stem(a->name, a->instrumentation[i], stem[0]);
	report_file_stem(b->name, b->instrumentation[j], stem[1]);
	return same_folder(a->to, b->to) && !strcmp(a->format, b->format) && !strcmp(stem[0], stem[1]);
}

/* Are the names of its files different from those of a?  a: an earlier report, or the report itself. */
static int check_files(const struct conf_report *a, const struct conf_report *r, char *reason)
{
	for (size_t i = 0; *r->to && i < a->n_instrumentations; i++)
		for (size_t j = a == r ? i + 1 : 0; j < r->n_instrumentations; j++)
			if (same_files(a, i, r, j))
				return refuse(reason, "the file of \"%s\" in \"%s\" has the same name as that of "
					"\"%s\" in \"%s\": give one another name",
					      r->instrumentation[j], r->name, a->instrumentation[i], a->name);
	return 0;
}

int conf_take_reports(const struct said_report *said, unsigned n, const char *path, struct conf *conf, char *reason)
{
	char why[REASON_MAX] = "";
	unsigned line[CONF_REPORTS_MAX];
	int err = 0;

	conf->n_reports = n;
	conf_entry_lines(path, "reports", n, line);
	for (unsigned i = 0; i < n && !err; i++) {
		conf->report[i].line = line[i];
		err = take_one(&said[i], conf, &conf->report[i], why);
		if (!err)
			err = conf_check_new(conf->report[0].name, sizeof(conf->report[0]), i, line, why);
		for (unsigned j = 0; j <= i && !err; j++)
			err = check_files(&conf->report[j], &conf->report[i], why);
		if (err)
			snprintf(reason, CONF_REASON_MAX, "the report at line %u: %s", line[i], why);
	}
	return err;
}
