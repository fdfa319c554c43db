/* stack.h - turns a thread's stack, the return addresses of its program and of the kernel, into one code.
 *
 *      kernel: stack_gather() -> code, map `stacks` {code: struct stack}
 *      host:   stacks_label() -> "main;work;read_page;-;do_sys_poll;poll_schedule_timeout"
 *
 * Code    a hash of the addresses and of their process, because an address means another function in another process.
 *         So several codes may have one label.  Slices of equal labels are added.
 * Label   the folded form: frames from the root to the leaf, joined by `;`.  The kernel's frames follow a frame `-`.  A
 *         label that is too long is cut at the root: a frame "…" replaces the cut frames.
 * Frames  a function's name (symbols.h).  "[file+0x1234]", with the file's own address, if the file has no name for it.
 *         "[name]", the process' name, if no mapping is known; several of these in a row become one.
 * Omitted frames that every stack has: the entry to the kernel, the switch to another thread, our own probe.
 *
 * The map forgets the stacks that were unused for longest.  The host shows the code of a forgotten stack as #hash,
 * unless it remembers its label.
 */
#ifndef HEATSCOPE_STACK_H
#define HEATSCOPE_STACK_H

#include <linux/types.h>

#define STACK_USER 64			/* frames, the innermost */
#define STACK_KERNEL 32
#define STACKS_MAX 4096			/* 3.5 MB of kernel memory, while an instrumentation wants stacks */

enum { STACK_UNKNOWN = 0 };		/* a code: no instrumentation wanted stacks yet, or it could not be read */

struct stack {
	__u64 user[STACK_USER], kernel[STACK_KERNEL];	/* the leaf is first */
	__u32 n_user, n_kernel;
	__u32 pid;			/* of the process */
	__u32 exec;			/* number of its execs */
	char comm[16];
};

#ifndef __bpf__

struct stacks;				/* its fields are in stack.c */

/* Keeps stacks from here on.  fd: the map `stacks`.  It makes a map and loads programs (symbols.h), so it fails after
 * capabilities were dropped.  0 or -errno. */
int stacks_new(int fd, struct stacks **ret_stacks);
void stacks_free(struct stacks *s);	/* NULL is fine */

/* Writes the label of a code.  out: LABEL_MAX + 1 bytes.  s NULL: it shows the code itself. */
void stacks_label(struct stacks *s, __u64 code, char *out);

/* Pure, for stacks_label(): adds frames from the leaf to the root, as long as they fit. */
struct stack_text {
	char *out;			/* LABEL_MAX + 1 bytes; the text so far stands at their end */
	unsigned at;
	char last[32];			/* the last frame, if it was an unknown one */
	int cut;
};

void stack_text_begin(struct stack_text *t, char *out);
void stack_text_put(struct stack_text *t, const char *frame);
void stack_text_put_unknown(struct stack_text *t, const char *comm);
void stack_text_end(struct stack_text *t);

/* Is it one of the frames that every stack has? */
int stack_is_entry(const char *frame);
#endif

#endif
