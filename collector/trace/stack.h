/* stack.h - where a thread was: the return addresses of its program and of the kernel, as one code.
 *
 *      kernel: stack_gather() -> code, map `stacks` {code: struct stack}
 *      host:   stacks_label() -> "main;work;read_page;-;do_sys_poll;poll_schedule_timeout"
 *
 * Code    a hash of the addresses, and of whose they are: the same address is another function in another process.
 *         So several codes may have one label; slices of equal labels add.
 * Label   the folded form: frames from the root to the leaf, joined by `;`, the kernel's behind a frame `-`.  What does not
 *         fit into a label is cut at the root, which then is a frame "…".
 * Frames  a function's name (symbols.h); "[file+0x1234]" where its file has no name for it, its own address in it; "[name]",
 *         the process', where nobody knows what is there, as many in a row as one.
 * Left    out are frames that every stack has: how the kernel is entered and left for another thread, our own probe.
 *
 * The map forgets what was used least; a code whose stack is forgotten is shown as #hash, unless its label is remembered.
 */
#ifndef HEATSCOPE_STACK_H
#define HEATSCOPE_STACK_H

#include <linux/types.h>

#define STACK_USER 64			/* frames, the innermost */
#define STACK_KERNEL 32
#define STACKS_MAX 4096			/* 3.5 MB of the kernel's, while somebody wants stacks */

enum { STACK_UNKNOWN = 0 };		/* a code: nobody had asked yet, or there was nothing to be read */

struct stack {
	__u64 user[STACK_USER], kernel[STACK_KERNEL];	/* the leaf first */
	__u32 n_user, n_kernel;
	__u32 pid;			/* of the process */
	__u32 exec;			/* how many it has had */
	char comm[16];
};

#ifndef __bpf__

struct stacks;				/* its fields are in stack.c */

/* Stacks are kept from here on.  fd: the map `stacks`.  It makes a map and loads programs (symbols.h), so not after
 * capabilities were dropped.  0 or -errno. */
int stacks_new(int fd, struct stacks **ret_stacks);
void stacks_free(struct stacks *s);	/* NULL is fine */

/* out: LABEL_MAX + 1 bytes.  s NULL: of a code there is nothing but the code. */
void stacks_label(struct stacks *s, __u64 code, char *out);

/* Pure, for stacks_label(): frames in the making, from the leaf to the root, as long as they fit. */
struct stack_text {
	char *out;			/* LABEL_MAX + 1 bytes; what there is stands at their end */
	unsigned at;
	char last[32];			/* a frame that nobody knows, if the last was one */
	int cut;
};

void stack_text_begin(struct stack_text *t, char *out);
void stack_text_put(struct stack_text *t, const char *frame);
void stack_text_put_unknown(struct stack_text *t, const char *comm);
void stack_text_end(struct stack_text *t);

/* Is it one of those that every stack has? */
int stack_is_entry(const char *frame);
#endif

#endif
