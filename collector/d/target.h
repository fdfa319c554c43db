/* target.h - is the process that a script looks at: $target, of -p or -c.
 *
 *      d_target_grab()     a process that runs
 *      d_target_start()    a command, which waits before its main() with all its libraries mapped
 *      d_target_go()       lets the command run
 *
 * Errors  -errno; d_target_start(): -ENOENT: there is no such command.
 */
#ifndef HEATSCOPE_D_TARGET_H
#define HEATSCOPE_D_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

struct d_target {
	pid_t pid;			/* 0: there is none */
	int fd;				/* of a process that runs: readable when it has ended; -1 */
	bool is_child, waits;
};

int d_target_grab(struct d_target *t, pid_t pid);
int d_target_start(struct d_target *t, const char *command);
void d_target_go(struct d_target *t);
bool d_target_has_ended(struct d_target *t);
void d_target_fini(struct d_target *t);		/* a command that waits is killed; others run on */

#endif
