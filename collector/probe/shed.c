#include "collector/probe/shed.h"
#include "collector/core/show.h"
#include "collector/core/log.h"
#include "collector/trace/wall.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define NS_PER_S 1000000000ll
#define TIMED_LEAST 32			/* runs; a mean of fewer is not reliable */
#define COSTLY_FORGETS 16			/* intervals in which the learned cost of costly fields fades */

/* ---- measuring ---- */

struct counted {
	__u64 runs, passed, handed, n_timed, timed_ns;
};

static int count_cpus(int events_fd, struct counted *ret)
{
	int n_cpus = libbpf_num_possible_cpus(), i, err;
	struct events_cpu *cpus = n_cpus > 0 ? calloc(n_cpus, sizeof(*cpus)) : NULL;
	__u32 zero = 0;

	if (!cpus)
		return -ENOMEM;
	err = bpf_map_lookup_elem(events_fd, &zero, cpus) ? -errno : 0;
	*ret = (struct counted){ 0 };
	for (i = 0; !err && i < n_cpus; i++) {
		ret->runs += cpus[i].runs;
		ret->passed += cpus[i].passed;
		ret->handed += cpus[i].handed;
		ret->n_timed += cpus[i].n_timed;
		ret->timed_ns += cpus[i].timed_ns;
	}
	free(cpus);
	return err;
}

void shed_start(struct shed *s, const struct tracer_programs *programs, __s64 now_ns)
{
	struct counted c = { 0 };

	count_cpus(programs->events_fd, &c);
	*s = (struct shed){ .plan = BUDGET_PLAN_FULL, .runs = c.runs, .passed = c.passed, .n_timed = c.n_timed, .timed_ns = c.timed_ns,
			    .looked_ns = now_ns, .random = (__u64)now_ns | 1 };
	if (programs->every)
		*programs->every = s->plan.every;
}

/* With sampling, the timed runs are a mixture of those that skip and those that do not. */
static double full_ns(double mean_ns, __u32 every, double spared_ns)
{
	double full = every > 1 ? (mean_ns - BUDGET_SKIP_NS) * every : mean_ns;

	if (spared_ns > 0)
		full = mean_ns + spared_ns * (1 - 1.0 / every);
	return full > 0 ? full : 0;
}

/* Learns the cost of the costly fields, if it was higher than the tracer states; the learned value fades, because
 * the load changes. */
static void costly_learn(struct shed *s, const struct tracer *t, double bare_ns)
{
	double saved = s->load.full_ns - bare_ns;

	if (s->plan.bare && !s->was_bare)
		s->costly_ns = saved > t->costly_ns ? saved : t->costly_ns;
	s->costly_ns += (t->costly_ns - s->costly_ns) / COSTLY_FORGETS;
	s->was_bare = s->plan.bare;
}

void shed_measure(struct shed *s, const struct tracer *t, const struct tracer_programs *programs, __u64 costly_fields, __s64 now_ns)
{
	double elapsed = (double)(now_ns - s->looked_ns) / NS_PER_S, full;
	struct counted c;

	if (elapsed <= 0 || count_cpus(programs->events_fd, &c))
		return;
	if (!s->detached) {
		s->load.runs_per_s = (double)(c.runs - s->runs) / elapsed;
		s->load.passed_per_s = (double)(c.passed - s->passed) / elapsed;
		s->n_new += c.n_timed - s->n_timed;
		s->new_ns += c.timed_ns - s->timed_ns;
		if (s->n_new >= TIMED_LEAST) {
			full = full_ns((double)s->new_ns / (double)s->n_new, s->plan.every, t->spared_ns);
			costly_learn(s, t, full);
			s->load.full_ns = full + (s->plan.bare ? s->costly_ns : 0);
			s->n_new = s->new_ns = 0;
		}
	}
	s->costly_fields = costly_fields;
	s->load.costly_ns = costly_fields ? s->plan.bare ? fmax(s->costly_ns, t->costly_ns) : fmin(t->costly_ns, s->load.full_ns / 2) : 0;
	s->load.kept_ns = t->spared_ns > 0 ? fmax(s->load.full_ns - t->spared_ns, s->load.costly_ns) : 0;
	s->load.dispatch_ns = t->dispatch_ns;
	s->load.stays = !t->may_detach || !programs->skeleton;
	s->runs = c.runs;
	s->passed = c.passed;
	s->handed = c.handed;
	s->n_timed = c.n_timed;
	s->timed_ns = c.timed_ns;
	s->looked_ns = now_ns;
}

/* ---- applying a plan ---- */

/* Perf events stay open, so that this needs no capability. */
static int events_turn(const struct tracer_programs *programs, unsigned long request)
{
	size_t i;

	for (i = 0; i < programs->n_event_fds; i++)
		if (ioctl(programs->event_fd[i], request, 0))
			return -errno;
	return 0;
}

static void detach(struct shed *s, const struct tracer_programs *programs, const struct shed_reader *readers, size_t n,
		   __s64 now_ns)
{
	size_t i;

	bpf_object__detach_skeleton(programs->skeleton);
	events_turn(programs, PERF_EVENT_IOC_DISABLE);
	s->detached = 1;
	for (i = 0; i < n; i++)		/* this slot is incomplete from now on */
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
	if (!err)
		err = events_turn(programs, PERF_EVENT_IOC_ENABLE);
	now_ns = clock_ns(CLOCK_REALTIME);
	if (err) {
		log_error("attaching again failed: %s", strerror(-err));
		s->turn_ns = now_ns + NS_PER_S;
		return;
	}
	s->detached = 0;
	s->turn_ns = now_ns + SHED_ON_S * NS_PER_S;
	for (i = 0; i < n_readers; i++)		/* the current slot began before we attached */
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

/* Returns the end of a pause of random length, on average so long that the attached share of the time is the duty. */
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

/* Writes the names of the fields that are left out, "a, b". */
static void field_names_write(const struct shed *s, const struct metric *m, char *out, size_t size)
{
	size_t n = 0, i;

	out[0] = 0;
	for (i = 0; i < m->n_fields; i++) {
		int index = m->field[i].arity == FIELD_DISCRETE ? metric_index(m, m->field[i].name, FIELD_DISCRETE) : -1;

		if (index >= 0 && s->costly_fields & WANTED_FIELD(index) && n < size)
			n += snprintf(out + n, size - n, "%s%s", n ? ", " : "", m->field[i].name);
	}
}

static void shed_text_write(struct shed *s, const struct metric *m)
{
	char names[64], fields[96] = "", events[64] = "", time[32] = "";

	s->shed_text[0] = 0;
	if (s->plan.bare && s->costly_fields) {
		field_names_write(s, m, names, sizeof(names));
		snprintf(fields, sizeof(fields), "%s left out", names);
	}
	if (s->plan.every > 1)
		snprintf(events, sizeof(events), "one event in %u is looked at", s->plan.every);
	if (s->plan.duty < BUDGET_DUTY_FULL)
		snprintf(time, sizeof(time), ", in %.1f %% of the time", 100.0 * s->plan.duty / BUDGET_DUTY_FULL);
	if (fields[0] || events[0])
		snprintf(s->shed_text, sizeof(s->shed_text), "over the budget: %s%s%s%s", events, time, events[0] && fields[0] ? "; " : "",
			 fields);
}

void shed_apply(struct shed *s, const struct tracer *t, const struct tracer_programs *programs,
		const struct shed_reader *readers, size_t n_readers, __s64 now_ns)
{
	int changed;
	size_t i;

	if (!programs->every)
		return;
	changed = s->reported_bare != s->plan.bare || *programs->every != s->plan.every;
	shed_text_write(s, t->metric);
	if (changed) {
		s->n_new = s->new_ns = 0;
		log_warning("%s.%s: %s", t->metric->module, t->metric->stat,
			    s->shed_text[0] ? s->shed_text : "within the budget again: every event is looked at");
	}
	s->reported_bare = s->plan.bare;
	if (*programs->every != s->plan.every) {
		for (i = 0; i < n_readers; i++)
			reader_sampled(readers[i].reader, now_ns, s->plan.every);
		*programs->every = s->plan.every;
	}
	turns_take(s, programs, readers, n_readers, now_ns);
}

void shed_doctor(const struct shed *s, FILE *out)
{
	show_print(out, "  events: %llu\n", (unsigned long long)s->handed);
	show_print(out, "  cost: %.0f runs/s of %.0f ns, %.0f runs/s that return at once, and %.0f ns to call each: "
		"%.3f %% of a CPU",
		s->load.runs_per_s, s->load.full_ns, s->load.passed_per_s, s->load.dispatch_ns, 100 * budget_cost(&s->load, &s->plan));
	show_print(out, "%s%s\n", s->shed_text[0] ? "; " : "", s->shed_text);
}
