#include "ui/cli/base/key_table.h"
#include "ui/cli/base/client.h"

#include "collector/core/saturating.h"
#include "render/document/csv.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static int read_row(json_t *key, struct report_row *ret_row)
{
	double p50, p90, p99, p999, max;

	if (json_unpack(key, "{s:s, s:F, s:F, s:F, s:F, s:F, s:F, s:F}", "key", &ret_row->name, "count", &ret_row->count,
			"sum", &ret_row->sum, "p50", &p50, "p90", &p90, "p99", &p99, "p999", &p999, "max", &max))
		return -EBADMSG;
	if (!*ret_row->name)
		ret_row->name = "all";
	ret_row->mean = saturating_from(json_number(key, "mean"));	/* null: the sum saturated */
	ret_row->p50 = saturating_from(p50);
	ret_row->p90 = saturating_from(p90);
	ret_row->p99 = saturating_from(p99);
	ret_row->p999 = saturating_from(p999);
	ret_row->max = saturating_from(max);
	ret_row->running = (__u64)json_number_value(json_object_get(key, "running"));
	ret_row->oldest = saturating_from(json_number_value(json_object_get(key, "oldest")));
	return 0;
}

/* The names are the reply's. */
static int read_rows(const json_t *keys, struct report_table *t)
{
	struct report_row *row = calloc(json_array_size(keys) + 1, sizeof(*row));
	json_t *key;
	size_t i;
	int err = row ? 0 : -ENOMEM;

	json_array_foreach(keys, i, key)
		if (!err)
			err = read_row(key, &row[t->n_rows++]);
	t->row = row;
	return err;
}

int key_table_csv(const char *reply, size_t len, char **ret_text, size_t *ret_len)
{
	json_t *json = json_loadb(reply, len, 0, NULL), *keys = json_object_get(json, "keys");
	const char *measure = json_string_value(json_object_get(json, "measure"));
	struct report_table t = { .counts_only = measure && !strcmp(measure, "count"),
				  .runs = json_object_get(json, "running"), .unit = json_string_value(json_object_get(json, "unit")) };
	int err = json_is_array(keys) ? read_rows(keys, &t) : -EBADMSG;

	if (!err)
		err = csv_make(CSV_KEYS, NULL, &t, ret_text, ret_len);
	free((struct report_row *)t.row);
	json_decref(json);
	return err;
}
