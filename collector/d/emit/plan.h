/* plan.h - divides the probes that clauses have chosen among programs.
 *
 *      clause 0: probes 1, 7      group {1}     one program: clause 0
 *      clause 1: probes 7, 8  ->  group {7, 8}  one program: clauses 0 and 1; the table says which probe has which
 *
 * Shape   Probes that fire in the same way and keep their arguments in the same places share a program.  The program finds
 *         its probe in a table, by the number of the system call or the cookie of the attachment.  BEGIN, END and timers have a program each.
 * Errors  d_plan_add(): -ENOMEM; -E2BIG: more than D_MASK_CLAUSES clauses for probes that do not all have them.
 */
#ifndef HEATSCOPE_EMIT_PLAN_H
#define HEATSCOPE_EMIT_PLAN_H

#include "collector/d/emit/ir.h"
#include "collector/d/check/program.h"
#include "collector/d/check/record.h"

#define D_MASK_CLAUSES 64

/* A program finds this about the probe that fired. */
struct d_entry {
	__u32 probe;			/* its id; 0: none */
	__u32 unused;
	__u64 clauses;			/* bit n: the n-th of the group */
};

struct d_group {
	enum d_context context;
	const struct d_probe **probes;
	struct d_entry *entries;	/* of the probes */
	size_t n_probes, probes_room, entries_room;
	struct d_clause **clauses;	/* in their order */
	size_t n_clauses, clauses_room;
	struct d_ir ir;
	int fd;				/* its program; -1 */
	int table;			/* its entries; -1 */
};

struct d_plan {
	struct d_group *groups;
	size_t n_groups, room;
	struct { __u32 group, entry; } *place;	/* of the probes, by id; group + 1, 0: none */
	size_t n_places;
};

int d_plan_add(struct d_plan *p, struct d_clause *clause, const struct d_probe *probe);
void d_plan_fini(struct d_plan *p);
bool d_plan_has(const struct d_plan *p, const struct d_probe *probe);

bool d_group_is_single(const struct d_group *g);		/* one probe, which is known when its program is made */
bool d_group_is_uniform(const struct d_group *g);		/* each probe has all clauses */
enum d_activity d_group_activity(const struct d_group *g);	/* when it runs */

#endif
