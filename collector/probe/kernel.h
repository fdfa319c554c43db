/* kernel.h - declares the types that the files of the kernel's probe share.
 *
 *      kernel.c  enabling, draining      kernel_plan.*  the plan of a ring and its record program
 *      kernel_budget.*  shedding         kernel_doctor.*  its report for people
 *
 * Thread  one thread.
 */
#ifndef HEATSCOPE_KERNEL_H
#define HEATSCOPE_KERNEL_H

#include "collector/ring/filter.h"
#include "collector/trace/pod_names.h"
#include "collector/probe/probe.h"
#include "collector/ring/record.h"
#include "collector/probe/shed.h"
#include "collector/probe/tracer.h"

#define TRACERS_MAX 32			/* tracers.c has at most these */

struct instrument {			/* an enabled instrumentation */
	struct instrument *next;
	const struct traced *on;
	__u64 inst;
	__u64 wanted;			/* fields and measures of events that it needs */
	__u64 kept;			/* of these, the fields of its keys */
	__u64 slot_ns, memory;
	__u64 first_slot;		/* the first slot that it counts */
	struct record record;
	struct reader *reader;
	struct predicate predicate;
	struct filter filter;
};

struct traced {				/* a tracer, and the state of its programs */
	const struct tracer *tracer;
	char refusal[REASON_MAX];
	int instead;			/* it uses the `instead` tracepoints */
	int runs;
	__u32 verified;			/* tracer_verified() of a try; 0: no try was made */
	void *self;
	struct tracer_programs programs;
	__u64 n_reported;		/* lost events of its programs that were reported */
	struct shed shed;
	__u64 shed_fields;		/* fields that are left out: WANTED_FIELD() */
};

struct kernel {
	struct probe_conf conf;
	size_t n_traced;
	struct traced traced[TRACERS_MAX];	/* one per row of conf.tracers */
	struct metric metric[TRACERS_MAX];
	struct instrument *instrument;
	struct pod_names pod_names;
	char lacking[2 * REASON_MAX];	/* the latest text of lacking(), of one of them */
	__s64 wall_offset;
	__s64 drained_ns, shed_ns;	/* the last time of each */
	double own_s;			/* seconds of CPU that the collector itself took until shed_ns, and those of loading
					 * since then, which are not charged to the budget */
	int is_loading;			/* the budget does not attach or detach programs while others are loaded */
};

/* Sets for the event programs which record programs run and which fields they need: the wanted ones, without the shed
 * ones.  Returns the bits of the record programs. */
__u32 traced_refresh(struct kernel *k, struct traced *on);

#endif
