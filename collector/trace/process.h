/* process.h - who it was: the fields that every metric of the machine begins with.
 *
 *      kernel: process_gather() -> codes in field[0 ..]      host: process_label(), process_codes()
 *
 * Fields, codes in the kernel:
 *
 *      pid        of the process, not of its thread
 *      execname   hash of the process' name, its first thread's
 *      psargs     hash of the first PROCESS_ARGS_MAX bytes of its command line, blanks between the arguments; as it
 *                 was when we first looked after its exec.  The name, where there is none to be read: kernel
 *                 threads, and a process that has not been on a CPU since we look
 *      ppid       the parent's pid
 *      cgroup     hash of the path in the version 2 hierarchy, at most PATH_MAX_LEN bytes of it
 *      unit       hash of the path's last part that is a systemd unit's name, or none
 *      container  hash of the short id of the innermost container in the path, or none; cgroup_name.h
 *                 says what counts as one
 *
 * So a code is a function of the text that is shown: the same text has the same code, whichever process,
 * cgroup or host it comes from, and no two codes are shown alike.
 */
#ifndef HEATSCOPE_PROCESS_H
#define HEATSCOPE_PROCESS_H

#include <linux/types.h>
#include "collector/trace/text.h"

enum process_field {
	PROCESS_PID, PROCESS_EXECNAME, PROCESS_PSARGS, PROCESS_PPID, PROCESS_CGROUP, PROCESS_UNIT, PROCESS_CONTAINER,
	PROCESS_N_FIELDS
};

#define PROCESS_WANTED ((1ull << PROCESS_N_FIELDS) - 1)	/* of WANTED_FIELD() */

/* The rows of a metric's table of fields that stand for these; `hostname` is the aggregator's. */
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

enum process_code { PROCESS_UNKNOWN, PROCESS_NONE };	/* of texts: not a hash */

struct path {
	char text[PATH_MAX_LEN + 1];
};

#ifndef __bpf__
#include <stddef.h>

struct process_texts {			/* maps of the programs that gather */
	int texts_fd, paths_fd;
};

/* The label of a code; out is LABEL_MAX + 1 bytes. */
void process_label(const struct process_texts *t, unsigned field, __u64 code, char *out);

/* The other way: the codes that are shown as `text`, 0 or 1 of them, also before there is such a process. */
int process_codes(unsigned field, const char *text, __u64 *ret_code, size_t max);
#endif

#endif
