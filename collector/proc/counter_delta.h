/* counter_delta.h - computes how much the counters of a thing (a disk, an interface) grew between two snapshots.
 *
 *      counter_delta_begin(), counter_delta_add(thing, counters) ...
 *      counter_delta_begin(), counter_delta_add(thing, counters) ... counter_delta_of()
 *
 * A thing has no growth if it was absent before, or if one of its counters is lower than before.  That happens at a
 * reset, a wrap, or if a device was removed and put back.
 * Memory  counter_delta_fini() frees; a zeroed one with n_values set is empty.
 */
#ifndef HEATSCOPE_COUNTER_DELTA_H
#define HEATSCOPE_COUNTER_DELTA_H

#include <linux/types.h>
#include <stddef.h>

#define COUNTER_DELTA_VALUES 12

struct counter_delta_thing {
	__u64 code;			/* hash of its name */
	__u64 value[COUNTER_DELTA_VALUES];
};

struct counter_delta_snapshot {
	struct counter_delta_thing *thing;
	size_t n, room;
};

struct counter_delta {
	size_t n_values;
	__u32 may_shrink;		/* counters (bits) that the kernel corrects downwards: their growth is then 0 */
	struct counter_delta_snapshot now, before;
};

void counter_delta_fini(struct counter_delta *s);
void counter_delta_begin(struct counter_delta *s);	/* the current snapshot becomes the previous one */
int counter_delta_add(struct counter_delta *s, __u64 code, const __u64 *value);	/* -ENOMEM */

/* Finds the growth of the i-th thing that was added; 0: it has none. */
int counter_delta_of(const struct counter_delta *s, size_t i, __u64 ret_growth[COUNTER_DELTA_VALUES]);

#endif
