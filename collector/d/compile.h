/* compile.h - compiles the scripts of a run to one program: parse, check, match the probes, lower.
 *
 * Errors  -EINVAL: a script is refused, *error says why.  -ENOMEM.
 * Memory  begins with d_compile_init(), ends with d_compile_fini().  Scripts' texts are borrowed until then.
 */
#ifndef HEATSCOPE_D_COMPILE_H
#define HEATSCOPE_D_COMPILE_H

#include "collector/d/output/aggregate.h"
#include "collector/d/check/check.h"
#include "collector/d/emit/lower.h"
#include "collector/d/provider/provider.h"

struct d_options {
	bool quiet;			/* print only what the script prints */
	bool flow;			/* entries and returns are indented */
	bool errtags;			/* print tags of errors */
	bool zero_probes;		/* descriptions may match no probe */
	unsigned cpu_percent;		/* of all CPUs: a script that takes more is aborted (guard.h) */
	struct d_sort sort;		/* of aggregations */
};

struct d_compile {
	struct d_arena arena;
	struct d_types types;
	struct d_program program;
	struct d_macros macros;
	struct d_options options;
	struct d_clause **clauses;	/* by id */
	__u32 n_clauses;
	struct d_probes probes;
	struct d_plan plan;
	char unseen[D_PROVIDER_REASON_MAX];	/* which processes could not be looked into for probes; "" */
};

int d_compile_init(struct d_compile *c);
void d_compile_fini(struct d_compile *c);

/* -EINVAL: there is no such option, or it cannot have this value. */
int d_compile_option(struct d_compile *c, const char *key, const char *value);

/* Returns why d_compile_option() refused the key; a text of the program. */
const char *d_compile_option_failure(const char *key);

/* *ret_n_probes: how many probes its clauses match. */
int d_compile_add(struct d_compile *c, const struct d_script *s, unsigned flags, unsigned *ret_n_probes, struct d_error *error);

/* After the last script: refuses arguments that no script uses, and makes the IR of all groups of the plan. */
int d_compile_end(struct d_compile *c, struct d_error *error);

#endif
