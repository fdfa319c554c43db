#include "collector/probe/kernel_plan.h"
#include "collector/core/refuse.h"
#include "collector/probe/probe.h"
#include "collector/ring/record.h"
#include "collector/ring/ring_plan.h"

#include <bpf/libbpf.h>
#include <errno.h>

/* Exemplars must fit at least for the fewest slots: nothing else can be reduced for them. */
static int exemplars_fit(const struct ring_plan *plan, __u64 limit, char *reason)
{
	struct ring_plan least = *plan;
	__u64 bytes;

	if (least.n_slots > ring_plan_least(plan))
		least.n_slots = ring_plan_least(plan);
	bytes = record_exemplars_memory(&least);
	if (!limit || bytes <= limit)
		return 0;
	return refuse_as(-ENOMEM, reason, "%u exemplars would take %.1f MB of kernel memory (%u slots, %u CPUs), the limit is %.1f MB: "
		 "fewer exemplars", plan->n_exemplars, bytes / 1e6, least.n_slots, plan->n_cpus, limit / 1e6);
}

/* If memory is short, weights become coarser first; then short slots are held for fewer seconds; then there are fewer
 * shards. */
static int plan_fits(struct ring_plan *plan, __u64 limit, char *reason)
{
	__u32 least = ring_plan_least(plan);
	int err = exemplars_fit(plan, limit, reason);

	if (err)
		return err;
	while (limit && record_memory(plan) > limit && !ring_plan_coarsen(plan))
		;
	while (limit && record_memory(plan) > limit && plan->n_slots > least)
		plan->n_slots--;
	while (limit && record_memory(plan) > limit && plan->n_shards > 1)
		plan->n_shards--;
	if (!limit || record_memory(plan) <= limit)
		return 0;
	return refuse_as(-ENOMEM, reason, "it would take %.1f MB of kernel memory (%u slots, %u keys, %u measures, "
		 "%u weights, %u cells, %u exemplars), the limit is %.1f MB: fewer keys, slots, measures, weights or exemplars, "
		 "or fewer ruler bits", record_memory(plan) / 1e6, plan->n_slots, plan->n_classes - 1, plan->n_measures,
		 plan->n_weights, plan->n_cells, plan->n_exemplars, limit / 1e6);
}

/* Returns the number of discrete fields in its events. */
static __u32 discrete_fields(const struct metric *m)
{
	int n = 0;

	while (metric_at(m, FIELD_DISCRETE, n))
		n++;
	return (__u32)n;
}

static int measure_find(const struct metric *m, const char *name, __u8 *ret_index, char *reason)
{
	int index = metric_index(m, name, FIELD_NUMERIC);

	if (index < 0)
		return refuse(reason, "\"%s\" is not a measure of %s.%s", name, m->module, m->stat);
	*ret_index = (__u8)index;
	return 0;
}

int kernel_plan(const struct metric *m, const struct instrumentation *in, __u64 limit, int verbatim,
		struct ring_plan *ret_plan, char *reason)
{
	int err = ring_plan_make(in, libbpf_num_possible_cpus(), ret_plan, reason), index;
	size_t i;

	if (err)
		return err;
	for (i = 0; i < in->n_fields; i++) {
		index = metric_index(m, in->field[i], FIELD_DISCRETE);
		if (index >= 0)			/* the aggregator fills in the host's */
			ret_plan->field[ret_plan->n_fields++] = index;
	}
	if (!ret_plan->n_fields)
		ret_plan->n_classes = 2;
	for (i = 0; i < in->n_measures; i++) {
		err = measure_find(m, in->measure[i], &ret_plan->measure[i], reason);
		if (err)
			return err;
		if (m->scope == SCOPE_INTERVAL && metric_measure_scope(m, in->measure[i]) == SCOPE_POINT)
			ret_plan->points |= 1u << i;
	}
	ret_plan->verbatim = verbatim && in->n_exemplars;
	ret_plan->n_exemplar_fields = in->n_exemplars ? discrete_fields(m) : 0;
	for (i = 0; i < in->n_weights && !err; i++)
		err = measure_find(m, in->weight[i], &ret_plan->weight[i], reason);
	return err ? err : plan_fits(ret_plan, limit, reason);
}

__u64 kernel_wanted(const struct ring_plan *plan)
{
	__u64 wanted = 0;
	__u32 i;

	for (i = 0; i < plan->n_fields; i++)
		wanted |= WANTED_FIELD(plan->field[i]);
	for (i = 0; i < plan->n_measures; i++)
		wanted |= WANTED_MEASURE(plan->measure[i]);
	for (i = 0; i < plan->n_exemplar_fields; i++)
		wanted |= WANTED_FIELD(i);
	for (i = 0; i < plan->n_weights; i++)
		wanted |= WANTED_MEASURE(plan->weight[i]);
	return wanted | filter_wanted(&plan->filter);
}
