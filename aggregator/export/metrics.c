#include "aggregator/export/metrics.h"

#include "aggregator/base/clock.h"
#include "aggregator/export/member.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names and labels ---- */

static void family_name(const struct instrumentation *in, const char *measure, char *out)
{
	snprintf(out, EXPOSITION_NAME_MAX, "heatscope.%s.%s.%s", in->module, in->stat, measure);
}

/* Letters, digits and _ only. */
static void make_plain(char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name))
			*name = '_';
}

struct key_labels {
	struct exposition_series all;
	char name[KEY_FIELDS_MAX][NAME_MAX_LEN], value[KEY_FIELDS_MAX][LABEL_MAX + 1];
};

/* key: NULL: only the instrumentation's. */
static void labels_of(const struct exported *x, const struct catalog_inst *ci, const struct labels *key, struct key_labels *l)
{
	l->all = (struct exposition_series){ 1, { "instrumentation" }, { x->conf->instrumentation }, x->since_ns };
	for (unsigned i = 0; key && i < ci->in.n_fields; i++) {
		if (labels_text(key, i, l->value[i]))
			continue;
		exposition_make_valid(l->value[i]);
		snprintf(l->name[i], NAME_MAX_LEN, "%s", ci->in.field[i]);
		make_plain(l->name[i]);
		l->all.name[l->all.n] = l->name[i];
		l->all.value[l->all.n++] = l->value[i];
	}
}

/* ---- instrumentations ---- */

/* An instrumentation's member of a family of metrics: the histograms of a measure, or the sums of a weight. */
struct member {
	const struct exported *x;
	const struct catalog_inst *ci;
	unsigned axis, weight;			/* weight 0: the histograms */
	double divisor;
	const char *unit;
	char name[EXPOSITION_NAME_MAX];
};

static bool next_member(const struct exported *x, const struct catalog_inst *ci, unsigned at, struct member *p)
{
	const struct instrumentation *in = &ci->in;

	*p = (struct member){ .x = x, .ci = ci };
	if (at >= in->n_measures + in->n_weights)
		return false;
	if (at < in->n_measures) {
		p->axis = at;
		p->unit = buckets_unit((enum ruler_unit)ruler_unit(in->ruler[at]), &p->divisor);
		family_name(in, in->measure[at], p->name);
	} else {
		const struct field *f = metric_field(ci->metric, in->weight[at - in->n_measures]);

		p->weight = at - (unsigned)in->n_measures + 1;
		p->unit = buckets_unit(f ? f->unit : UNIT_NONE, &p->divisor);
		family_name(in, in->weight[p->weight - 1], p->name);
	}
	return true;
}

/* A weight that is also a measure, as it is the sum of that histogram; a state, which does not add up over time. */
static bool is_left_out(const struct member *p)
{
	const struct instrumentation *in = &p->ci->in;

	return p->weight ? instrumentation_axis(in, in->weight[p->weight - 1]) >= 0
			 : metric_measure_scope(p->ci->metric, in->measure[p->axis]) == SCOPE_POINT;
}

/* ---- instrumentations ---- */

static void put_member(struct exposition *e, const struct member *p)
{
	struct key_labels labels;

	for (size_t i = 0; i < p->x->keys.n_keys; i++) {
		const struct export_key *k = &p->x->key[i];

		labels_of(p->x, p->ci, &p->x->keys.key[i], &labels);
		labels.all.since_ns = k->since_ns;
		member_labels(p->x->conf->instrumentation, &p->ci->in, &p->x->keys.key[i], &labels);
		if (p->weight)
			exposition_number(e, &labels.all, (double)k->weight[p->weight] / p->divisor);
		else if (k->measure[p->axis])
			exposition_histogram(e, &labels.all, k->measure[p->axis], p->divisor, p->x->conf->schema);
	}
}

static void put_head(struct exposition *e, const struct member *p)
{
	const char *name = p->weight ? p->ci->in.weight[p->weight - 1] : p->ci->in.measure[p->axis];
	const struct field *f = metric_field(p->ci->metric, name);
	char help[256];
	const struct exposition_family family = { p->weight ? EXPOSITION_COUNTER : EXPOSITION_HISTOGRAM, p->name, p->unit, help, p->ci->in.module };

	if (p->weight)
		snprintf(help, sizeof(help), "%s: sum of %s", p->ci->metric->label, f ? f->label : name);
	else
		snprintf(help, sizeof(help), "%s: %s; count and sum are exact, a value's position within %.1f %%", p->ci->metric->label,
			 f ? f->label : name, 100.0 / (1 << ruler_bits(p->ci->in.ruler[p->axis])));
	exposition_family(e, &family);
	char help[MEMBER_HELP_MAX];

	member_help(p, help);
	exposition_family(e, p->weight ? EXPOSITION_COUNTER : EXPOSITION_HISTOGRAM, p->name, help);
}

/* Writes the whole family of a member, of its instrumentation and those after it; nothing if one before it has written it. */
static void put_family(struct exposition *e, const struct metrics_parts *parts, const struct member *first)
{
	bool is_later = false;
	struct member p;

	for (const struct exported *x = export_first(parts->export); x; x = x->next) {
		const struct catalog_inst *ci = catalog_find(parts->catalog, x->inst);

		is_later |= x == first->x;
		for (unsigned at = 0; ci && next_member(x, ci, at, &p); at++) {
			if (strcmp(p.name, first->name) || !p.weight != !first->weight || is_left_out(&p))
		for (unsigned at = 0; ci && member_at(x, ci, at, &p); at++) {
			if (strcmp(p.name, first->name) || member_is_left_out(&p))
				continue;
			if (!is_later)
				return;
			if (x == first->x)
				put_head(e, &p);
			put_member(e, &p);
		}
	}
}

static void put_instrumentations(struct exposition *e, const struct metrics_parts *parts)
{
	struct member p;

	for (const struct exported *x = export_first(parts->export); x; x = x->next) {
		const struct catalog_inst *ci = catalog_find(parts->catalog, x->inst);

		for (unsigned at = 0; ci && member_at(x, ci, at, &p); at++)
			if (!member_is_left_out(&p))
				put_family(e, parts, &p);
	}
}

/* ---- coverage and losses ---- */

static double lost_of(const struct exported *x, const struct catalog_inst *ci) { return (double)x->n_lost; }
static double other_of(const struct exported *x, const struct catalog_inst *ci) { return (double)x->n_other; }
static double keys_of(const struct exported *x, const struct catalog_inst *ci) { return (double)x->keys.n_keys; }
static double last_of(const struct exported *x, const struct catalog_inst *ci)
{
	return x->last_slot ? (double)(x->last_slot + 1) * (double)ci->in.slot_ns / 1e9 : 0;
}

static void put_facts(struct exposition *e, const struct metrics_parts *parts)
{
	static const struct {
		struct exposition_family family;
		double (*of)(const struct exported *x, const struct catalog_inst *ci);
	} facts[] = {
		{ { EXPOSITION_COUNTER, "heatscope.lost_events", "", "Events that collectors lost: they are in no histogram", NULL }, lost_of },
		{ { EXPOSITION_COUNTER, "heatscope.other_events", "", "Events of keys beyond the limit, which have the labels other", NULL }, other_of },
		{ { EXPOSITION_GAUGE, "heatscope.exported_keys", "", "Keys with counters of their own", NULL }, keys_of },
		{ { EXPOSITION_GAUGE, "heatscope.last_slot_timestamp", "seconds", "End of the newest slot that has come; 0: none", NULL }, last_of },
	};
	struct key_labels labels;

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts) && export_first(parts->export); i++) {
		exposition_family(e, &facts[i].family);
		for (const struct exported *x = export_first(parts->export); x; x = x->next) {
			const struct catalog_inst *ci = catalog_find(parts->catalog, x->inst);

			if (!ci)
				continue;
			member_labels(x->conf->instrumentation, &ci->in, NULL, &labels);
			exposition_number(e, &labels.all, facts[i].of(x, ci));
		}
	}
}

/* How many sources measure each instrumentation, by how well they do. */
static void put_sources(struct exposition *e, const struct metrics_parts *parts)
{
	static const struct exposition_family family = { EXPOSITION_GAUGE, "heatscope.sources", "", "Sources of an instrumentation, by state", NULL };
	struct key_labels labels;
	char reason[REASON_MAX];

	if (!export_first(parts->export))
		return;
	exposition_family(e, &family);
	for (const struct exported *x = export_first(parts->export); x; x = x->next) {
		const struct catalog_inst *ci = catalog_find(parts->catalog, x->inst);
		unsigned n[FARE_SUSPENDED + 1] = { 0 };

		for (const struct source *s = ci ? catalog_source_first(parts->catalog) : NULL; s; s = s->next)
			n[catalog_fare(ci, s, now_ns(), reason)]++;
		for (unsigned fare = FARE_PENDING; ci && fare <= FARE_SUSPENDED; fare++) {
			member_labels(x->conf->instrumentation, &ci->in, NULL, &labels);
			labels.all.name[labels.all.n] = "state";
			labels.all.value[labels.all.n++] = catalog_fare_word((enum fare)fare);
			exposition_number(e, &labels.all, n[fare]);
		}
	}
}

/* ---- the reply ---- */

void metrics_put(struct exposition *e, const struct exposition_family *f, __s64 since_ns, double value)
{
	const struct exposition_series none = { .since_ns = since_ns };

	exposition_family(e, f);
	exposition_number(e, &none, value);
}

void metrics_write(const struct metrics_parts *parts, struct exposition *e)
{
	put_instrumentations(e, parts);
	put_facts(e, parts);
	put_sources(e, parts);
	parts->own(parts->own_arg, e);
}

static bool wants_protobuf(struct http_request *r)
{
	const char *accept = http_header(r, "Accept");

	return strstr(accept, "application/vnd.google.protobuf") && strstr(accept, "io.prometheus.client.MetricFamily");
}

void metrics_reply(const struct metrics_parts *parts, struct http_request *r)
{
	struct exposition e;
	bool is_protobuf;
	size_t len;
	void *data;

	if (strcmp(http_method(r), "GET")) {
		http_error(r, 405, "ECA_INVAL", "there is only GET here");
		return;
	}
	is_protobuf = wants_protobuf(r);
	exposition_begin(&e, is_protobuf ? &exposition_protobuf : &exposition_text, NULL);
	metrics_write(parts, &e);
	data = exposition_end(&e, &len);
	if (data)
		http_reply(r, 200, is_protobuf ? EXPOSITION_PROTOBUF_TYPE : EXPOSITION_TEXT_TYPE, data, len, NULL);
	else
		http_busy(r, 1, "no memory");
}
