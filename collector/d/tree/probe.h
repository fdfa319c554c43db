/* probe.h - lists the probes of a run, and finds those of a description.
 *
 *      "BEGIN", "syscall::read:entry", "*:::E*", "1"  --d_probes_match()-->  probes
 *
 * Shape   A description has up to four fields with globs; missing ones are empty, from the left; empty matches all.
 *         Ids count from 1.  Providers (provider.h) add probes when a description may name them.
 * Errors  -ENOMEM.
 * Memory  probes are in the arena; d_probes_fini() frees the list.
 * Thread  one at a time.
 */
#ifndef HEATSCOPE_TREE_PROBE_H
#define HEATSCOPE_TREE_PROBE_H

#include "collector/d/text/arena.h"

#include <linux/types.h>

enum d_probe_field { FIELD_PROVIDER, FIELD_MODULE, FIELD_FUNCTION, FIELD_NAME, D_FIELDS };

/* How a probe fires, which decides what kind of program it has and where its arguments are. */
enum d_context {
	CONTEXT_DTRACE,			/* BEGIN, END: run by us */
	CONTEXT_PROFILE, CONTEXT_TICK,	/* a timer on each CPU, or on one: detail is its period in ns */
	CONTEXT_SYSCALL_ENTRY, CONTEXT_SYSCALL_RETURN,		/* detail: the number of the call */
	CONTEXT_FUNCTION_ENTRY, CONTEXT_FUNCTION_RETURN,	/* detail: the offset in `file` */
	CONTEXT_OFF_CPU, CONTEXT_ON_CPU,	/* pid, tid and execname are those of the thread that leaves or gets the CPU */
	CONTEXT_STATIC,			/* a place that the program's author marked; detail: its offset in `file` */
};

enum { PROBE_BEGIN = 1, PROBE_END, PROBE_ERROR };

struct d_probe {
	__u32 id;
	enum d_context context;
	const char *field[D_FIELDS];
	__u64 detail;
	const char *file;		/* of functions: the path by which we open it; NULL */
	__u32 pid;			/* of functions: the process; 0: any that has the file */
	__u64 semaphore;		/* of a static probe: where in the file a count says that it is used; 0 */
	const char *arguments;		/* of a static probe: where they are (operand.h); NULL */
	bool is_main;			/* of functions: of the program itself, whose module is also called a.out */
	bool is_stepped;		/* of functions: the kernel executes the instruction in a copy, step by step */
};

struct d_probes {
	struct d_arena *arena;
	struct d_probe **probe;		/* by id - 1 */
	size_t n, room;
	size_t *index;			/* ids by the hash of their fields; 0: free; at least twice as many as probes */
	size_t index_len;
	bool has_syscalls;		/* their provider has added its probes */
};

int d_probes_init(struct d_probes *p, struct d_arena *arena);		/* with BEGIN, END and ERROR */
void d_probes_fini(struct d_probes *p);
const struct d_probe *d_probes_find(const struct d_probes *p, __u32 id);	/* NULL: there is none */

/* Returns the probe, a new one or the one that is there.  Copies the fields; `file` and `arguments` are borrowed.
 * NULL: no memory. */
struct d_probe *d_probes_add(struct d_probes *p, const struct d_probe *probe);

/* The fields of a description, from the right.  They point into `text`, so do not copy it. */
struct d_description {
	char text[1024];
	const char *field[D_FIELDS];	/* "" : all */
	__u32 id;			/* a description that is only a number; 0 */
};

bool d_description_parse(const char *text, struct d_description *ret);	/* false: more than four fields, or too long */
bool d_probe_matches(const struct d_probe *p, const struct d_description *d);
bool d_glob_matches(const char *glob, const char *text);			/* empty matches all */
/* Also libc and libc.so for libc.so.6, as its versions differ between systems; a.out for the program itself. */
bool d_module_matches(const char *glob, const char *module, bool is_main);

#endif
