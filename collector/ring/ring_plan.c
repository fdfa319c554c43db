#include "collector/ring/ring_plan.h"

#include "collector/core/refuse.h"

#include <errno.h>

#define RING_S 12			/* a reader that comes within this time misses nothing */
#define LEAST_S 1			/* where memory is short: within this time */
#define LEAST_SLOTS 12
#define SPARES_NS 70000000		/* time for a drain and a grace period: slots that end in it get spare rows */
#define SHARDS_MAX 4
#define WEIGHT_BITS_LEAST 1		/* a cell is at most half as wide as its value */

static void weights_size(struct ring_plan *p, __u64 ruler)
{
	p->weight_ruler = p->n_weights ? ruler : 0;
	p->n_weight_cells = p->n_weights ? ruler_cells(ruler) : 0;
}

int ring_plan_make(const struct instrumentation *in, unsigned n_cpus, struct ring_plan *ret_plan, char *reason)
{
	struct ring_plan p = { .slot_ns = in->slot_ns, .n_slots = in->n_slots, .n_classes = in->n_keys + 1 };
	__u64 least = (RING_S * 1000000000ull + in->slot_ns - 1) / in->slot_ns;
	size_t m;

	if (p.n_slots < least)
		p.n_slots = least;
	p.n_idle = p.n_slots;
	p.n_spares = 1 + (SPARES_NS / in->slot_ns < RING_SPARES_MAX - 1 ? SPARES_NS / in->slot_ns : RING_SPARES_MAX - 1);
	if (least + p.n_spares > RING_ROWS_MAX || p.n_slots + p.n_spares > RING_ROWS_MAX)
		return refuse(reason, "a slot of %llu ns is too short: %d s of them are more than %d slots",
			 (unsigned long long)in->slot_ns, RING_S, RING_ROWS_MAX - p.n_spares);
	p.n_shards = n_cpus < SHARDS_MAX ? n_cpus : SHARDS_MAX;
	p.n_exemplars = in->n_exemplars;
	p.n_cpus = n_cpus;
	p.n_measures = in->n_measures;
	for (m = 0; m < in->n_measures; m++) {
		p.ruler[m] = in->ruler[m];
		if (ruler_cells(in->ruler[m]) > p.n_cells)
			p.n_cells = ruler_cells(in->ruler[m]);
	}
	p.n_cells += p.n_cells & 1;		/* the kernel pads a value to 8 bytes anyway */
	p.n_weights = in->n_weights;
	weights_size(&p, in->weight_ruler);
	*ret_plan = p;
	return 0;
}

int ring_plan_coarsen(struct ring_plan *plan)
{
	if (!plan->n_weights || ruler_bits(plan->weight_ruler) <= WEIGHT_BITS_LEAST)
		return -ENOENT;
	weights_size(plan, ruler_coarser(plan->weight_ruler, ruler_bits(plan->weight_ruler) - 1));
	return 0;
}

__u32 ring_plan_least(const struct ring_plan *plan)
{
	__u64 least = (LEAST_S * 1000000000ull + plan->slot_ns - 1) / plan->slot_ns;

	return least > LEAST_SLOTS ? least : LEAST_SLOTS;
}
