#include "aggregator/export/metrics.h"

#include "aggregator/base/clock.h"
#include "aggregator/export/member.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- instrumentations ---- */

static void put_member(struct exposition *e, const struct member *p)
{
	struct key_labels labels;

	for (size_t i = 0; i < p->x->keys.n_keys; i++) {
		const struct export_key *k = &p->x->key[i];

		member_labels(p->x->conf->instrumentation, &p->ci->in, &p->x->keys.key[i], &labels);
		labels.all.since_ns = k->since_ns;
		if (p->weight)
			exposition_number(e, &labels.all, (double)k->weight[p->weight] / p->divisor);
		else if (k->measure[p->axis])
			exposition_histogram(e, &labels.all, k->measure[p->axis], p->divisor, p->x->conf->schema);
	}
}

static void put_head(struct exposition *e, const struct member *p)
{
	char help[MEMBER_HELP_MAX];
	const struct exposition_family family = member_family(p, help);

	member_help(p, help);
	exposition_family(e, &family);
}

/* Writes the whole family of a member, of its instrumentation and those after it; nothing if one before it has written it. */
static void put_family(struct exposition *e, const struct metrics_parts *parts, const struct member *first)
{
	bool is_later = false;
	struct member p;

	for (const struct exported *x = export_first(parts->export); x; x = x->next) {
		const struct catalog_inst *ci = catalog_find(parts->catalog, x->inst);

		is_later |= x == first->x;
		for (unsigned at = 0; ci && member_at(x, ci, at, &p); at++) {
			if (strcmp(p.name, first->name) || !p.weight != !first->weight || member_is_left_out(&p))
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
			labels.all.since_ns = x->since_ns;
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
			labels.all.since_ns = x->since_ns;
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
