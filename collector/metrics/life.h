/* life.h - describes the events of proc.execs, proc.forks, proc.exits and thread.creates.
 *
 * Event   proc.execs      a process runs a program (and already has its new name and arguments)
 *         proc.forks      a process creates another; the fields are the creator's.  vfork and posix_spawn are forks
 *         proc.exits      the last thread of a process ends
 *         thread.creates  a process creates a thread of its own
 *         A kernel thread is a process, forked by [kthreadd].
 * Slot    the slot of the moment.
 *
 * Measures
 *
 *      count      1: how many, without a distribution
 *      walltime   proc.exits: ns since the process was created
 *      subsecond  of the wall clock at the moment, ns
 *
 * Fields  those of process.h; of proc.exits also `status`, the process' exit code or, if a signal killed it,
 *         STATUS_SIGNAL | its number
 */
#ifndef HEATSCOPE_LIFE_H
#define HEATSCOPE_LIFE_H

#include "collector/trace/process.h"

enum life_measure { LIFE_COUNT, LIFE_SUBSECOND, LIFE_WALLTIME };

enum life_field { LIFE_STATUS = PROCESS_N_FIELDS };

#define STATUS_SIGNAL 256

/* Reads the kernel's wait status: code << 8 | core dumped 128 | signal. */
static inline __u64 life_status(__u32 wait_status)
{
	return wait_status & 127 ? STATUS_SIGNAL | (wait_status & 127) : wait_status >> 8 & 255;
}

#endif
