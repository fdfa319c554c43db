/* programs.h - loads and attaches the programs of a tracer, if its kernel side needs nothing else.
 *
 *      x_bpf__open() -> programs_only("executions") -> programs_start() ... label, lost, doctor -> programs_stop()
 *
 * Several metrics may share an x.bpf.c: each loads its own copy, with only its own programs.
 *
 * Errors  0 or -errno; `reason` (REASON_MAX bytes) says what the kernel refused.
 * Memory  programs_start() takes the skeleton, also on failure; programs_stop() frees it.
 */
#ifndef HEATSCOPE_PROGRAMS_H
#define HEATSCOPE_PROGRAMS_H

#include "collector/core/field_codes.h"
#include "collector/trace/owners.h"
#include "collector/trace/process.h"
#include "collector/trace/stack.h"
#include "collector/probe/tracer.h"
#include <bpf/libbpf.h>

struct programs {
	void *bpf;			/* struct x_bpf */
	struct bpf_object_skeleton *skeleton;
	struct process_texts texts;
	int addresses_fd;		/* if it includes address.bpf.h */
	struct owners owners;		/* if it includes owner.bpf.h */
	struct stacks *stacks;		/* if it gathers stacks, while an instrumentation wants them */
	int stacks_failed;		/* how many attempts failed */
	struct bpf_link **link;		/* perf events, one per event and CPU; NULL at the end */
	int *event_fd;			/* the same events; a link closes its own */
	size_t n_events;
};

/* Makes only these programs of the object, separated by blanks, load and attach. */
void programs_only(struct bpf_object *object, const char *names);

/* Like tracer.start: loads and attaches the programs of the result of x_bpf__open().  opened: its TRACER_PROGRAMS(),
 * before they are loaded.  Both are NULL if x_bpf__open() failed. */
int programs_start(void *bpf, const struct tracer_programs *opened, const struct metric *m, void **ret_self,
		   struct tracer_programs *ret_programs, char *reason);

#define PROGRAMS_START(bpf, metric, ret_self, ret_programs, reason) \
	programs_start((bpf), (bpf) ? &TRACER_PROGRAMS(bpf) : NULL, (metric), (ret_self), (ret_programs), (reason))

void programs_stop(void *self);

/* The program runs at each of these software events (linux/perf_event.h), on every CPU: at every `period`th one, or, if
 * period is 0, at `frequency` per second. */
struct programs_event {
	const char *program;
	__u32 config;
	__u32 period, frequency;
};

/* Adds the events to ret_programs.  After an error the programs are stopped, and *self is NULL. */
int programs_attach_events(void **self, const struct programs_event *event, size_t n,
			   struct tracer_programs *ret_programs, char *reason);

/* Opens owner.bpf.h's iterator `program`, with its counter `pass`, which finds for owners_refresh() the processes that
 * have sockets open.  It must not attach by itself: call bpf_program__set_autoattach(program, false) before
 * programs_start().  After an error the programs are stopped, and *self is NULL. */
int programs_open_owners(void **self, struct bpf_program *program, __u32 *pass, char *reason);

/* For tracer.want.  If the kernel refuses stacks, all stacks are unknown, and the log says why. */
void programs_want_stacks(struct programs *p, int wanted);

/* Returns how often the kernel skipped a program because it would have run inside itself. */
__u64 programs_lost(void *self);
void programs_doctor(void *self, FILE *out);

/* Rows of field_codes for a tracer whose self is a struct programs. */
extern const struct field_codes programs_process;	/* any of process.h's fields */
extern const struct field_codes programs_text, programs_address, programs_stack;

/* The first rows of such a table: process.h's fields. */
#define PROGRAMS_PROCESS_CODES [0 ... PROCESS_N_FIELDS - 1] = &programs_process

/* Members of such a tracer; `codes` is its table of field_codes. */
#define PROGRAMS_TRACER(lost_of, print) \
	.may_detach = 1, .stop = programs_stop, .codes = codes, .n_codes = CODES_N(codes), .lost = lost_of, .doctor = print

#endif
