/* programs.h - a tracer whose kernel side needs nothing but to be loaded and attached.
 *
 *      x_bpf__open() -> programs_only("executions") -> programs_start() ... label, lost, doctor -> programs_stop()
 *
 * Several metrics may share an x.bpf.c: each loads it for itself, with only its own programs.
 *
 * Errors  0 or -errno, `reason` (REASON_MAX) says what the kernel refused.
 * Memory  programs_stop() frees the skeleton that was given to programs_start(), which takes it in any case.
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
	int addresses_fd;		/* of those that include address.bpf.h */
	struct owners owners;		/* of those that include owner.bpf.h */
	struct stacks *stacks;		/* of those that gather them, while somebody wants them */
	int stacks_failed;		/* times that failed */
	struct bpf_link **link;		/* of perf events, one per event and CPU; NULL at the end */
	int *event_fd;			/* the same events; a link closes its own */
	size_t n_events;
};

/* Of the object's programs these, separated by blanks, are loaded and attached. */
void programs_only(struct bpf_object *object, const char *names);

/* As tracer.start: loads and attaches the programs of what x_bpf__open() gave.  opened: TRACER_PROGRAMS() of it, before
 * they are loaded; both NULL: it gave nothing. */
int programs_start(void *bpf, const struct tracer_programs *opened, const struct metric *m, void **ret_self,
		   struct tracer_programs *ret_programs, char *reason);

#define PROGRAMS_START(bpf, metric, ret_self, ret_programs, reason) \
	programs_start((bpf), (bpf) ? &TRACER_PROGRAMS(bpf) : NULL, (metric), (ret_self), (ret_programs), (reason))

void programs_stop(void *self);

/* The program runs at each of these software events (linux/perf_event.h), on every CPU: every `period`th, or if that
 * is 0 at `frequency` per second. */
struct programs_event {
	const char *program;
	__u32 config;
	__u32 period, frequency;
};

/* Adds the events to ret_programs.  After an error the programs are stopped, and *self is NULL. */
int programs_attach_events(void **self, const struct programs_event *event, size_t n,
			   struct tracer_programs *ret_programs, char *reason);

/* The program is owner.bpf.h's iterator, and pass its counter: looks who has sockets open, for owners_look().  It must not
 * attach by itself: bpf_program__set_autoattach(program, false) before programs_start().  After an error the programs are
 * stopped, and *self is NULL. */
int programs_open_owners(void **self, struct bpf_program *program, __u32 *pass, char *reason);

/* For what tracer.want is given.  Where the kernel refuses stacks, all are unknown, and the log says why. */
void programs_want_stacks(struct programs *p, int wanted);

/* How often the kernel left out a program, because it would have run inside itself. */
__u64 programs_lost(void *self);
void programs_doctor(void *self, FILE *out);

/* Rows for a tracer whose self is a struct programs. */
extern const struct field_codes programs_process;	/* any of process.h's fields */
extern const struct field_codes programs_text, programs_address, programs_stack;

/* The first rows of such a table: process.h's fields. */
#define PROGRAMS_PROCESS_CODES [0 ... PROCESS_N_FIELDS - 1] = &programs_process

#endif
