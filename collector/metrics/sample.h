/* sample.h - describes the events of cpu.thread_samples: which thread is on each CPU, 99 times a second.
 *
 * Event   A sample of a CPU that is not idle.  The rate is not 100, because that would keep step with work that follows
 *         the clock.
 * Slot    the slot of the sample.
 *
 * Measures  count, 1; subsecond of the wall clock, ns
 * Fields    those of process.h; `mode`: did the program or the kernel run; `stack`, where (stack.h)
 */
#ifndef HEATSCOPE_SAMPLE_H
#define HEATSCOPE_SAMPLE_H

#include "collector/trace/process.h"
#include "collector/trace/stack.h"

#define SAMPLE_HZ 99

enum sample_measure { SAMPLE_COUNT, SAMPLE_SUBSECOND };

enum { SAMPLE_MODE = PROCESS_N_FIELDS, SAMPLE_STACK };

enum cpu_mode { MODE_KERNEL, MODE_USER };

#endif
