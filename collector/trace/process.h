/* process.h - defines the fields for the process of an event, with which every metric of the machine begins.
 *
 *      kernel: process_gather() -> codes in field[0 ..]      host: process_label(), process_codes()
 *
 * Fields, codes in the kernel:
 *
 *      pid        the process id, not the thread's
 *      execname   hash of the name of the process' first thread
 *      psargs     hash of the first PROCESS_ARGS_MAX bytes of the command line, with blanks between the arguments, as
 *                 it was when we first read it after the exec.  Without a command line to read it is the name: of
 *                 kernel threads, and of processes that were not on a CPU since we started
 *      ppid       the parent's pid
 *      cgroup     hash of the path in the version 2 hierarchy, at most PATH_MAX_LEN bytes of it
 *      unit       hash of the path's last part that is a systemd unit's name, or none
 *      container  hash of the short id of the innermost container in the path, or none (cgroup_name.h)
 *
 * A code is a function of the shown text.  So one text has the same code in every process, cgroup and host, and
 * different codes have different texts.
 */
#ifndef HEATSCOPE_PROCESS_H
#define HEATSCOPE_PROCESS_H

#include <linux/types.h>
#include "collector/trace/text.h"

enum process_field {
	PROCESS_PID, PROCESS_EXECNAME, PROCESS_PSARGS, PROCESS_PPID, PROCESS_CGROUP, PROCESS_UNIT, PROCESS_CONTAINER,
	PROCESS_N_FIELDS
};

#define PROCESS_WANTED ((1ull << PROCESS_N_FIELDS) - 1)	/* the bits WANTED_FIELD() of all these */

/* The rows for these in a metric's table of fields; the aggregator fills in `hostname`. */
#define PROCESS_FIELDS                                                                                \
	{ "pid", "process id", "string", FIELD_DISCRETE, 0, 0, 0 },                                   \
	{ "execname", "process name", "string", FIELD_DISCRETE, 0, 0, 0 },                            \
	{ "psargs", "command line", "string", FIELD_DISCRETE, 0, 0, 0 },                              \
	{ "ppid", "parent process id", "string", FIELD_DISCRETE, 0, 0, 0 },                           \
	{ "cgroup", "control group", "string", FIELD_DISCRETE, 0, 0, 0 },                             \
	{ "unit", "systemd unit", "string", FIELD_DISCRETE, 0, 0, 0 },                                \
	{ "container", "container id", "string", FIELD_DISCRETE, 0, 0, 0 },                           \
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 }

#define PROCESS_ARGS_MAX (TEXT_MAX - 1)
#define PATH_MAX_LEN 255		/* == LABEL_MAX */
#define PATHS_MAX 1024

enum process_code { PROCESS_UNKNOWN, PROCESS_NONE };	/* codes of texts that are not hashes */

struct path {
	char text[PATH_MAX_LEN + 1];
};

#ifndef __bpf__
#include <stddef.h>

struct process_texts {			/* maps of the programs that gather the fields */
	int texts_fd, paths_fd;
};

/* Writes the label of a code; out is LABEL_MAX + 1 bytes. */
void process_label(const struct process_texts *t, unsigned field, __u64 code, char *out);

/* The inverse: finds the codes that are shown as `text`, 0 or 1 of them, even if there is no such process yet. */
int process_codes(unsigned field, const char *text, __u64 *ret_code, size_t max);
#endif

#endif
