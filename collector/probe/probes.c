#include "collector/probe/probes.h"
#include "collector/core/metric_json.h"
#include "collector/probe/self_stats.h"
#include "collector/probe/recording.h"
#include "collector/core/show.h"
#include "collector/trace/wall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct opened {
	const struct probe *probe;
	void *self;			/* NULL: it could not be opened */
	char reason[REASON_MAX];
};

struct enabled {
	struct enabled *next;
	struct instrumentation in;
	struct opened *on;		/* NULL: failed */
	char reason[REASON_MAX];
	int wanted;			/* it is in the set that is being read */
	int known;			/* some probe has its metric */
};

struct probes {
	struct probe_conf conf;
	struct opened *opened;
	size_t n_opened;
	struct enabled *enabled;
	int fixed;
};

/* --- probes --- */

int probes_open(const struct probe *const *table, size_t n, const struct probe_conf *conf, struct probes **ret_probes)
{
	struct probes *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->conf = *conf;
	p->opened = calloc(n + 1, sizeof(*p->opened));
	if (!p->opened) {
		free(p);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		struct opened *o = &p->opened[p->n_opened++];

		o->probe = table[i];
		if (table[i]->open(&p->conf, &o->self, o->reason))
			o->self = NULL;
	}
	*ret_probes = p;
	return 0;
}

void probes_close(struct probes *p)
{
	if (!p)
		return;
	probes_disable_all(p);
	for (size_t i = 0; i < p->n_opened; i++)
		if (p->opened[i].self)
			p->opened[i].probe->close(p->opened[i].self);
	free(p->opened);
	free(p);
}

size_t probes_opened(const struct probes *p, const char **ret_reason)
{
	size_t n = 0;

	*ret_reason = "";
	for (size_t i = p->n_opened; i--;) {
		if (p->opened[i].self)
			n++;
		else
			*ret_reason = p->opened[i].reason;
	}
	return n;
}

json_t *probes_metrics(const struct probes *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_opened; i++) {
		const struct opened *o = &p->opened[i];
		size_t n = 0;
		const struct metric *m = o->self ? o->probe->metrics(o->self, &n) : NULL;

		for (size_t j = 0; j < n; j++)
			json_array_append_new(list, metric_json_make(&m[j], o->probe->refusal(o->self, &m[j])));
	}
	return list;
}

static struct opened *probes_find(struct probes *p, const char *module, const char *stat,
				  const struct metric **ret_metric)
{
	for (size_t i = 0; i < p->n_opened; i++) {
		struct opened *o = &p->opened[i];
		size_t n = 0;
		const struct metric *m = o->self ? o->probe->metrics(o->self, &n) : NULL;

		for (size_t j = 0; j < n; j++)
			if (!strcmp(m[j].module, module) && !strcmp(m[j].stat, stat)) {
				*ret_metric = &m[j];
				return o;
			}
	}
	return NULL;
}

/* --- the wanted set --- */

static void enable(struct probes *p, struct enabled *e, __s64 now_ns, const struct probes_watch *watch)
{
	const struct metric *m = NULL;
	struct opened *o = probes_find(p, e->in.module, e->in.stat, &m);
	const char *refusal = o ? o->probe->refusal(o->self, m) : NULL;

	e->known = o != NULL;
	if (p->fixed)
		snprintf(e->reason, REASON_MAX, "fixed: this collector gave up its capabilities after its first set of "
			 "instrumentations (--fixed); restart it to change what it measures");
	else if (!o)
		snprintf(e->reason, REASON_MAX, "no probe of this collector measures %s.%s", e->in.module, e->in.stat);
	else if (refusal)
		snprintf(e->reason, REASON_MAX, "%s", refusal);
	else if (e->in.predicate.n_nodes && !o->probe->filters)
		snprintf(e->reason, REASON_MAX, "predicate: %s.%s cannot be filtered here", e->in.module, e->in.stat);
	else if (!instrumentation_bind(&e->in, m, e->reason) && !o->probe->enable(o->self, &e->in, now_ns, e->reason)) {
		e->on = o;
		e->reason[0] = 0;
		watch->enabled(watch->arg, &e->in, m);
	}
}

static void disable(struct enabled *e)
{
	if (e->on)
		e->on->probe->disable(e->on->self, e->in.id);
	free(e);
}

static struct enabled *find_enabled(const struct probes *p, __u64 id)
{
	for (struct enabled *e = p->enabled; e; e = e->next)
		if (e->in.id == id)
			return e;
	return NULL;
}

static int want_one(struct probes *p, const json_t *json, __s64 now_ns, const struct probes_watch *watch)
{
	struct instrumentation in;
	char reason[REASON_MAX] = "";
	struct enabled *e;
	int err = instrumentation_from_json(json, &in, reason);

	if (err)
		return err;
	instrumentation_strip(&in);
	e = find_enabled(p, in.id);
	if (!e) {
		e = calloc(1, sizeof(*e));
		if (!e)
			return -ENOMEM;
		e->in = in;
		e->next = p->enabled;
		p->enabled = e;
	}
	e->wanted = 1;
	if (!e->on)
		enable(p, e, now_ns, watch);
	return 0;
}

/* Disables unwanted ones first: they may hold memory or places that the new ones need. */
static void drop_unwanted(struct probes *p, const json_t *list)
{
	struct enabled **at = &p->enabled;
	const json_t *json;
	size_t i;

	for (struct enabled *e = p->enabled; e; e = e->next)
		e->wanted = 0;
	json_array_foreach(list, i, json) {
		struct enabled *e = find_enabled(p, (__u64)json_integer_value(json_object_get(json, "id")));

		if (e)
			e->wanted = 1;
	}
	while (*at) {
		struct enabled *e = *at;

		if (e->wanted) {
			at = &e->next;
			continue;
		}
		*at = e->next;
		disable(e);
	}
}

int probes_want(struct probes *p, const json_t *instrumentations, __s64 now_ns, const struct probes_watch *watch)
{
	const __s64 offset_ns = now_ns - clock_ns(CLOCK_MONOTONIC);
	const json_t *json;
	int err = 0;
	size_t i;

	drop_unwanted(p, instrumentations);
	json_array_foreach(instrumentations, i, json)		/* each may take seconds */
		err = want_one(p, json, clock_ns(CLOCK_MONOTONIC) + offset_ns, watch) ?: err;
	return err;
}

void probes_disable_all(struct probes *p)
{
	while (p->enabled) {
		struct enabled *e = p->enabled;

		p->enabled = e->next;
		disable(e);
	}
}

void probes_fix(struct probes *p)
{
	p->fixed = 1;
}

json_t *probes_state(const struct probes *p)
{
	json_t *list = json_array();

	for (const struct enabled *e = p->enabled; e; e = e->next) {
		const char *lacks = e->on && e->on->probe->lacking ? e->on->probe->lacking(e->on->self, e->in.id) : "";
		__s64 from_ns = e->on && e->on->probe->counts_from ? e->on->probe->counts_from(e->on->self, e->in.id) : 0;
		json_t *one = json_pack("{s:I, s:s, s:s}", "id", (json_int_t)e->in.id, "state",
					!e->on ? "failed" : *lacks ? "partial" : "active", "reason", *lacks ? lacks : e->reason);

		if (from_ns)
			json_object_set_new(one, "counts_from", json_integer(from_ns));
		if (!e->known)
			json_object_set_new(one, "known", json_false());
		json_array_append_new(list, one);
	}
	return json_pack("{s:o}", "instrumentations", list);
}

size_t probes_active(const struct probes *p)
{
	size_t n = 0;

	for (const struct enabled *e = p->enabled; e; e = e->next)
		n += e->on != NULL;
	return n;
}

__u64 probes_slot_ns(const struct probes *p)
{
	__u64 slot_ns = 1000000000;

	for (const struct enabled *e = p->enabled; e; e = e->next)
		if (e->on && e->in.slot_ns < slot_ns)
			slot_ns = e->in.slot_ns;
	return slot_ns;
}

struct counting {			/* counts what a probe hands over, and passes it on */
	const struct batch_sink *sink;
	struct self_stats_tick *tick;
};

static void count_batch(void *arg, const struct batch *b)
{
	const struct counting *c = arg;

	c->tick->n_batches++;
	for (size_t i = 0; i < b->n_slices; i++)
		c->tick->bytes += b->slice[i].key.len + b->slice[i].hist_len;
	c->sink->batch(c->sink->arg, b);
}

static int drain_one(const struct opened *o, __s64 now_ns, const struct batch_sink *sink)
{
	struct self_stats_tick tick = { .probe = o->probe->name, .late_ns = self_stats_lateness() };
	struct counting counting = { sink, &tick };
	const struct batch_sink counter = { count_batch, &counting };
	__s64 began_ns = clock_ns(CLOCK_MONOTONIC);
	int err = o->probe->drain(o->self, now_ns, &counter);

	tick.drain_ns = (__u64)(clock_ns(CLOCK_MONOTONIC) - began_ns);
	tick.end_ns = clock_ns(CLOCK_REALTIME);
	self_stats_put(&tick);
	return err;
}

int probes_drain(struct probes *p, __s64 now_ns, const struct batch_sink *sink)
{
	int err = 0;

	for (size_t i = 0; i < p->n_opened; i++) {
		struct opened *o = &p->opened[i];

		if (o->self)
			err = drain_one(o, now_ns, sink) ?: err;
	}
	return err;
}

__s64 probes_wake_at(const struct probes *p)
{
	__s64 first = 0;

	for (size_t i = 0; i < p->n_opened; i++) {
		const struct opened *o = &p->opened[i];
		__s64 at = o->self && o->probe->wake_at ? o->probe->wake_at(o->self) : 0;

		if (at && (!first || at < first))
			first = at;
	}
	return first;
}

void probes_wake(struct probes *p, __s64 now_ns)
{
	for (size_t i = 0; i < p->n_opened; i++)
		if (p->opened[i].self && p->opened[i].probe->wake)
			p->opened[i].probe->wake(p->opened[i].self, now_ns);
}

int probes_finished(const struct probes *p)
{
	for (size_t i = 0; i < p->n_opened; i++)
		if (p->opened[i].self && p->opened[i].probe->finished && p->opened[i].probe->finished(p->opened[i].self))
			return 1;
	return 0;
}

void probes_end(struct probes *p)
{
	for (size_t i = 0; i < p->n_opened; i++)
		if (p->opened[i].self && p->opened[i].probe->end)
			p->opened[i].probe->end(p->opened[i].self);
}

/* --- for people --- */

static int doctor_metrics(const struct opened *o, FILE *out)
{
	size_t n;
	const struct metric *m = o->probe->metrics(o->self, &n);
	int refused = 0;

	for (size_t i = 0; i < n; i++) {
		const char *refusal = o->probe->refusal(o->self, &m[i]);

		show_print(out, "%s: %s.%s %s%s\n", o->probe->name, m[i].module, m[i].stat,
			refusal ? "not available: " : "available", refusal ? refusal : "");
		refused += refusal != NULL;
	}
	return refused;
}

int probes_doctor(struct probes *p, FILE *out)
{
	int refused = 0;

	for (size_t i = 0; i < p->n_opened; i++) {
		const struct opened *o = &p->opened[i];

		if (!o->self) {
			show_print(out, "%s: cannot be opened: %s\n", o->probe->name, o->reason);
			refused++;
			continue;
		}
		if (o->probe->try)
			o->probe->try(o->self);
		refused += doctor_metrics(o, out);
		o->probe->doctor(o->self, out);
	}
	return refused;
}
