/* owners.h - finds the processes that have sockets open, for event programs that include owner.bpf.h.
 *
 *      owners_open() -> owners_refresh() now and then -> owners_close()
 *
 * Cost    owners_refresh() passes once over all open files of the machine, in the kernel: 0.1 us per file.
 * Errors  0 or -errno.
 */
#ifndef HEATSCOPE_OWNERS_H
#define HEATSCOPE_OWNERS_H

#include <linux/types.h>

struct bpf_program;
struct bpf_link;

struct owners {
	struct bpf_link *link;
	__u32 *pass;			/* the variable of the programs */
	__s64 refreshed_ns;
};

/* Makes the first pass.  program: owner.bpf.h's iterator over the files of tasks; pass: its variable. */
int owners_open(struct bpf_program *program, __u32 *pass, struct owners *ret);
void owners_close(struct owners *o);

/* Makes another pass, if the last one was 2 s ago. */
void owners_refresh(struct owners *o, __s64 now_ns);

#endif
