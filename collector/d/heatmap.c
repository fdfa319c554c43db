#include "collector/d/heatmap.h"
#include "collector/core/array.h"
#include "collector/core/host_labels.h"
#include "collector/core/refuse.h"
#include "collector/d/tree/function.h"
#include "collector/d/viewer.h"
#include "collector/probe/probe.h"
#include "collector/proc/event_counter.h"
#include "collector/ring/clean.h"
#include "collector/ring/filter.h"
#include "collector/trace/wall.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_NS 1000000000ll
#define WAKE_NS 20000000ll		/* how often records are taken out of the ring */
#define EVENTS_MAX_WAITING (4u << 20)
#define CLOCK_STEP_NS 1000000

struct d_event {
	__s64 slot;
	__u64 value, code[KEY_FIELDS_MAX];
	__u32 metric;
};

struct d_instrumentation {			/* an instrumentation */
	struct d_instrumentation *next;
	__u32 metric;
	__u64 inst;
	bool is_ours;			/* created since we began */
	__s64 first_slot;
	struct filter filter;
	struct event_counter *counter;
};

/* ---- metrics ---- */

/* A name of few kinds of characters, not longer than a metric's may be. */
static void make_name(const char *text, char *out)
{
	size_t i = 0;

	for (; text[i] && i < NAME_MAX_LEN - 1; i++)
		out[i] = isalnum((unsigned char)text[i]) || text[i] == '-' ? text[i] : '_';
	out[i] = '\0';
}

static bool has_field(const struct metric *m, const char *name)
{
	for (size_t i = 0; i < m->n_fields; i++)
		if (!strcmp(m->field[i].name, name))
			return true;
	return false;
}

/* Names that a key cannot have: they are those of other fields. */
static bool is_taken(const struct metric *m, const char *name)
{
	return has_field(m, name) || host_field_is(name) || !strcmp(name, "latency") || !strcmp(name, "value") || !strncmp(name, "key", 3);
}

/* The name of a variable that is the key; of another expression, or if it is taken, key1, key2 ... */
static const char *key_name(struct d_arena *a, const struct metric *m, const struct d_node *key, unsigned number)
{
	char *name = d_alloc(a, NAME_MAX_LEN);

	if (name && key->kind == NODE_NAME)
		make_name(key->text, name);
	if (name && (key->kind != NODE_NAME || is_taken(m, name)))
		snprintf(name, NAME_MAX_LEN, "key%u", number);
	return name;
}

/* That of the aggregation; of @, whose name is "_", that of the script.  A second one of the same name gets its number. */
static const char *stat_name(struct d_heatmap *h, const struct d_aggregation *g, const char *script)
{
	char *name = d_alloc(&h->run->compile->arena, NAME_MAX_LEN), all[NAME_MAX_LEN];

	if (!name)
		return NULL;
	make_name(strcmp(g->name, "_") ? g->name : script, name);
	for (size_t i = 0; i < h->n_metrics; i++)
		if (!strcmp(h->metrics[i].stat, name)) {
			memcpy(all, name, sizeof(all));
			snprintf(name, NAME_MAX_LEN, "%.24s-%u", all, g->id);
		}
	return name;
}

static int metric_make(struct d_arena *a, const struct d_aggregation *g, const char *stat, struct metric *m)
{
	static const struct field time = { "latency", "latency", "time", FIELD_NUMERIC, UNIT_NS, 7, 42 };
	static const struct field number = { "value", "value", "number", FIELD_NUMERIC, UNIT_NONE, 0, 62 };
	struct field *field = d_alloc(a, (KEY_FIELDS_MAX + 1) * sizeof(*field));
	char *label = d_alloc(a, NAME_MAX_LEN);
	unsigned n = 0;

	*m = (struct metric){ .module = "dtrace", .stat = stat, .label = label, .unit = "events", .field = field, .scope = SCOPE_INTERVAL };
	if (!field || !label || !stat)
		return -ENOMEM;
	for (const struct d_node *key = g->keys; key; key = key->next) {
		const char *name = key_name(a, m, key, ++n);

		if (!name)
			return -ENOMEM;
		field[m->n_fields++] = (struct field){ name, name, "string", FIELD_DISCRETE, 0, 0, 0 };
	}
	field[m->n_fields++] = g->is_time ? time : number;
	snprintf(label, NAME_MAX_LEN, "D script: @%s", strcmp(g->name, "_") ? g->name : "");
	return 0;
}

/* Those of quantize() and its relatives, or the others. */
static int add_metrics(struct d_heatmap *h, const char *name, bool have_buckets)
{
	struct d_compile *c = h->run->compile;

	for (const struct d_aggregation *g = c->program.aggregations; g; g = g->next) {
		if (!g->is_metric || (g->buckets.kind != 0) != have_buckets)
			continue;
		h->aggregations[h->n_metrics] = g;
		if (metric_make(&c->arena, g, stat_name(h, g, name), &h->metrics[h->n_metrics]))
			return -ENOMEM;
		h->n_metrics++;
	}
	return 0;
}

static int metrics_make(struct d_heatmap *h, const char *name)
{
	int err = add_metrics(h, name, true) ?: add_metrics(h, name, false);

	return err ? err : h->n_metrics ? 0 : -ENOENT;
}

/* ---- values ---- */

static __u32 metric_of(const struct d_heatmap *h, const struct d_aggregation *g)
{
	__u32 i = 0;

	while (h->aggregations[i] != g)
		i++;
	return i;
}

/* The label of a key: an empty one would mean all keys beyond the limit. */
static __u64 label_code(struct d_heatmap *h, const struct d_format_value *v)
{
	char label[LABEL_MAX + 1];
	__u64 code;

	if (v->text && v->text_len) {
		if (!clean_copy(v->text, v->text_len, label, LABEL_MAX) || clean_is_special(label) || clean_code(label, &code))
			clean_label(words_hash(v->text, v->text_len), v->text, v->text_len, label);
	} else if (v->text)
		snprintf(label, sizeof(label), "none");
	else
		snprintf(label, sizeof(label), v->is_signed ? "%lld" : "%llu", (long long)v->value);
	return words_code(&h->words[0], label, strlen(label));
}

static void metric_lose(struct d_heatmap *h, __u32 metric, __u64 n)
{
	for (struct d_instrumentation *c = h->instrumentations; c; c = c->next)
		if (c->metric == metric)
			event_counter_lose(c->counter, n);
}

static void on_value(void *context, const struct d_totals *t, const struct d_row *row, __s64 value, __u64 time_ns)
{
	struct d_heatmap *h = context;
	__u32 metric = metric_of(h, t->aggregation);
	struct d_event *e;

	if (value < 0 || h->n_events == EVENTS_MAX_WAITING || array_grow(&h->events, h->n_events, &h->events_room, sizeof(*h->events))) {
		metric_lose(h, metric, 1);
		return;
	}
	e = &h->events[h->n_events++];
	*e = (struct d_event){ .slot = ((__s64)time_ns + h->wall_offset) / SLOT_NS, .value = (__u64)value, .metric = metric };
	for (unsigned i = 0; i + 1 < t->aggregation->table->n_keys; i++) {
		const struct d_format_value key = d_row_key(t->aggregation, row, i);

		e->code[i] = label_code(h, &key);
	}
}

int d_heatmap_init(struct d_heatmap *h, struct d_run *run, const char *name)
{
	size_t n = run->compile->program.n_aggregations + 1;

	*h = (struct d_heatmap){ .run = run, .wall_offset = wall_offset() };
	h->metrics = calloc(n, sizeof(*h->metrics));
	h->aggregations = calloc(n, sizeof(*h->aggregations));
	if (!h->metrics || !h->aggregations)
		return -ENOMEM;
	run->consumer->on_value = on_value;
	run->consumer->on_value_context = h;
	return metrics_make(h, name);
}

void d_heatmap_fini(struct d_heatmap *h)
{
	free(h->metrics);
	free(h->aggregations);
	free(h->events);
	words_fini(&h->words[0]);
	words_fini(&h->words[1]);
}

/* ---- the script ---- */

/* Takes what the programs have sent, and looks whether the script has ended. */
static void script_step(struct d_heatmap *h)
{
	if (h->has_begun && !h->has_ended)
		h->has_ended = !d_run_step(h->run, 0);
}

static void heatmap_wake(void *self, __s64 now_ns)
{
	struct d_heatmap *h = self;

	h->has_ended |= h->viewer && d_viewer_has_ended(h->viewer);
	if (!h->has_begun && !h->has_ended && h->begin_ns && now_ns >= h->begin_ns) {
		h->has_begun = true;
		h->failed = d_run_start(h->run);
		h->has_ended |= h->failed;
	}
	script_step(h);
}

static __s64 heatmap_wake_at(void *self)
{
	const struct d_heatmap *h = self;
	__s64 next = clock_ns(CLOCK_REALTIME) + WAKE_NS;

	return !h->has_begun && h->begin_ns > next ? h->begin_ns : next;
}

static int heatmap_finished(const void *self) { return ((const struct d_heatmap *)self)->has_ended; }

static void heatmap_end(void *self)
{
	struct d_heatmap *h = self;

	if (h->has_begun)
		h->failed |= d_run_stop(h->run);
	h->has_ended = true;
}

/* ---- open, enable ---- */

static int heatmap_open(const struct probe_conf *conf, void **ret_self, char *reason)
{
	struct d_heatmap *h = conf->script;

	h->source = conf->source;
	h->incarnation = conf->incarnation;
	*ret_self = h;
	return 0;
}

static const struct metric *heatmap_metrics(void *self, size_t *ret_n)
{
	const struct d_heatmap *h = self;

	*ret_n = h->n_metrics;
	return h->metrics;
}

static const char *heatmap_refusal(void *self, const struct metric *m) { return NULL; }

/* A label becomes a code by its hash, even if no event has it now. */
static int codes_of_label(void *arg, unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	*ret_code = words_hash(text, strlen(text));
	return 1;
}

static void label_of_code(void *arg, unsigned field, __u64 code, char *out)
{
	struct d_heatmap *h = arg;

	if (!words_find(&h->words[0], code, out))
		words_text(&h->words[1], code, out);
}

/* Whether a metric has an instrumentation that was created for this run; older ones are those of earlier runs. */
static bool is_wanted(const struct d_heatmap *h, __u32 metric)
{
	for (const struct d_instrumentation *c = h->instrumentations; c; c = c->next)
		if (c->metric == metric && c->is_ours)
			return true;
	return false;
}

/* When all metrics are instrumentations, the script can begin: with the first slot of the last one. */
static void plan_begin(struct d_heatmap *h, __s64 first_slot)
{
	__u32 metric = 0;

	while (metric < h->n_metrics && is_wanted(h, metric))
		metric++;
	if (!h->begin_ns && metric == h->n_metrics)
		h->begin_ns = first_slot * SLOT_NS;
}

static int counting_new(struct d_heatmap *h, const struct instrumentation *in, struct d_instrumentation *c, char *reason)
{
	const struct metric *m = &h->metrics[c->metric];
	const struct filter_names names = { m, h->source, codes_of_label, NULL, 0, NULL };
	const struct probe_conf conf = { .source = h->source, .incarnation = h->incarnation };
	int err = filter_compile(&in->predicate, &names, &c->filter, reason);

	if (err)
		return err;
	err = event_counter_new(m, in, &conf, c->first_slot, &(struct event_counter_labels){ label_of_code, h }, &c->counter);
	return err ? no_memory(reason) : 0;
}

static int heatmap_enable(void *self, const struct instrumentation *in, __s64 now_ns, char *reason)
{
	struct d_heatmap *h = self;
	struct d_instrumentation *c;
	__u32 metric = 0;
	int err;

	if (in->slot_ns != SLOT_NS)
		return refuse(reason, "the slots of a D script are 1 s long: its granularity must be 1 s, not %g s", (double)in->slot_ns / 1e9);
	while (strcmp(h->metrics[metric].stat, in->stat))
		metric++;		/* the caller passes only metrics that we offer */
	c = calloc(1, sizeof(*c));
	if (!c)
		return no_memory(reason);
	c->metric = metric;
	c->inst = in->id;
	c->is_ours = in->crtime_ms >= (__s64)(h->incarnation / 1000000);
	c->first_slot = now_ns / SLOT_NS + 1;
	err = counting_new(h, in, c, reason);
	if (err) {
		free(c);
		return err;
	}
	c->next = h->instrumentations;
	h->instrumentations = c;
	plan_begin(h, c->first_slot);
	return 0;
}

static __s64 heatmap_counts_from(void *self, __u64 inst)
{
	for (const struct d_instrumentation *c = ((struct d_heatmap *)self)->instrumentations; c; c = c->next)
		if (c->inst == inst)
			return c->first_slot * SLOT_NS;
	return 0;
}

static void heatmap_disable(void *self, __u64 inst)
{
	struct d_heatmap *h = self;

	for (struct d_instrumentation **at = &h->instrumentations; *at; at = &(*at)->next)
		if ((*at)->inst == inst) {
			struct d_instrumentation *c = *at;

			*at = c->next;
			event_counter_free(c->counter);
			free(c);
			return;
		}
}

static void heatmap_close(void *self)
{
	struct d_heatmap *h = self;

	while (h->instrumentations)
		heatmap_disable(h, h->instrumentations->inst);
}

/* ---- drain ---- */

static int by_slot(const void *a, const void *b)
{
	__s64 x = ((const struct d_event *)a)->slot, y = ((const struct d_event *)b)->slot;

	return x < y ? -1 : x > y;
}

static void counting_add(struct d_instrumentation *c, const struct d_heatmap *h, const struct d_event *from)
{
	struct event e = { 0 };

	if (from->metric != c->metric)
		return;
	e.end_ns = (__u64)(from->slot * SLOT_NS);
	e.measure[0] = from->value;
	for (unsigned i = 0; i + 1 < h->metrics[c->metric].n_fields; i++)
		e.field[i] = from->code[i];
	if (filter_accepts(&c->filter, &e, NULL))
		event_counter_add(c->counter, &e);
}

/* Sends the slots of the first n events, which are sorted, and all others before `end`.  A slot that was sent before is
 * amended. */
static int counting_drain(struct d_heatmap *h, struct d_instrumentation *c, size_t n, __s64 end, const struct batch_sink *sink)
{
	int err = 0;

	for (size_t i = 0; i < n;) {
		__s64 slot = h->events[i].slot;
		size_t from = i;

		while (i < n && h->events[i].slot == slot)
			i++;
		if (slot < c->first_slot)
			continue;
		err = event_counter_send_empty(c->counter, slot, sink) ?: err;
		for (size_t k = from; k < i; k++)
			counting_add(c, h, &h->events[k]);
		err = event_counter_send(c->counter, slot, sink) ?: err;
	}
	return event_counter_send_empty(c->counter, end, sink) ?: err;
}

/* Notes a step of the wall clock, which the next batch reports. */
static void clock_refresh(struct d_heatmap *h)
{
	__s64 offset = wall_offset(), step_ns = offset - h->wall_offset;

	if (step_ns < CLOCK_STEP_NS && step_ns > -CLOCK_STEP_NS)
		return;
	h->wall_offset = offset;
	for (size_t i = 0; i < h->n_events; i++)
		h->events[i].slot += step_ns / SLOT_NS;
	h->run->session.state->wall_offset_ns = (__u64)offset;
	for (struct d_instrumentation *c = h->instrumentations; c; c = c->next)
		event_counter_clock_step(c->counter, step_ns);
}

/* Records that the ring had no room for, firings that did not run, and switches that the kernel did not show may have had values
 * of any metric. */
static void report_drops(struct d_heatmap *h)
{
	const struct d_state *s = h->run->session.state;
	__u64 drops = s->drops + s->nesting_drops + d_unseen_switches(s);

	for (__u32 i = 0; drops > h->drops && i < h->n_metrics; i++)
		metric_lose(h, i, drops - h->drops);
	h->drops = drops;
}

/* Events of the slot before this one may still have codes of the older words. */
static void words_rotate(struct d_heatmap *h, __s64 slot)
{
	struct words older = h->words[1];

	if (slot <= h->words_slot)
		return;
	h->words_slot = slot;
	h->words[1] = h->words[0];
	h->words[0] = older;
	words_clear(&h->words[0]);
}

static int heatmap_drain(void *self, __s64 now_ns, const struct batch_sink *sink)
{
	struct d_heatmap *h = self;
	__s64 slot = now_ns / SLOT_NS, end = h->has_ended ? slot + 1 : slot;
	size_t n = 0;
	int err = 0;

	script_step(h);
	report_drops(h);
	qsort(h->events, h->n_events, sizeof(*h->events), by_slot);
	while (n < h->n_events && (h->has_ended || h->events[n].slot < end))
		n++;
	for (struct d_instrumentation *c = h->instrumentations; c; c = c->next)
		err = counting_drain(h, c, n, end, sink) ?: err;
	h->n_events -= n;
	memmove(h->events, h->events + n, h->n_events * sizeof(*h->events));
	words_rotate(h, slot);
	clock_refresh(h);
	return err;
}

/* ---- for people ---- */

static void heatmap_doctor(void *self, FILE *out)
{
	const struct d_heatmap *h = self;

	fprintf(out, "dtrace: %zu metrics, %zu values of seconds that have not ended\n", h->n_metrics, h->n_events);
}

const struct probe dtrace_probe = {
	.name = "dtrace",
	.filters = 1,
	.open = heatmap_open,
	.close = heatmap_close,
	.metrics = heatmap_metrics,
	.refusal = heatmap_refusal,
	.enable = heatmap_enable,
	.disable = heatmap_disable,
	.counts_from = heatmap_counts_from,
	.drain = heatmap_drain,
	.finished = heatmap_finished,
	.end = heatmap_end,
	.wake_at = heatmap_wake_at,
	.wake = heatmap_wake,
	.doctor = heatmap_doctor,
};
