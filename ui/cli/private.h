/* private.h - a heatscoped of one's own, for recordings and measurements: on Unix sockets in a temporary folder,
 * in memory, without a configuration, gone with the command.
 *
 *      private_start()  ->  client.url = private.url  ->  private_replay() or a collector  ->  private_stop()
 *
 * Programs are looked for beside this one, then in the installed place, then in $PATH.
 * Errors  0 or -errno with a sentence in `reason`.
 */
#ifndef HEATSCOPE_PRIVATE_H
#define HEATSCOPE_PRIVATE_H

#include <sys/types.h>

struct private {
	char folder[64];
	char url[96];			/* "unix:..." */
	char ingest[96];		/* the collectors' socket */
	pid_t pid;
	char reason[256];
};

/* keep: nothing grows too old, as a recording needs it; else it forgets what is older than its retention. */
int private_start(struct private *p, int keep);
void private_stop(struct private *p);	/* stops it by its pid, removes the folder, as a signal that ends this program does */

/* Is a collector that a command starts to log only warnings and errors (--quiet), as its reader reads what was measured?  Not with
 * $HEATSCOPE_VERBOSE. */
int program_is_quiet(void);

/* Starts one of our programs; argv[0] is its bare name.  Its stderr goes to error_fd; -1: to ours.  It is in a process group of its own,
 * and gets SIGTERM when this one ends.  0 or -errno. */
int program_start(const char *const *argv, int error_fd, pid_t *ret_pid);

/* Waits for it; 0, or -EIO if it did not exit with 0. */
int program_wait(pid_t pid);

/* An error_fd in memory, which grows as it must; the caller closes it.  -1: there is none, and stderr is ours. */
int errors_open(void);

/* The last line that a program wrote there, without our programs' name before it; "": nothing. */
void errors_last(int fd, char *ret_line, size_t room);

#endif
