/* process.h - defines the fields that describe the process of an event.
 *
 *      kernel: process_gather() -> codes in field[0 ..]      host: process_label(), process_codes()
 *
 * A metric whose events belong to processes begins with these fields.  Their codes:
 *
 *      pid        the number of the process, not of the thread
 *      execname   hash of the name of the process' first thread
 *      psargs     hash of the first PROCESS_ARGS_MAX bytes of the command line, with blanks between the arguments.  The
 *                 programs read it when an event finds the process on the CPU: once after an exec, and again if the map
 *                 of texts has forgotten it.  Until they can read it, psargs is the same as execname: for kernel
 *                 threads always
 *      ppid       the parent's pid
 *      cgroup, unit, container, pod, containername   codes of the process' control group, see cgroup.h
 *
 * A hash depends on the text only.  So a text has the same code in every process, control group and host.  If the
 * kernel has no memory for a process or a control group, the code is PROCESS_UNKNOWN.
 */
#ifndef HEATSCOPE_PROCESS_H
#define HEATSCOPE_PROCESS_H

#include <linux/types.h>
#include "collector/trace/cgroup.h"
#include "collector/trace/text.h"

enum process_field {
	PROCESS_PID, PROCESS_EXECNAME, PROCESS_PSARGS, PROCESS_PPID, PROCESS_CGROUP, PROCESS_UNIT, PROCESS_CONTAINER,
	PROCESS_POD, PROCESS_CONTAINER_NAME, PROCESS_N_FIELDS
};

#define PROCESS_WANTED ((1ull << PROCESS_N_FIELDS) - 1)	/* the bits WANTED_FIELD() of these fields */

/* The rows of these fields in a metric's table, and `hostname`, which the aggregator fills in. */
#define PROCESS_FIELDS                                                                                \
	{ "pid", "process id", "string", FIELD_DISCRETE, 0, 0, 0 },                                   \
	{ "execname", "process name", "string", FIELD_DISCRETE, 0, 0, 0 },                            \
	{ "psargs", "command line", "string", FIELD_DISCRETE, 0, 0, 0 },                              \
	{ "ppid", "parent process id", "string", FIELD_DISCRETE, 0, 0, 0 },                           \
	{ "cgroup", "control group", "string", FIELD_DISCRETE, 0, 0, 0 },                             \
	{ "unit", "systemd unit", "string", FIELD_DISCRETE, 0, 0, 0 },                                \
	{ "container", "container id", "string", FIELD_DISCRETE, 0, 0, 0 },                           \
	{ "pod", "pod", "string", FIELD_DISCRETE, 0, 0, 0 },                                          \
	{ "containername", "container name", "string", FIELD_DISCRETE, 0, 0, 0 },                     \
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 }

#define PROCESS_ARGS_MAX (TEXT_MAX - 1)

enum process_code { PROCESS_UNKNOWN = CGROUP_UNKNOWN, PROCESS_NONE = CGROUP_NONE };

#ifndef __bpf__
#include <stddef.h>

struct process_texts {			/* the maps `texts` and `paths` of the programs that gather the fields */
	int texts_fd, paths_fd;
};

/* Writes the label of a code: its text, or #hash if the map has forgotten the text.  out is LABEL_MAX + 1 bytes. */
void process_label(const struct process_texts *t, unsigned field, __u64 code, char *out);

/* Finds the code that processes with this text have, even if there is no such process yet.  Returns how many codes: 1,
 * or 0 if no process can have that id; -E2BIG: max is 0.  It never finds PROCESS_UNKNOWN. */
int process_codes(unsigned field, const char *text, __u64 *ret_code, size_t max);
#endif

#endif
