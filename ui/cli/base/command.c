#include "ui/cli/base/command.h"
#include "collector/core/saturating.h"
#include "render/grid/axis.h"
#include "ui/cli/base/output.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

error_t take_one(int key, char *arg, struct argp_state *state, const char **ret_arg)
{
	if (key != ARGP_KEY_ARG && key != ARGP_KEY_NO_ARGS)
		return ARGP_ERR_UNKNOWN;
	if (key == ARGP_KEY_NO_ARGS || state->arg_num || !*arg)
		argp_usage(state);
	*ret_arg = arg;
	return 0;
}

long take_number(struct argp_state *state, const char *name, const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || n < 1 || n > 1000000000)
		argp_error(state, "--%s: \"%s\" is not a number from 1 on", name, text);
	return n;
}

int failed(const char *command, const char *reason)
{
	show_print(stderr, "heatscope %s: %s\n", command, reason);
	return 1;
}

void put_json(const json_t *json, size_t flags)
{
	char *text = json_dumps(json, flags | JSON_REAL_PRECISION(15));	/* 0.99, not 0.98999999999999999 */

	if (text)
		output_put(stdout, "json", text, strlen(text));
	putchar('\n');
	free(text);
}

int print_json(json_t *json)
{
	put_json(json, JSON_INDENT(2));
	json_decref(json);
	return 0;
}

int print_reply(json_t *json, int as_json, void (*print)(const json_t *json))
{
	if (as_json)
		return print_json(json);
	print(json);
	json_decref(json);
	return 0;
}

void print_id(const json_t *made)
{
	show_print(stdout, "%s\n", json_text(made, "id"));
}

const char *time_text(double ns, char out[32])
{
	static const struct { double ns; const char *name; } unit[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" },
	};
	size_t i = 0;

	if (ns >= 86400e9) {
		axis_format(ns, AXIS_NS, out);
		return out;
	}
	while (i < 3 && ns < unit[i].ns)
		i++;
	ns /= unit[i].ns;
	snprintf(out, 32, "%.*f %s", i == 3 || ns >= 100 ? 0 : ns >= 10 ? 1 : 2, ns, unit[i].name);
	return out;
}

/* Writes three digits, with the power of 1000 that they need. */
static const char *scaled_text(double value, const char *gap, const char *unit, char out[32])
{
	static const char *const power[] = { "", "k", "M", "G", "T", "P" };
	size_t i = 0;

	while (i < 5 && value >= 999.5) {
		value /= 1000;
		i++;
	}
	snprintf(out, 32, "%.3g%s%s%s", value, gap, power[i], unit);
	return out;
}

const char *percentile_text(double value, double least, const char *unit, char out[32])
{
	char text[32];

	if (!(value > 0 && value < least))
		return value_text(value, unit, out);
	snprintf(out, 32, "< %.28s", value_text(least, unit, text));
	return out;
}

const char *value_text(double value, const char *unit, char out[32])
{
	char text[32];

	if (saturated(value)) {
		snprintf(out, 32, "≥ %.24s", value_text(0x1p64 - 2048, unit, text));
		return out;
	}
	if (!unit || !strcmp(unit, "ns"))
		return time_text(value, out);
	if (!strcmp(unit, "bytes"))
		return scaled_text(value, " ", "B", out);
	if (!strcmp(unit, "bytes/s"))
		return scaled_text(value, " ", "B/s", out);
	if (!strcmp(unit, "/s"))
		return scaled_text(value, "", "/s", out);
	if (!*unit && value >= 10000)
		return scaled_text(value, "", "", out);
	snprintf(out, 32, "%.4g%s%s", value, *unit ? " " : "", unit);
	return out;
}

const char *no_events_text(const json_t *reply)
{
	return json_number(reply, "observed") > 0 ? "no events in this time" : "not observed: no collector reported in this time";
}

void print_notes(const json_t *reply)
{
	double lost = json_number(reply, "lost");

	if (lost > 0)
		show_print(stdout, "%.0f events were lost in this time\n", lost);
	if (json_object_get(reply, "sampled"))
		show_print(stdout, "events were sampled, at worst one in %.0f\n", json_number(reply, "sampled"));
	if (json_is_true(json_object_get(reply, "dropped")))
		show_print(stdout, "some of the data are not kept any more\n");
	if (json_is_true(json_object_get(reply, "lower_bound")))
		show_print(stdout, "more keys than the limit: the rest is in `other`, and each value's count is a "
			"lower bound\n");
}

const char *list_text(const json_t *array, char *out, size_t room)
{
	size_t i, at = 0;
	json_t *value;

	out[0] = 0;
	json_array_foreach(array, i, value)
		if (at < room)
			at += (size_t)snprintf(out + at, room - at, "%s%s", at ? ", " : "", json_string_value(value));
	return out;
}

json_t *names_of(const char *list)
{
	json_t *array = json_array();
	char *copy = strdup(list), *rest = copy;

	for (char *name; (name = strsep(&rest, ",")); )
		if (*name)
			json_array_append_new(array, json_string(name));
	free(copy);
	return array;
}

void table_add(struct table *t, ...)
{
	void *grown = realloc(t->cell, (t->n_rows + 1) * sizeof(*t->cell));
	va_list args;

	if (!grown)
		return;
	t->cell = grown;
	va_start(args, t);
	for (size_t i = 0; i < t->n_columns; i++)
		t->cell[t->n_rows][i] = strdup(va_arg(args, const char *) ?: "");
	va_end(args);
	t->n_rows++;
}

void table_print(struct table *t)
{
	int width[TABLE_COLUMNS] = { 0 };

	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t i = 0; i < t->n_columns; i++)
			if ((int)show_width(t->cell[r][i]) > width[i])
				width[i] = (int)show_width(t->cell[r][i]);
	for (size_t r = 0; r < t->n_rows; r++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			int last = i + 1 == t->n_columns;

			show_print(stdout, last ? "%*s\n" : "%*s  ", t->right[i] ? width[i] : last ? 0 : -width[i], t->cell[r][i]);
		}
	}
	table_drop(t);
}

void table_drop(struct table *t)
{
	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t i = 0; i < t->n_columns; i++)
			free(t->cell[r][i]);
	free(t->cell);
	t->cell = NULL;
	t->n_rows = 0;
}

const char *inst_path(const char *id, const char *rest, char out[512])
{
	char one[400], *escaped;

	snprintf(one, sizeof(one), "%s", id);
	for (char *at = one; *at; at++)		/* heatscoped reads an escaped / as one, and finds another resource */
		*at = *at == '/' ? ':' : *at;
	escaped = curl_easy_escape(NULL, one, 0);
	snprintf(out, 512, "/ca/instrumentations/%.400s%s", escaped ? escaped : "", rest);
	curl_free(escaped);
	return out;
}

int inst_get(struct client *c, const char *id, const char *rest, const struct query_string *p, json_t **ret_reply)
{
	char path[512], whole[sizeof(path) + PARAMS_MAX];

	snprintf(whole, sizeof(whole), "%s%s", inst_path(id, rest, path), p->text);
	return client_json(c, "GET", whole, NULL, ret_reply);
}

const char *inst_reason(struct client *c, int err, const char *id)
{
	int number = !id[strspn(id, "0123456789")];

	if (err == -ENOENT && strstr(c->reason, "no such instrumentation"))
		snprintf(c->reason, sizeof(c->reason), "%.100s: there is no such instrumentation; %s'heatscope list' has them", id,
			 number ? "" : "ids are numbers, ");
	return c->reason;
}

const char *source_labels(const json_t *source, char *out, size_t room)
{
	const char *name;
	json_t *value;
	size_t at = 0;

	*out = 0;
	json_object_foreach(json_object_get(source, "labels"), name, value)
		if (at < room)
			at += (size_t)snprintf(out + at, room - at, "%s%s=%s", at ? " " : "", name, json_string_value(value));
	return out;
}

const char *metric_dot(const char *metric)
{
	const char *dot = strchr(metric, '.');

	return dot && dot > metric && dot[1] ? dot : NULL;
}

void figure_check(const char *file, const struct argp_state *state)
{
	char endings[OUTPUT_ENDINGS_MAX];

	if (!output_format(OUTPUT_FIGURE, file))
		argp_error(state, "%s: it must end in %s", file, output_endings(OUTPUT_FIGURE, endings));
}

int save_picture(struct client *c, const char *command, const char *id, const char *value, const char *file, struct query_string *p)
{
	const char *format = output_format(OUTPUT_FIGURE, file);
	char path[512], whole[sizeof(path) + PARAMS_MAX], reason[256] = "";
	struct reply r = { .len = 0 };
	int err;

	query_string_put(p, "format", format);
	snprintf(whole, sizeof(whole), "%s%s", inst_path(id, value, path), p->text);
	err = client_request(c, "GET", whole, NULL, &r);
	if (err)
		snprintf(reason, sizeof(reason), "%.255s", inst_reason(c, err, id));
	else
		err = output_write(file, format, r.data, r.len, reason);
	reply_fini(&r);
	return err ? failed(command, reason) : 0;
}
