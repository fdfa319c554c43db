/* private.h - starts a private heatscoped, for recordings and measurements; it ends with the command.
 *
 *      private_start()  ->  client.url = private.url  ->  program_start(): a collector  ->  private_stop()
 *
 * It has no configuration, keeps data in memory, and listens on Unix sockets in a temporary folder.  Programs are
 * looked for in the folder of this program, then in the installed place, then in $PATH.
 * Errors  0 or -errno with a sentence in `reason`.
 */
#ifndef HEATSCOPE_PRIVATE_H
#define HEATSCOPE_PRIVATE_H

#include <stdbool.h>
#include <sys/types.h>

struct private {
	char folder[64];
	char url[96];			/* "unix:..." */
	char ingest[96];		/* the collectors' socket */
	pid_t pid;
	char reason[256];
};

/* Starts heatscoped.  keep: data never becomes too old, which a recording needs; else heatscoped removes data older
 * than its retention. */
int private_start(struct private *p, int keep);
/* Stops it by its pid and removes the folder; so does a signal that ends this program. */
void private_stop(struct private *p);

/* Shall a collector that a command starts log only warnings and errors (--quiet), as the user reads the measurements?
 * Not with $HEATSCOPE_VERBOSE. */
int program_is_quiet(void);

/* Starts one of our programs; argv[0] is its bare name.  Its stderr goes to error_fd; -1: to ours.  It has its own
 * process group, and gets SIGTERM when this program ends.  0 or -errno. */
int program_start(const char *const *argv, int error_fd, pid_t *ret_pid);

/* Waits for it; 0, or -EIO if it did not exit with 0. */
int program_wait(pid_t pid);
bool program_has_ended(pid_t pid);	/* program_wait() does not wait then */

/* Opens an error_fd in memory, which grows as needed; the caller closes it.  -1: cannot be opened; use our stderr. */
int errors_open(void);

/* Returns the last line that a program wrote there, without the program's name in front; "": nothing. */
void errors_last(int fd, char *ret_line, size_t room);

#endif
