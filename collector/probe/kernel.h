/* kernel.h - the probe whose events come from the kernel: what its parts share.
 *
 *      kernel.c  enabling, draining      kernel_plan.*  what a record program is specialised by
 *      kernel_budget.*  what is shed     kernel_doctor.*  what it says of itself
 *
 * Thread  one thread.
 */
#ifndef HEATSCOPE_KERNEL_H
#define HEATSCOPE_KERNEL_H

#include "collector/ring/filter.h"
#include "collector/probe/probe.h"
#include "collector/ring/record.h"
#include "collector/probe/shed.h"
#include "collector/probe/tracer.h"

#define TRACERS_MAX 32			/* tracers.c has no more */

struct instrument {			/* an instrumentation that is enabled */
	struct instrument *next;
	const struct traced *on;
	__u64 inst;
	__u64 wanted;			/* of events */
	__u64 kept;			/* of these, the fields of its keys */
	__u64 slot_ns, memory;
	__u64 first_slot;		/* that it counts */
	struct record record;
	struct reader *reader;
	struct predicate predicate;
	struct filter filter;
};

struct traced {				/* a tracer, and what is enabled on it */
	const struct tracer *tracer;
	char refusal[REASON_MAX];
	int instead;			/* of its tracepoints it uses the others */
	int runs;
	__u32 verified;			/* of a try, as tracer_verified() says; 0: none was made */
	void *self;
	struct tracer_programs programs;
	__u64 n_told;			/* of the events its programs lost */
	struct shed shed;
	__u64 shed_fields;		/* that are left out: WANTED_FIELD() */
};

struct kernel {
	struct probe_conf conf;
	size_t n_traced;
	struct traced traced[TRACERS_MAX];	/* one per row of conf.tracers */
	struct metric metric[TRACERS_MAX];
	struct instrument *instrument;
	char lacking[2 * REASON_MAX];	/* as told last, of one of them */
	__s64 wall_offset;
	__s64 drained_ns, shed_ns;	/* last time */
	double own_s;			/* of CPU, by the collector itself, until then */
};

/* Tells the programs which record programs run, and what they need: all that is wanted, but what is shed.  The bits
 * of the record programs. */
__u32 traced_refresh(struct kernel *k, struct traced *on);

#endif
