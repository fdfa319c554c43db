#include "ui/cli/base/limit.h"

#include "ui/cli/base/command.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int limit_read(const struct limit *l, enum ruler_unit unit, const char *name, char out[32], char reason[256])
{
	char why[AMOUNT_REASON];
	__u64 value;

	if (amount_parse(l->text, strlen(l->text), unit, name, &value, NULL, why))
		return refuse_in(-EINVAL, reason, 256, "--%s %.40s: %s", l->option, l->text, why);
	snprintf(out, 32, "%llu", (unsigned long long)value);
	return 0;
}

/* An unknown measure has no unit here; heatscoped refuses it. */
static size_t measure_index(const json_t *measures, const char *measure)
{
	size_t i;

	for (i = 0; measure && i < json_array_size(measures); i++)
		if (!strcmp(json_string_value(json_array_get(measures, i)) ?: "", measure))
			break;
	return i;
}

int limits_put(struct client *c, const char *id, const char *measure, const struct limit *limit, size_t n,
	       struct query_string *p)
{
	json_t *inst = NULL;
	char path[512];
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const json_t *units, *measures;
		const char *unit;
		char number[32];
		size_t at;

		if (!limit[i].text)
			continue;
		err = inst ? 0 : client_json(c, "GET", inst_path(id, "", path), NULL, &inst);
		units = json_object_get(inst, "units");
		measures = json_object_get(inst, "measures");
		at = measure_index(measures, measure);
		unit = json_string_value(json_array_get(units, at));
		if (!err && !unit && at < json_array_size(measures))
			err = refuse_in(-EBADMSG, c->reason, sizeof(c->reason), "heatscoped does not say the unit of "
				"what it measures: is it another version?");
		if (!err && unit) {
			char why[256];

			err = limit_read(&limit[i], amount_unit(unit), json_string_value(json_array_get(measures, at)) ?: "it", number, why);
			if (err)
				snprintf(c->reason, sizeof(c->reason), "%s", why);
		}
		if (!err && unit)
			query_string_put(p, limit[i].parameter, number);
	}
	json_decref(inst);
	return err;
}
