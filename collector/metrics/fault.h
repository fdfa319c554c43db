/* fault.h - describes the events of memory.faults: page faults, as the kernel accounts them to threads.
 *
 *      page_fault_user, page_fault_kernel .......... the kernel's counters min_flt, maj_flt
 *        |                  latency                        |
 *
 * Event   A fault that was resolved, of a program or of the kernel at a program's memory.  getrusage() counts the same,
 *         except faults of the kernel when it pins pages (direct I/O, exec's arguments).
 * Slot    the slot of its end.
 *
 * Measures  latency, ns (0 if its begin was not seen); count, 1; subsecond of the wall clock, ns
 * Fields    those of process.h; `type`: a major fault waited for a disk; `access`; `mode`: did the program or the
 *           kernel touch the page
 */
#ifndef HEATSCOPE_FAULT_H
#define HEATSCOPE_FAULT_H

#include "collector/trace/process.h"

enum fault_measure { FAULT_LATENCY, FAULT_COUNT, FAULT_SUBSECOND };

enum fault_field { FAULT_TYPE = PROCESS_N_FIELDS, FAULT_ACCESS, FAULT_MODE };

enum fault_type { FAULT_MINOR, FAULT_MAJOR };
enum fault_access { ACCESS_READ, ACCESS_WRITE, ACCESS_EXECUTE, ACCESS_UNKNOWN };
enum fault_mode { FAULT_KERNEL, FAULT_USER };

#endif
