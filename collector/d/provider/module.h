/* module.h - lists the files that a process executes: its program and its libraries.
 *
 * Errors  -errno: the process cannot be read, or that of the function, which ends the list.
 */
#ifndef HEATSCOPE_PROVIDER_MODULE_H
#define HEATSCOPE_PROVIDER_MODULE_H

#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>

struct d_module {
	char path[PATH_MAX + 32];	/* by which we open it, also in a container: /proc/PID/exe, /proc/PID/root/... */
	char name[NAME_MAX + 1];
	bool is_main;			/* the program itself */
	__u32 pid;
	__u64 from, offset;		/* of what is executed: where it begins in the process and in the file */
};

int d_modules_each(__u32 pid, int (*each)(void *context, const struct d_module *m), void *context);

#endif
