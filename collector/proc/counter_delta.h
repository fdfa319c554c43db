/* counter_delta.h - counters of things that come and go: by how much they grew between two snapshots.
 *
 *      growth_begin(), growth_add(thing, counters) ... growth_begin(), growth_add(...), growth_of()
 *
 * A thing that was not there before, or one of whose counters is lower than it was (a reset, a device
 * taken away and put back, a counter that wrapped), has not grown by anything: it has no value.
 * Memory  growth_fini() frees; a zeroed one with n_values set is empty.
 */
#ifndef HEATSCOPE_GROWTH_H
#define HEATSCOPE_GROWTH_H

#include <linux/types.h>
#include <stddef.h>

#define GROWTH_VALUES 12

struct growth_thing {
	__u64 code;			/* of its name */
	__u64 value[GROWTH_VALUES];
};

struct growth_snapshot {
	struct growth_thing *thing;
	size_t n, room;
};

struct growth {
	size_t n_values;
	__u32 may_shrink;		/* counters (bits) that the kernel corrects downwards: then 0 */
	struct growth_snapshot now, before;
};

void growth_fini(struct growth *s);
void growth_begin(struct growth *s);		/* what is now becomes what was before */
void growth_forget(struct growth *s);		/* nothing was before */
int growth_add(struct growth *s, __u64 code, const __u64 *value);	/* -ENOMEM */

/* The growth of the i-th thing that was added; 0: it has none. */
int growth_of(const struct growth *s, size_t i, __u64 ret_growth[GROWTH_VALUES]);

#endif
