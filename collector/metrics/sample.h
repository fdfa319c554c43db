/* sample.h - describes the events of cpu.thread_samples: which thread is on each CPU, 99 times a second.
 *
 * Event   A look at a CPU that was not idle.  99 and not 100, so that it does not keep step with work that follows the
 *         clock.
 * Slot    the slot of the look.
 *
 * Measures  count, 1; subsecond of the wall clock, ns
 * Fields    those of process.h; `mode`: program or kernel was running; `stack`, where: stack.h's
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
