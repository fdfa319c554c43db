/* cpus.h - reads from /proc/stat how busy each CPU was, for cpu.cpus.
 *
 *      cpu0 59297 283 16951 231069 1025 0 573 40 0 0        ticks of 10 ms: user nice system idle iowait irq
 *      cpu1 58344 312 17036 231916 737 0 921 40 0 0         softirq steal (guest, guest_nice: in user, nice)
 *
 * utilization  percent of the ticks that were neither idle nor iowait.  By cpumode: percent of each mode; the modes
 *              of a CPU add up to its utilization (except for rounding).
 */
#ifndef HEATSCOPE_CPUS_H
#define HEATSCOPE_CPUS_H

#include "collector/proc/counter_delta.h"
#include "collector/proc/words.h"

enum { CPUS_USER, CPUS_NICE, CPUS_SYSTEM, CPUS_IRQ, CPUS_SOFTIRQ, CPUS_STEAL, CPUS_N_MODES,
       CPUS_IDLE = CPUS_N_MODES, CPUS_IOWAIT, CPUS_VALUES };

/* Adds each CPU of /proc/stat's text; 0, -EBADMSG (another format), -ENOMEM. */
int cpus_parse(const void *text, size_t len, struct counter_delta *counters, struct words *words);

#endif
