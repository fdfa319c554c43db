/* child_kit.h - runs a child process that does something known when the test says so.
 *
 *      child: act(arg) { child_wait(); ...; child_done(); ... }
 *      test:  pid = child_start(act, arg); ...; child_go(); child_until_done(); look at /proc/PID; child_go()
 *
 * One at a time.
 */
#ifndef HEATSCOPE_CHILD_H
#define HEATSCOPE_CHILD_H

#include <sys/types.h>

pid_t child_start(void (*act)(void *arg), void *arg);
void child_go(void);
void child_until_done(void);
int child_end(pid_t pid);		/* its wait status */
const char *child_label(pid_t pid);	/* as a label; the last four are kept */

void child_wait(void);			/* in the child: for child_go() */
void child_done(void);			/* in the child: says so, and waits for child_go() */

#endif
