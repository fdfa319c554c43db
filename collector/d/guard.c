#include "collector/d/guard.h"

#include <bpf/bpf.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_NS 100000000ull
#define PERIOD_NS 1000000000ull

/* The time that all programs have taken since they were loaded. */
static __u64 run_time_of(const struct d_plan *p)
{
	struct bpf_prog_info info;
	__u64 sum = 0;

	for (size_t i = 0; i < p->n_groups; i++) {
		__u32 len = sizeof(info);

		memset(&info, 0, sizeof(info));
		if (p->groups[i].fd >= 0 && !bpf_obj_get_info_by_fd(p->groups[i].fd, &info, &len))
			sum += info.run_time_ns;
	}
	return sum;
}

void d_guard_fini(struct d_guard *g)
{
	if (g->stats >= 0)
		close(g->stats);
	g->stats = -1;
}

void d_guard_init(struct d_guard *g, const struct d_plan *plan, double limit)
{
	*g = (struct d_guard){ .plan = plan, .limit = limit, .n_cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };
	g->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	g->is_blind = g->stats < 0;
	d_guard_fini(g);
}

static void window_begin(struct d_guard *g, __u64 now_ns)
{
	g->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	g->run_time_ns = run_time_of(g->plan);
	g->began_ns = now_ns;
}

static void window_end(struct d_guard *g, __u64 now_ns)
{
	__u64 taken = run_time_of(g->plan) - g->run_time_ns;

	g->share = (double)taken / (double)(now_ns - g->began_ns) / g->n_cpus;
	g->n_high = g->share > g->limit ? g->n_high + 1 : 0;
	d_guard_fini(g);
}

enum d_guard_finding d_guard_look(struct d_guard *g, __u64 now_ns)
{
	bool late = g->looked_ns && now_ns - g->looked_ns > D_GUARD_LATE_NS;

	g->looked_ns = now_ns;
	if (g->stats >= 0 && now_ns - g->began_ns >= WINDOW_NS)
		window_end(g, now_ns);
	else if (g->stats < 0 && now_ns - g->began_ns >= PERIOD_NS)
		window_begin(g, now_ns);
	if (late)
		return GUARD_LATE;
	return g->n_high >= D_GUARD_TIMES ? GUARD_COSTS : GUARD_FINE;
}
