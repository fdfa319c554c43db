#include "shed.h"
#include "log.h"
#include "wall.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000ll

/* ---- measuring ---- */

struct counted {
	__u64 runs, n_timed, timed_ns;
};

static int count_cpus(int events_fd, struct counted *ret)
{
	int n_cpus = libbpf_num_possible_cpus(), i, err;
	size_t size = (sizeof(struct events) + 7) / 8 * 8;
	char *values = n_cpus > 0 ? calloc(n_cpus, size) : NULL;
	__u32 zero = 0;

	if (!values)
		return -ENOMEM;
	err = bpf_map_lookup_elem(events_fd, &zero, values) ? -errno : 0;
	*ret = (struct counted){ 0, 0, 0 };
	for (i = 0; !err && i < n_cpus; i++) {
		const struct events *e = (const void *)(values + i * size);

		ret->runs += e->runs;
		ret->n_timed += e->n_timed;
		ret->timed_ns += e->timed_ns;
	}
	free(values);
	return err;
}

void shed_start(struct shed *s, const struct tracer_programs *programs, __s64 now_ns)
{
	struct counted c = { 0, 0, 0 };

	count_cpus(programs->events_fd, &c);
	*s = (struct shed){ .plan = BUDGET_PLAN_FULL, .runs = c.runs, .n_timed = c.n_timed, .timed_ns = c.timed_ns,
			    .looked_ns = now_ns, .random = (__u64)now_ns | 1 };
}

/* With sampling a timed run is a mixture of those that skip and those that do not. */
static double full_ns(double mean_ns, __u32 every)
{
	double full = every > 1 ? (mean_ns - BUDGET_SKIP_NS) * every : mean_ns;

	return full > 0 ? full : 0;
}

void shed_measure(struct shed *s, const struct tracer *t, const struct tracer_programs *programs, int stays,
		  __s64 now_ns)
{
	double elapsed = (double)(now_ns - s->looked_ns) / NS_PER_S;
	struct counted c;

	if (elapsed <= 0 || count_cpus(programs->events_fd, &c))
		return;
	if (!s->detached) {
		s->load.runs_per_s = (double)(c.runs - s->runs) / elapsed;
		if (c.n_timed > s->n_timed)
			s->load.full_ns = full_ns((double)(c.timed_ns - s->timed_ns) / (double)(c.n_timed - s->n_timed),
						  s->plan.every);
	}
	s->load.dispatch_ns = t->dispatch_ns;
	s->load.stays = stays || !t->may_detach || !programs->skeleton;
	s->runs = c.runs;
	s->n_timed = c.n_timed;
	s->timed_ns = c.timed_ns;
	s->looked_ns = now_ns;
}

/* ---- doing ---- */

static void detach(struct shed *s, const struct tracer_programs *programs, const struct shed_reader *readers, size_t n,
		   __s64 now_ns)
{
	size_t i;

	bpf_object__detach_skeleton(programs->skeleton);
	s->detached = 1;
	for (i = 0; i < n; i++)		/* this slot is not whole any more */
		reader_unobserved(readers[i].reader, now_ns / readers[i].slot_ns);
}

__s64 shed_turn(const struct shed *s)
{
	return s->detached ? s->turn_ns : 0;
}

void shed_attach(struct shed *s, const struct tracer_programs *programs, const struct shed_reader *readers, size_t n_readers)
{
	__s64 now_ns;
	size_t i;
	int err;

	*programs->attached_ns = clock_ns(CLOCK_MONOTONIC);
	err = bpf_object__attach_skeleton(programs->skeleton);
	now_ns = clock_ns(CLOCK_REALTIME);
	if (err) {
		log_error("attaching again failed: %s", strerror(-err));
		s->turn_ns = now_ns + NS_PER_S;
		return;
	}
	s->detached = 0;
	s->turn_ns = now_ns + SHED_ON_S * NS_PER_S;
	for (i = 0; i < n_readers; i++)		/* the slot that goes on has begun without us */
		reader_observed(readers[i].reader, now_ns / readers[i].slot_ns + 1);
}

/* 0 <= value < 1 */
static double random_unit(struct shed *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (double)(s->random >> 11) / (double)(1ull << 53);
}

/* After a pause of random length, so long on average that the attached share of the time is the duty. */
static __s64 pause_end(struct shed *s, __s64 now_ns)
{
	double on = SHED_ON_S + 2 * SHED_EARLY_NS / 1e9, mean = on * ((double)BUDGET_DUTY_FULL / s->plan.duty - 1);
	__s64 end = now_ns + (__s64)((0.5 + random_unit(s)) * mean * NS_PER_S);

	return (end / NS_PER_S + 1) * NS_PER_S - SHED_EARLY_NS;
}

static void turns_take(struct shed *s, const struct tracer_programs *programs, const struct shed_reader *readers, size_t n,
		       __s64 now_ns)
{
	if (s->detached && s->plan.duty == BUDGET_DUTY_FULL) {
		shed_attach(s, programs, readers, n);
	} else if (!s->detached && s->plan.duty < BUDGET_DUTY_FULL && now_ns >= s->turn_ns) {
		detach(s, programs, readers, n, now_ns);
		s->turn_ns = pause_end(s, now_ns);
	}
}

static void tell(struct shed *s)
{
	if (s->plan.duty < BUDGET_DUTY_FULL)
		snprintf(s->told, sizeof(s->told), "over the budget: one event in %u is looked at, in %.1f %% of the time",
			 s->plan.every, 100.0 * s->plan.duty / BUDGET_DUTY_FULL);
	else if (s->plan.every > 1)
		snprintf(s->told, sizeof(s->told), "over the budget: one event in %u is looked at", s->plan.every);
	else
		s->told[0] = 0;
}

void shed_apply(struct shed *s, const struct tracer *t, const struct tracer_programs *programs,
		const struct shed_reader *readers, size_t n_readers, __s64 now_ns)
{
	size_t i;

	if (!programs->every)
		return;
	tell(s);
	if (*programs->every != s->plan.every) {
		log_warning("%s.%s: %s", t->metric->module, t->metric->stat,
			    s->told[0] ? s->told : "within the budget again: every event is looked at");
		for (i = 0; i < n_readers; i++)
			reader_sampled(readers[i].reader, now_ns, s->plan.every);
		*programs->every = s->plan.every;
	}
	turns_take(s, programs, readers, n_readers, now_ns);
}

void shed_doctor(const struct shed *s, FILE *out)
{
	fprintf(out, "  cost: %.0f runs/s of %.0f ns and %.0f ns to get there: %.3f %% of a CPU", s->load.runs_per_s,
		s->load.full_ns, s->load.dispatch_ns, 100 * budget_cost(&s->load, &s->plan));
	fprintf(out, "%s%s\n", s->told[0] ? "; " : "", s->told);
}
