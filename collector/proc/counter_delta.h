/* counter_delta.h - computes by how much counters of things that come and go grew between two snapshots.
 *
 *      growth_begin(), growth_add(thing, counters) ... growth_begin(), growth_add(...), growth_of()
 *
 * A thing has no growth (no value) if it was absent before, or if one of its counters is lower than before (a reset, a
 * device that was removed and put back, a counter that wrapped).
 * Memory  growth_fini() frees; a zeroed one with n_values set is empty.
 */
#ifndef HEATSCOPE_GROWTH_H
#define HEATSCOPE_GROWTH_H

#include <linux/types.h>
#include <stddef.h>

#define GROWTH_VALUES 12

struct growth_thing {
	__u64 code;			/* hash of its name */
	__u64 value[GROWTH_VALUES];
};

struct growth_snapshot {
	struct growth_thing *thing;
	size_t n, room;
};

struct growth {
	size_t n_values;
	__u32 may_shrink;		/* counters (bits) that the kernel corrects downwards: their growth is then 0 */
	struct growth_snapshot now, before;
};

void growth_fini(struct growth *s);
void growth_begin(struct growth *s);		/* the current snapshot becomes the previous one */
void growth_forget(struct growth *s);		/* drops the previous snapshot */
int growth_add(struct growth *s, __u64 code, const __u64 *value);	/* -ENOMEM */

/* Finds the growth of the i-th thing that was added; 0: it has none. */
int growth_of(const struct growth *s, size_t i, __u64 ret_growth[GROWTH_VALUES]);

#endif
