#include "collector/d/run.h"
#include "collector/trace/wall.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define POLL_MS 100
#define POLL_TARGET_MS 20		/* the end of the target does not wake us */

static volatile sig_atomic_t interrupted;

static void on_signal(int signal) { interrupted = signal; }

static int print_reason(const struct d_run *r, const char *reason)
{
	fflush(r->consumer->out);
	fprintf(r->consumer->err, "dtrace: %s\n", reason);
	return 1;
}

/* The group of BEGIN or END; NULL: it has no clauses. */
static const struct d_group *group_of(const struct d_run *r, __u32 probe)
{
	const struct d_plan *p = &r->compile->plan;

	for (size_t i = 0; i < p->n_groups; i++)
		if (p->groups[i].context == CONTEXT_DTRACE && p->groups[i].probes[0]->id == probe)
			return &p->groups[i];
	return NULL;
}

static bool is_timer(const struct d_group *g) { return g->context == CONTEXT_PROFILE || g->context == CONTEXT_TICK; }

int d_run_load(struct d_run *r)
{
	struct d_plan *p = &r->compile->plan;
	char reason[D_REASON_MAX] = "no memory";

	d_guard_init(&r->guard, p, r->compile->options.cpu_percent / 100.0);
	if (d_session_open(&r->session, &r->compile->program, r->consumer, reason))
		return print_reason(r, reason);
	for (size_t i = 0; i < p->n_groups; i++)
		if (d_session_load(&r->session, &p->groups[i], reason) || (!is_timer(&p->groups[i]) && d_session_attach(&r->session, &p->groups[i], reason)))
			return print_reason(r, reason);
	if (r->guard.is_blind && !r->is_unguarded && !r->consumer->quiet)
		fputs("dtrace: the cost of the script is not limited: this needs CAP_SYS_ADMIN\n", r->consumer->err);
	return 0;
}

/* Timers begin with the script: tick-5s fires 5 s after BEGIN. */
static int attach_timers(struct d_run *r)
{
	struct d_plan *p = &r->compile->plan;
	char reason[D_REASON_MAX];

	for (size_t i = 0; i < p->n_groups; i++)
		if (is_timer(&p->groups[i]) && d_session_attach(&r->session, &p->groups[i], reason))
			return print_reason(r, reason);
	return 0;
}

static int fire(struct d_run *r, __u32 probe)
{
	const struct d_group *g = group_of(r, probe);
	char reason[D_REASON_MAX];

	if (g && d_session_fire(&r->session, g, reason))
		return print_reason(r, reason);
	d_session_drain(&r->session);
	fflush(r->consumer->out);
	return 0;
}

int d_run_start(struct d_run *r)
{
	struct d_session *s = &r->session;

	if (fire(r, PROBE_BEGIN) || attach_timers(r))
		return 1;
	if (s->state->activity == ACTIVITY_BEGIN)
		s->state->activity = ACTIVITY_ACTIVE;
	d_target_go(r->target);
	return 0;
}

/* In DTrace's words, then why. */
static bool must_abort(struct d_run *r)
{
	enum d_guard_finding found = r->is_unguarded ? GUARD_FINE : d_guard_look(&r->guard, clock_ns(CLOCK_MONOTONIC));

	if (found == GUARD_FINE)
		return false;
	r->was_aborted = true;
	print_reason(r, "processing aborted: Abort due to systemic unresponsiveness");
	if (found == GUARD_COSTS)
		fprintf(r->consumer->err, "dtrace: its programs took %.0f %% of all CPUs; -w runs the script anyway\n", 100 * r->guard.share);
	else
		fprintf(r->consumer->err, "dtrace: no records were read for 20 s: this process was stopped, its output was blocked, or the "
			"machine is too busy; -w runs the script anyway\n");
	return true;
}

static bool has_ended(struct d_run *r)
{
	if (r->session.state->activity != ACTIVITY_ACTIVE)
		return true;
	if (!d_target_has_ended(r->target))
		return false;
	if (!r->consumer->quiet)
		fprintf(r->consumer->err, "dtrace: pid %d has exited\n", r->target->pid);
	return true;
}

bool d_run_step(struct d_run *r, int timeout_ms)
{
	if (has_ended(r) || must_abort(r))
		return false;
	d_session_poll(&r->session, timeout_ms);
	d_session_take_full(&r->session, r->consumer->aggregates);
	fflush(r->consumer->out);
	return true;
}

int d_run_stop(struct d_run *r)
{
	r->session.state->activity = ACTIVITY_DRAINING;
	d_session_detach(&r->session);
	d_guard_fini(&r->guard);
	return r->was_aborted || fire(r, PROBE_END);
}

static void print_drops(const struct d_run *r)
{
	const struct d_state *s = r->session.state;
	const struct {
		__u64 n;
		const char *what;
	} rows[] = {
		{ s->drops, "drops" }, { s->self_drops, "dynamic variable drops" },
		{ s->aggregation_drops, "aggregation drops" },
		{ s->nesting_drops, "drops of probes that interrupted others" },
		{ d_unseen_switches(s), "switches of threads that the kernel did not show" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].n)
			fprintf(r->consumer->err, "dtrace: %llu %s\n", (unsigned long long)rows[i].n, rows[i].what);
}

static int print_aggregations(struct d_run *r)
{
	if (d_session_take_all(&r->session, r->consumer->aggregates))
		return print_reason(r, "cannot read the aggregations");
	d_aggregates_print_rest(r->consumer->aggregates, r->consumer->out);
	return 0;
}

int d_run_report(struct d_run *r)
{
	if (r->was_aborted || print_aggregations(r))
		return 1;
	fflush(r->consumer->out);
	print_drops(r);
	return r->consumer->exit_status;
}

int d_run(struct d_run *r)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (d_run_start(r))
		return 1;
	while (!interrupted && d_run_step(r, r->target->pid ? POLL_TARGET_MS : POLL_MS))
		;
	if (interrupted == SIGINT)
		fputc('\n', r->consumer->out);
	return d_run_stop(r) ? 1 : d_run_report(r);
}

void d_run_close(struct d_run *r) { d_session_close(&r->session); }
