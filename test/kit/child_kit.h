/* child_kit.h - runs a child process that acts when the test lets it.
 *
 *      child: act(arg) { child_wait(); ...; child_done(); ... }
 *      test:  pid = child_start(act, arg); ...; child_go(); child_until_done(); look at /proc/PID; child_go()
 *
 * A test has one child at a time.
 *
 * process_is_in() and child_waits() become true when the child has left its CPU: on a busy machine that may take
 * seconds.
 */
#ifndef HEATSCOPE_CHILD_KIT_H
#define HEATSCOPE_CHILD_KIT_H

#include <sys/types.h>

pid_t child_start(void (*act)(void *arg), void *arg);
void child_go(void);
void child_until_done(void);
int child_is_done(int ms);		/* waits so long for that; true: as child_until_done() */
int child_end(pid_t pid);		/* its wait status */
const char *child_label(pid_t pid);	/* as a label; the last four are kept */

/* Has the first thread of a process left its CPU, in this system call?  PROCESS_IN_ANY: in any, or stopped. */
#define PROCESS_IN_ANY -2l
int process_is_in(pid_t pid, long call);
void process_until_in(pid_t pid, long call);	/* waits for that, for a minute at most */

/* Has the child left its CPU in child_wait() or child_done(), and each other thread of it in the call `others`? */
int child_waits(pid_t pid, long others);
void child_until_waits(pid_t pid, long others);

void child_wait(void);			/* in the child: for child_go() */
void child_done(void);			/* in the child: says so, and waits for child_go() */

#endif
