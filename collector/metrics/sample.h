/* sample.h - cpu.thread_samples: 99 times a second, who is on each CPU.
 *
 * Event   A look at a CPU that was not idle.  99 and not 100, so as not to keep step with what goes by the clock.
 * Slot    of the look.
 *
 * Measures  count, 1; subsecond of the wall clock, ns
 * Fields    those of process.h; `mode`, whether the program was running or the kernel; `stack`, where: stack.h's
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
