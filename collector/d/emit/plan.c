#include "collector/d/emit/plan.h"
#include "collector/core/array.h"

#include <unistd.h>

static bool shares_program(enum d_context context)
{
	return context != CONTEXT_DTRACE && context != CONTEXT_PROFILE && context != CONTEXT_TICK && context != CONTEXT_OFF_CPU &&
	       context != CONTEXT_ON_CPU;
}

bool d_group_is_single(const struct d_group *g) { return !shares_program(g->context); }

bool d_group_is_uniform(const struct d_group *g)
{
	__u64 all = g->n_clauses < 64 ? (1ull << g->n_clauses) - 1 : ~0ull;

	for (size_t i = 0; i < g->n_probes; i++)
		if (g->entries[i].clauses != all)
			return false;
	return true;
}

enum d_activity d_group_activity(const struct d_group *g)
{
	if (g->context != CONTEXT_DTRACE)
		return ACTIVITY_ACTIVE;
	return g->probes[0]->id == PROBE_BEGIN ? ACTIVITY_BEGIN : ACTIVITY_DRAINING;
}

/* A program reads the arguments of static probes where these have them. */
static bool same_arguments(const struct d_probe *a, const struct d_probe *b)
{
	return !a->arguments || !strcmp(a->arguments, b->arguments);
}

static int group_for(struct d_plan *p, const struct d_probe *probe, size_t *ret_at)
{
	for (size_t i = 0; i < p->n_groups && shares_program(probe->context); i++)
		if (p->groups[i].context == probe->context && same_arguments(p->groups[i].probes[0], probe)) {
			*ret_at = i;
			return 0;
		}
	if (array_grow(&p->groups, p->n_groups, &p->room, sizeof(*p->groups)))
		return -ENOMEM;
	p->groups[p->n_groups] = (struct d_group){ .context = probe->context, .fd = -1, .table = -1 };
	*ret_at = p->n_groups++;
	return 0;
}

static int places_grow(struct d_plan *p, __u32 id)
{
	size_t n = p->n_places ? p->n_places : 64;

	if (id < p->n_places)
		return 0;
	while (n <= id)
		n *= 2;
	if (array_resize(&p->place, n, sizeof(*p->place)))
		return -ENOMEM;
	memset(p->place + p->n_places, 0, (n - p->n_places) * sizeof(*p->place));
	p->n_places = n;
	return 0;
}

static int add_probe(struct d_plan *p, const struct d_probe *probe)
{
	struct d_group *g;
	size_t at;

	if (places_grow(p, probe->id))
		return -ENOMEM;
	if (p->place[probe->id].group)
		return 0;
	if (group_for(p, probe, &at))
		return -ENOMEM;
	g = &p->groups[at];
	if (array_grow(&g->probes, g->n_probes, &g->probes_room, sizeof(struct d_probe *)) ||
	    array_grow(&g->entries, g->n_probes, &g->entries_room, sizeof(*g->entries)))
		return -ENOMEM;
	g->probes[g->n_probes] = probe;
	g->entries[g->n_probes] = (struct d_entry){ .probe = probe->id };
	p->place[probe->id].group = at + 1;
	p->place[probe->id].entry = g->n_probes++;
	return 0;
}

int d_plan_add(struct d_plan *p, struct d_clause *clause, const struct d_probe *probe)
{
	struct d_group *g;
	int err = add_probe(p, probe);

	if (err)
		return err;
	g = &p->groups[p->place[probe->id].group - 1];
	if (!g->n_clauses || g->clauses[g->n_clauses - 1] != clause) {
		if (!d_group_is_single(g) && g->n_clauses == D_MASK_CLAUSES)
			return -E2BIG;
		if (array_grow(&g->clauses, g->n_clauses, &g->clauses_room, sizeof(struct d_clause *)))
			return -ENOMEM;
		g->clauses[g->n_clauses++] = clause;
	}
	if (g->n_clauses <= D_MASK_CLAUSES)
		g->entries[p->place[probe->id].entry].clauses |= 1ull << (g->n_clauses - 1);
	return 0;
}

bool d_plan_has(const struct d_plan *p, const struct d_probe *probe) { return probe->id < p->n_places && p->place[probe->id].group; }

void d_plan_fini(struct d_plan *p)
{
	for (size_t i = 0; i < p->n_groups; i++) {
		d_ir_fini(&p->groups[i].ir);
		if (p->groups[i].fd >= 0)
			close(p->groups[i].fd);
		if (p->groups[i].table >= 0)
			close(p->groups[i].table);
		free(p->groups[i].probes);
		free(p->groups[i].entries);
		free(p->groups[i].clauses);
	}
	free(p->groups);
	free(p->place);
	*p = (struct d_plan){ 0 };
}
