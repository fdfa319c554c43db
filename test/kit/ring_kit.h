/* ring_kit.h - runs the ring and its reader in ordinary memory, without a kernel.
 *
 *      bench_record() ... --> ring --bench_drain()--> reader --> the batches, added up in struct bench
 *
 * The writers do what record.bpf.c does, with the same functions of ring.h.  A read-write lock stands for RCU: a writer
 * holds it shared, a grace period takes it once alone.
 *
 * Errors  fail the test.
 * Thread  bench_record(), bench_enter(), bench_leave() any; all else one.
 */
#ifndef HEATSCOPE_RING_KIT_H
#define HEATSCOPE_RING_KIT_H

#include "collector/ring/reader.h"
#include "test/kit/check.h"

#include <pthread.h>

#define SLOT_NS 1000ull
#define N_SLOTS 12
#define N_KEYS 4
#define N_CPUS 4			/* that remember classes: any other remembers with one of these */

struct bench {
	struct reader_ring ring;
	struct reader *reader;
	struct key key[N_KEYS + 1];	/* of a class; used[]: it has one */
	int used[N_KEYS + 1];
	__u32 free[N_KEYS + 1], n_free;
	struct ring_remembered remembered[N_CPUS][RING_REMEMBERED];
	struct ring_late late[RING_LATE_MAX];
	size_t n_late, room_late;
	pthread_rwlock_t rcu;
	pthread_mutex_t lock;		/* of classes and queue, which the kernel's maps lock themselves */

	/* what was handed over */
	__u64 count[4096], sum[4096], by_key[16], other, n_shed;
	__u64 odd_count[4096], odd_sum[4096];	/* of the second measure */
	__u64 weighed_count[2][4096], weighed[2][4096];	/* both measures by the first */
	int times[4096];		/* a slot was covered by a first batch */
	int amended[4096];
	__u64 n_lost, lost_sum;
	__s64 lost_first, lost_last;
	__s64 next;
	__u32 next_seq;
	int n_batches, out_of_order;
	__s64 step_ns, step_slot;
	__u32 every[4096];
	__u64 worst[4096], reported[4096];	/* exemplars: the worst one's value, how many */
	__u64 missed[4096];
};

/* Make a ring whose first slot this is, with one spare row or n_spares.  points: bits of measures of scope point. */
struct bench *bench_new(__u64 first_slot);
struct bench *bench_with(__u64 first_slot, __u32 n_spares);
struct bench *bench_made(__u64 first_slot, __u32 n_spares, __u32 points);

/* Begins again with a reader whose plan has this filter.  Call it before the first drain. */
void bench_filter(struct bench *b, const struct filter *f);

/* Asserts that every event that was handed over had its other measure and its weights. */
void bench_free(struct bench *b);

/* Records an event of that slot on that CPU, whose key is the code; its second measure is `value % 2`. */
void bench_record(struct bench *b, __u64 slot, __u64 code, __u64 value, __u32 cpu);

/* Begins and ends a program, for which a grace period waits.  bench_record() does both itself; it may stand between
 * them. */
void bench_enter(struct bench *b);
void bench_leave(struct bench *b);

/* Waits for a grace period: until all programs that run have ended. */
void bench_wait(struct bench *b);

/* Hands over all that ended before that slot, and what was late. */
void bench_drain(struct bench *b, __u64 now_slot);
struct batch_sink bench_sink(struct bench *b);	/* for a test that drains by itself */

#endif
