/* tier.h - defines the slot lengths that are kept: the kernel's own, minutes, hours.
 *
 *      tier 0   the batches' slots      retention-time
 *      tier 1   60 s                    tiers[0]
 *      tier 2   3600 s                  tiers[1]
 *
 * Shape   a kernel slot divides a second, so it divides a minute, and a minute divides an hour: every slot lies in
 *         exactly one slot of each coarser tier.  Outside of a store slots are always those of tier 0; the first of
 *         them in a coarser slot names it.
 * Law     adding is associative, so each tier holds the same events: the sum over a range of whole hours is the same in
 *         all three.
 */
#ifndef HEATSCOPE_TIER_H
#define HEATSCOPE_TIER_H

#include <linux/types.h>

enum { TIERS = 3 };

/* Returns how many slots of tier 0 are one slot of this tier. */
static inline __s64 tier_slots(__u64 slot_ns, int tier)
{
	const __u64 ns[TIERS] = { slot_ns, 60000000000ull, 3600000000000ull };

	return (__s64)(ns[tier] / slot_ns);
}

/* Can slots of this length be kept in tiers? */
static inline int tier_fits(__u64 slot_ns)
{
	return slot_ns && 1000000000 % slot_ns == 0;
}

static inline __s64 tier_divide(__s64 slot, __s64 by)	/* rounding down */
{
	return slot / by - (slot % by < 0);
}

/* Returns the first of the `per` slots that contain this one. */
static inline __s64 tier_down(__s64 slot, __s64 per)
{
	return tier_divide(slot, per) * per;
}

#endif
