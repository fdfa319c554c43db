/* This probe reads files: at the end of each slot it takes a snapshot of the values that the instrumentations need.
 *
 * Instrumentations of the same metric and slot length share one reading.  Metrics of scope interval (the collector's
 * own ticks) give events with their own times, the others give states.  The probe takes no snapshot more than half a
 * slot late: that slot is not observed, nor is the next one if the values are differences.  It interpolates nothing.
 * It reports each slot once, also after the wall clock was set back. */
#include "collector/ring/filter.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"
#include "collector/proc/meter.h"
#include "collector/probe/probe.h"
#include "collector/core/show.h"
#include "collector/proc/event_counter.h"
#include "collector/trace/wall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_MIN_NS 100000000ull	/* the kernel counts CPU time in ticks of 10 ms, 10 % of this */
#define CLOCK_STEP_NS 1000000

static const struct meter *const meters[] = {
	&cpus_meter, &loadavg_meter, &disks_meter, &nics_meter, &cgroup_memory_meter, &cgroup_cpu_meter,
	&ticks_meter, &spool_meter, &process_meter, &programs_meter, &maps_meter,
};

#define N_METERS (sizeof(meters) / sizeof(*meters))

struct reading {			/* of one metric, once per slot of one length */
	struct reading *next;
	const struct meter *meter;
	void *self;
	__u64 slot_ns;
	__s64 slot;			/* the slot that began when the last snapshot was taken; 0: no snapshot yet */
	__s64 taken_ns;			/* monotonic time of that snapshot */
	int err;			/* as last logged */
	struct words words;		/* labels of the events that are not sent yet */
};

struct counting {			/* an instrumentation that is enabled */
	struct counting *next;
	struct reading *on;
	__u64 inst;
	__s64 first_slot;		/* it counts from this one on */
	__s64 making;			/* scope interval: the slot of the events in the tally, if there are any */
	int n_making;
	int by_parts;
	__u64 wanted;
	struct filter filter;
	struct event_counter *tally;
};

struct proc {
	struct probe_conf conf;
	struct metric metric[N_METERS];
	char refusal[N_METERS][REASON_MAX];
	struct reading *reading;
	struct counting *counting;
	__s64 wall_offset;
	struct pod_names pod_names;
};

/* --- open, close --- */

static int proc_open(const struct probe_conf *conf, void **ret_self, char *reason)
{
	struct proc *p = calloc(1, sizeof(*p));

	if (!p)
		return no_memory(reason);
	p->conf = *conf;
	p->pod_names.logs = conf->pod_logs;
	for (size_t i = 0; i < N_METERS; i++) {
		p->metric[i] = *meters[i]->metric;
		if (meters[i]->check && !meters[i]->check(p->refusal[i]))
			p->refusal[i][0] = 0;
	}
	*ret_self = p;
	return 0;
}

static const struct metric *proc_metrics(void *self, size_t *ret_n)
{
	*ret_n = N_METERS;
	return ((struct proc *)self)->metric;
}

static const char *proc_refusal(void *self, const struct metric *m)
{
	struct proc *p = self;
	const char *refusal = p->refusal[m - p->metric];

	return refusal[0] ? refusal : NULL;
}

/* --- enable, disable --- */

static void reading_close(struct proc *p, struct reading *r)
{
	struct reading **at = &p->reading;

	for (struct counting *c = p->counting; c; c = c->next)
		if (c->on == r)
			return;
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	r->meter->stop(r->self);
	words_fini(&r->words);
	free(r);
}

static int reading_open(struct proc *p, const struct meter *meter, __u64 slot_ns, struct reading **ret, char *reason)
{
	struct reading *r;
	int err;

	for (r = p->reading; r; r = r->next)
		if (r->meter == meter && r->slot_ns == slot_ns) {
			*ret = r;
			return 0;
		}
	r = calloc(1, sizeof(*r));
	if (!r)
		return no_memory(reason);
	r->meter = meter;
	r->slot_ns = slot_ns;
	err = meter->start(&r->self, reason);
	if (err) {
		free(r);
		return err;
	}
	r->next = p->reading;
	p->reading = r;
	*ret = r;
	return 0;
}

static void label(void *arg, unsigned field, __u64 code, char *out)
{
	words_text(&((struct reading *)arg)->words, code, out);
}

/* A label becomes a code by its hash, even if no such thing exists now. */
static int codes(void *arg, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	if (!max)
		return -E2BIG;
	*ret_code = words_hash(text, strlen(text));
	return 1;
}

static const struct meter *meter_find(const struct instrumentation *in)
{
	size_t i = 0;

	while (strcmp(meters[i]->metric->module, in->module) || strcmp(meters[i]->metric->stat, in->stat))
		i++;			/* the caller passes only metrics that we offer */
	return meters[i];
}

static int slot_check(const struct instrumentation *in, char *reason)
{
	if (in->slot_ns >= SLOT_MIN_NS || meter_find(in)->metric->scope == SCOPE_INTERVAL)
		return 0;
	return refuse(reason, "%s.%s is read from files with a resolution of about 10 ms: its granularity "
		"must be 0.1 s or more, not %g s", in->module, in->stat, (double)in->slot_ns / 1e9);
}

static int proc_enable(void *self, const struct instrumentation *in, __s64 now_ns, char *reason)
{
	struct proc *p = self;
	const struct meter *meter = meter_find(in);
	const struct filter_names names = { meter->metric, p->conf.source, codes, NULL, 0, p->conf.labels };
	struct filter filter;
	struct counting *c;
	int err = slot_check(in, reason) ?: filter_compile(&in->predicate, &names, &filter, reason);

	if (err)
		return err;
	snprintf(reason, REASON_MAX, "no memory");
	c = calloc(1, sizeof(*c));
	err = c ? reading_open(p, meter, in->slot_ns, &c->on, reason) : -ENOMEM;
	if (!err)
		err = event_counter_new(meter->metric, in, &p->conf, now_ns / (__s64)in->slot_ns + 1, &(struct event_counter_labels){ label, c->on },
					&c->tally);
	if (err) {
		if (c && c->on)
			reading_close(p, c->on);
		free(c);
		return err;
	}
	if (!p->counting)
		p->wall_offset = wall_offset();
	c->inst = in->id;
	c->first_slot = now_ns / (__s64)in->slot_ns + 1;
	c->filter = filter;
	c->wanted = event_counter_wanted(c->tally) | filter_wanted(&filter);
	c->by_parts = (c->wanted & meter->parts) != 0;
	c->next = p->counting;
	p->counting = c;
	return 0;
}

static __s64 proc_counts_from(void *self, __u64 inst)
{
	const struct proc *p = self;
	const struct counting *c = p->counting;

	while (c && c->inst != inst)
		c = c->next;
	return c ? c->first_slot * (__s64)c->on->slot_ns : 0;
}

static void proc_disable(void *self, __u64 inst)
{
	struct proc *p = self;

	for (struct counting **at = &p->counting; *at; at = &(*at)->next)
		if ((*at)->inst == inst) {
			struct counting *c = *at;

			*at = c->next;
			reading_close(p, c->on);
			event_counter_free(c->tally);
			free(c);
			return;
		}
}

static void proc_close(void *self)
{
	struct proc *p = self;

	while (p->counting)
		proc_disable(p, p->counting->inst);
	pod_names_fini(&p->pod_names);
	free(p);
}

/* --- drain --- */

struct giving {
	struct proc *p;
	const struct reading *r;
	const struct batch_sink *sink;
	int err;
};

static void slot_report(struct giving *g, struct counting *c, __s64 slot)
{
	g->err = event_counter_send(c->tally, slot, g->sink) ?: g->err;
}

/* Reports the slots before this one as empty. */
static void empty_report(struct giving *g, struct counting *c, __s64 slot)
{
	g->err = event_counter_send_empty(c->tally, slot, g->sink) ?: g->err;
}

/* Reports the slot in the making, which is over. */
static void made_report(struct giving *g, struct counting *c)
{
	if (!c->n_making)
		return;
	c->n_making = 0;
	slot_report(g, c, c->making);
}

/* Counts an event with its own time; events come in order unless the clock was set back. */
static void count_at(struct giving *g, struct counting *c, const struct event *e)
{
	__s64 slot = (__s64)(e->end_ns / g->r->slot_ns);

	if (slot < c->first_slot)
		return;
	if (c->making != slot)
		made_report(g, c);
	if (!c->n_making) {
		empty_report(g, c, slot);
		c->making = slot;
	}
	c->n_making++;
	event_counter_add(c->tally, e);
}

static void give(void *arg, const struct event *e, int is_part)
{
	struct giving *g = arg;

	for (struct counting *c = g->p->counting; c; c = c->next) {
		if (c->on != g->r || c->by_parts != is_part || !filter_accepts(&c->filter, e, NULL))
			continue;
		if (g->r->meter->metric->scope == SCOPE_INTERVAL)
			count_at(g, c, e);
		else
			event_counter_add(c->tally, e);
	}
}

static int reading_take(struct giving *g, struct reading *r, __u64 since_ns)
{
	const struct meter_out out = { give, g, &r->words };
	struct meter_request request = { .since_ns = since_ns, .pod_names = &g->p->pod_names };
	int err;

	for (const struct counting *c = g->p->counting; c; c = c->next)
		if (c->on == r)
			request.wanted |= c->wanted;
	err = r->meter->read(r->self, &request, &out);
	if (err && err != r->err)
		log_warning("%s.%s cannot be read: %s; its slots are not observed", r->meter->metric->module,
			    r->meter->metric->stat, strerror(-err));
	r->err = err;
	return err;
}

/* Reports the state at the end of the slot, or drops it if the slot was not observed. */
static void state_report(struct giving *g, __s64 slot, int observed)
{
	for (struct counting *c = g->p->counting; c; c = c->next) {
		if (c->on != g->r)
			continue;
		if (observed && slot >= event_counter_next(c->tally))
			slot_report(g, c, slot);
		else
			event_counter_drop(c->tally);
	}
}

static void states_drain(struct giving *g, struct reading *r, __s64 now_ns)
{
	__s64 slot_ns = (__s64)r->slot_ns, slot = now_ns / slot_ns, mono_ns = clock_ns(CLOCK_MONOTONIC);
	int follows = r->slot == slot - 1, err;

	if (slot == r->slot || now_ns - slot * slot_ns > slot_ns / 2)
		return;
	words_clear(&r->words);
	err = reading_take(g, r, follows ? (__u64)(mono_ns - r->taken_ns) : 0);
	r->slot = err ? 0 : slot;
	r->taken_ns = mono_ns;
	state_report(g, slot - 1, !err && (follows || !r->meter->grows));
}

/* Counts the events since the last drain, and reports the slots that are over, also empty ones. */
static void events_drain(struct giving *g, struct reading *r, __s64 now_ns)
{
	__s64 slot = now_ns / (__s64)r->slot_ns;

	reading_take(g, r, 0);
	for (struct counting *c = g->p->counting; c; c = c->next) {
		if (c->on != r)
			continue;
		if (c->making < slot)
			made_report(g, c);
		if (!c->n_making)	/* otherwise the tally has events of the current slot */
			empty_report(g, c, slot);
	}
}

/* Notes a step of the wall clock, which the next batch reports. */
static void clock_refresh(struct proc *p)
{
	__s64 offset = wall_offset(), step = offset - p->wall_offset;

	if (step < CLOCK_STEP_NS && step > -CLOCK_STEP_NS)
		return;
	p->wall_offset = offset;
	for (struct counting *c = p->counting; c; c = c->next)
		event_counter_clock_step(c->tally, step);
}

static int proc_drain(void *self, __s64 now_ns, const struct batch_sink *sink)
{
	struct proc *p = self;
	struct giving g = { .p = p, .sink = sink };

	if (!p->counting)
		return 0;
	clock_refresh(p);
	for (struct reading *r = p->reading; r; r = r->next) {
		g.r = r;
		if (r->meter->metric->scope == SCOPE_INTERVAL)
			events_drain(&g, r, now_ns);
		else
			states_drain(&g, r, now_ns);
	}
	return g.err;
}

/* --- for people --- */

static void proc_doctor(void *self, FILE *out)
{
	const struct proc *p = self;

	for (const struct reading *r = p->reading; r; r = r->next)
		show_print(out, "proc: %s.%s is read every %g s\n", r->meter->metric->module, r->meter->metric->stat,
			(double)r->slot_ns / 1e9);
}

const struct probe proc_probe = {
	.name = "proc",
	.filters = 1,
	.open = proc_open,
	.close = proc_close,
	.metrics = proc_metrics,
	.refusal = proc_refusal,
	.enable = proc_enable,
	.disable = proc_disable,
	.counts_from = proc_counts_from,
	.drain = proc_drain,
	.doctor = proc_doctor,
};
