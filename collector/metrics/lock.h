/* lock.h - describes the events of lock.contention: waits for the kernel's own locks.
 *
 *      contention_begin ....... latency ....... contention_end
 *
 * Event   A thread that found a lock taken gets it, or gives up (a signal, a time limit).  Locks of programs (futex)
 *         are not the kernel's: a wait for one is a sleep, see cpu.offcpu.
 * Slot    the slot of the end.
 *
 * Measures  latency, ns; count, 1; subsecond of the wall clock, ns
 * Fields    those of process.h, of the thread that waited.  If an interrupt waits, they are those of the thread that it
 *           interrupted.  `type` of the lock; `lock`, its name, if we can identify it
 */
#ifndef HEATSCOPE_LOCK_H
#define HEATSCOPE_LOCK_H

#include "collector/trace/process.h"

enum lock_measure { LOCK_LATENCY, LOCK_COUNT, LOCK_SUBSECOND };

enum lock_field { LOCK_TYPE = PROCESS_N_FIELDS, LOCK_LOCK };

enum lock_name { LOCK_ANY, LOCK_MMAP };

/* Flags of the tracepoint, include/trace/events/lock.h */
enum { LCB_SPIN = 1, LCB_READ = 2, LCB_WRITE = 4, LCB_RT = 8, LCB_PERCPU = 16, LCB_MUTEX = 32 };

enum lock_type {
	LOCK_SPIN, LOCK_RWLOCK_READ, LOCK_RWLOCK_WRITE, LOCK_MUTEX, LOCK_RWSEM_READ, LOCK_RWSEM_WRITE, LOCK_PERCPU_READ,
	LOCK_PERCPU_WRITE, LOCK_RT, LOCK_SEMAPHORE, LOCK_N
};

static inline __u64 lock_type(__u32 flags)
{
	if (flags & LCB_MUTEX)		/* spins at first, too */
		return LOCK_MUTEX;
	if (flags & LCB_RT)
		return LOCK_RT;
	if (flags & LCB_PERCPU)
		return flags & LCB_WRITE ? LOCK_PERCPU_WRITE : LOCK_PERCPU_READ;
	if (flags & LCB_SPIN)
		return flags & LCB_WRITE ? LOCK_RWLOCK_WRITE : flags & LCB_READ ? LOCK_RWLOCK_READ : LOCK_SPIN;
	return flags & LCB_WRITE ? LOCK_RWSEM_WRITE : flags & LCB_READ ? LOCK_RWSEM_READ : LOCK_SEMAPHORE;
}

/* Does its waiter keep the CPU?  Then an interrupt may come and wait, too. */
static inline int lock_spins(__u32 flags)
{
	return lock_type(flags) <= LOCK_RWLOCK_WRITE;
}

#endif
