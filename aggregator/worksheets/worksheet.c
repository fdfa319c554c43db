#include "aggregator/worksheets/worksheet.h"

#include "aggregator/base/json_get.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DURATION_MIN 10
#define DURATION_MAX 86400
#define SIZE_MIN 0.5
#define SIZE_MAX 4

static const json_t *given_member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_null(value) ? NULL : value;
}

/* ---- members: each is checked, and set in `out` ---- */

static int take_choice(const json_t *in, json_t *out, const char *whose, const char *name, const char *const *words, char *reason)
{
	const json_t *value = given_member(in, name);
	const char *word = value ? json_string_value(value) : words[0];

	if (!word || !json_get_is_one_of(word, words))
		return refuse(reason, "%s: \"%s\" is not a valid value", whose, name);
	return json_object_set_new(out, name, json_string(word)) ? -ENOMEM : 0;
}

static int take_number(const json_t *in, json_t *out, const char *whose, const char *name, const double range[3], char *reason)
{
	const json_t *value = given_member(in, name);
	double n = value ? json_number_value(value) : range[2];

	if ((value && !json_is_number(value)) || !(n >= range[0] && n <= range[1]))
		return refuse(reason, "%s: \"%s\" must be a number from %g to %g", whose, name, range[0], range[1]);
	return json_object_set_new(out, name, floor(n) == n ? json_integer((json_int_t)n) : json_real(n)) ? -ENOMEM : 0;
}

static int take_name(const json_t *in, json_t *out, char *reason)
{
	const char *name = json_string_value(json_object_get(in, "name"));
	size_t len = name ? strlen(name) : 0;

	if (!len || len > WORKSHEET_NAME_BYTES || strspn(name, " ") == len)
		return refuse(reason, "the worksheet needs a \"name\" of 1 to %d bytes, not all blank", WORKSHEET_NAME_BYTES);
	if (!json_get_is_line(name))
		return refuse(reason, "the worksheet's \"name\" must be one line, without control characters");
	return json_object_set_new(out, "name", json_string(name)) ? -ENOMEM : 0;
}

static bool is_name(const json_t *value)
{
	const char *text = json_string_value(value);

	return text && *text && strlen(text) < NAME_MAX_LEN;
}

static int take_threshold(const json_t *in, json_t *out, char *reason)
{
	static const char *const known[] = { "unit", "value", NULL };
	const json_t *given = given_member(in, "threshold"), *value = json_object_get(given, "value");
	int err;

	if (!given)
		return 0;
	err = json_get_check(given, known, "the threshold", reason);
	if (!err && (!is_name(json_object_get(given, "unit")) || !json_is_number(value) || !(json_number_value(value) > 0)))
		err = refuse(reason, "\"threshold\" must be {\"unit\": …, \"value\": a number above 0}");
	if (!err && json_object_set_new(out, "threshold", json_deep_copy(given)))
		err = -ENOMEM;
	return err;
}

/* ---- panels ---- */

/* Checks only that it names a metric; the catalog checks the rest when it makes the instrumentation. */
static int take_instrumentation(const json_t *in, json_t *out, const char *whose, char *reason)
{
	const json_t *of = json_object_get(in, "instrumentation"), *id = given_member(of, "id");

	if (!is_name(json_object_get(of, "module")) || !is_name(json_object_get(of, "stat")))
		return refuse(reason, "%s needs an \"instrumentation\" with \"module\" and \"stat\"", whose);
	if (id && !is_name(id))
		return refuse(reason, "%s: the \"id\" of its instrumentation must be a text", whose);
	return json_object_set_new(out, "instrumentation", json_deep_copy(of)) ? -ENOMEM : 0;
}

static int read_panel(const json_t *in, size_t index, json_t *panels, char *reason)
{
	static const char *const known[] = { "instrumentation", "measure", "weight", "show", "size", "yscale", NULL };
	static const char *const shows[] = { "map", "parts", NULL }, *const scales[] = { "log", "linear", NULL };
	static const double sizes[] = { SIZE_MIN, SIZE_MAX, 1 };
	const json_t *weight = given_member(in, "weight");
	json_t *out = json_object();
	char whose[32];
	int err;

	snprintf(whose, sizeof(whose), "panel %zu", index + 1);
	err = json_is_object(in) ? json_get_check(in, known, whose, reason) : refuse(reason, "%s must be an object", whose);
	if (!err)
		err = take_instrumentation(in, out, whose, reason);
	if (!err && !is_name(json_object_get(in, "measure")))
		err = refuse(reason, "%s needs a \"measure\"", whose);
	if (!err && weight && !is_name(weight))
		err = refuse(reason, "%s: \"weight\" must be a text", whose);
	if (!err && (json_object_set(out, "measure", json_object_get(in, "measure")) ||
		     json_object_set_new(out, "weight", weight ? json_deep_copy(weight) : json_null())))
		err = -ENOMEM;
	if (!err)
		err = take_choice(in, out, whose, "show", shows, reason);
	if (!err)
		err = take_number(in, out, whose, "size", sizes, reason);
	if (!err && given_member(in, "yscale"))	/* absent: the worksheet's */
		err = take_choice(in, out, whose, "yscale", scales, reason);
	if (!err)
		return json_array_append_new(panels, out) ? -ENOMEM : 0;
	json_decref(out);
	return err;
}

static int take_panels(const json_t *in, json_t *out, char *reason)
{
	const json_t *given = json_object_get(in, "panels"), *panel;
	json_t *panels = json_array();
	size_t i;
	int err = 0;

	if (!json_is_array(given) || !json_array_size(given) || json_array_size(given) > WORKSHEET_PANELS_MAX)
		err = refuse(reason, "the worksheet needs \"panels\", an array of 1 to %d", WORKSHEET_PANELS_MAX);
	else
		json_array_foreach(given, i, panel)
			err = err ?: read_panel(panel, i, panels, reason);
	if (!err)
		return json_object_set_new(out, "panels", panels) ? -ENOMEM : 0;
	json_decref(panels);
	return err;
}

/* ---- the whole ---- */

static int check_schema(const json_t *given, char *reason)
{
	const json_t *schema = given_member(given, "schema"), *version = given_member(given, "version");
	const char *name = json_string_value(schema);

	if (schema && (!name || strcmp(name, WORKSHEET_SCHEMA)))
		return refuse(reason, "this is not a worksheet: its \"schema\" is not \"" WORKSHEET_SCHEMA "\"");
	if (version && (!json_is_integer(version) || json_integer_value(version) < 1))
		return refuse(reason, "the worksheet's \"version\" must be a whole number from 1 on");
	if (version && json_integer_value(version) > WORKSHEET_VERSION)
		return refuse(reason, "the worksheet is of version %lld, and this heatscoped reads up to %d: it needs a newer one",
			      (long long)json_integer_value(version), WORKSHEET_VERSION);
	return 0;
}

int worksheet_read(const json_t *given, json_t **ret_worksheet, char *reason)
{
	static const char *const known[] = { "schema", "version", "name", "panels", "duration", "yscale", "transfer", "threshold",
					     "id", "uri", "ready", NULL };
	static const char *const scales[] = { "auto", "log", "linear", NULL }, *const transfers[] = { "log", "linear", "rank", "sqrt", "percent", NULL };
	static const double durations[] = { DURATION_MIN, DURATION_MAX, 300 };
	static const char whose[] = "the worksheet";
	json_t *out = json_pack("{s:s, s:i}", "schema", WORKSHEET_SCHEMA, "version", WORKSHEET_VERSION);
	int err = json_is_object(given) ? check_schema(given, reason) : refuse(reason, "a worksheet is a JSON object");

	if (!err)
		err = json_get_check(given, known, whose, reason);
	if (!err)
		err = take_name(given, out, reason);
	if (!err)
		err = take_number(given, out, whose, "duration", durations, reason);
	if (!err)
		err = take_choice(given, out, whose, "yscale", scales, reason);
	if (!err)
		err = take_choice(given, out, whose, "transfer", transfers, reason);
	if (!err)
		err = take_threshold(given, out, reason);
	if (!err)
		err = take_panels(given, out, reason);
	if (err)
		json_decref(out);
	else
		*ret_worksheet = out;
	return err;
}

int worksheet_change(const json_t *worksheet, const json_t *changes, json_t **ret_worksheet, char *reason)
{
	json_t *next = json_copy((json_t *)worksheet);
	int err = next && !json_object_update(next, (json_t *)changes) ? worksheet_read(next, ret_worksheet, reason) : -ENOMEM;

	json_decref(next);
	return err;
}
