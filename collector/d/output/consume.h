/* consume.h - prints the records of programs, byte for byte as dtrace(1) does.
 *
 * Errors  a fault of a clause is a line on `err`.
 * Memory  borrows the program; `clauses` has its clauses by id.
 */
#ifndef HEATSCOPE_OUTPUT_CONSUME_H
#define HEATSCOPE_OUTPUT_CONSUME_H

#include "collector/d/output/aggregate.h"
#include "collector/d/check/record.h"

struct d_consumer {
	struct d_clause *const *clauses;
	__u32 n_clauses;
	const struct d_probes *probes;
	struct d_symbols *symbols;
	bool quiet;
	bool flow;			/* -F */
	struct d_flow *flows;		/* how deep each thread is */
	size_t n_flows, flows_room;
	FILE *out, *err;
	bool has_header;		/* CPU ID FUNCTION:NAME was printed */
	int exit_status;		/* of exit() */
	struct d_aggregates *aggregates;
	/* Adds what programs have aggregated so far to the totals. */
	int (*take)(void *context, struct d_totals *t);
	void *take_context;
	/* NULL, or called for each value of an aggregation that is a metric; time_ns: monotonic. */
	void (*on_value)(void *context, const struct d_totals *t, const struct d_row *row, __s64 value, __u64 time_ns);
	void *on_value_context;
};

/* Sets a flag: no value, "1" or "true"; "0" or "false".  -EINVAL: another value. */
int d_flag_set(bool *flag, const char *value);

/* Sets an option of aggregations: aggsortkey, aggsortkeypos, aggsortpos, aggsortrev.  -EINVAL: another one, or not this
 * value. */
int d_sort_option(struct d_sort *s, const char *key, const char *value);

void d_consumer_fini(struct d_consumer *c);

void d_consume(struct d_consumer *c, const struct d_record *r);

#endif
