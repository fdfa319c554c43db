#include "test/kit/drawn_kit.h"

#include "aggregator/catalog/source.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* splitmix64 */
__u64 drawn_next(struct drawn *d)
{
	__u64 z = d->seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

double drawn_uniform(struct drawn *d)
{
	return ((double)(drawn_next(d) >> 11) + 0.5) / 9007199254740992.0;
}

double drawn_normal(struct drawn *d)
{
	return sqrt(-2 * log(drawn_uniform(d))) * cos(2 * M_PI * drawn_uniform(d));
}

void drawn_die(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(1);
}

void drawn_inst_put(struct store *s, struct instrumentation in)
{
	struct field field[1 + MEASURES_MAX] = { { in.field[0], in.field[0], "string", FIELD_DISCRETE, UNIT_NONE, 0, 0 } };
	const struct metric metric = { .module = "mysql", .stat = "queries", .label = "MySQL queries", .unit = "queries",
				       .field = field, .n_fields = 1 + in.n_measures };
	json_t *json;
	char *text;

	in.id = 1;
	snprintf(in.module, sizeof(in.module), "mysql");
	snprintf(in.stat, sizeof(in.stat), "queries");
	in.granularity_ns = in.slot_ns = DRAWN_SLOT_NS;
	in.ruler_bits = 5;
	in.n_slots = 12;
	for (size_t i = 0; i < in.n_measures; i++)
		field[1 + i] = (struct field){ in.measure[i], in.measure[i], "time", FIELD_NUMERIC, UNIT_NS, 10, 39 };
	json = json_pack("{s:o, s:o, s:s}", "instrumentation", instrumentation_to_json(&in), "metric", metric_to_json(&metric),
			 "numeric", in.measure[0]);
	text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	if (!text || s->ops->inst_put(s, 1, text))
		drawn_die("the instrumentation cannot be stored");
	free(text);
	json_decref(json);
}
