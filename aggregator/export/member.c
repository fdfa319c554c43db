#include "aggregator/export/member.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Letters, digits and _ only. */
static void make_plain(char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name))
			*name = '_';
}

/* ---- names ---- */

struct exposition_family member_family(const struct member *m, const char *help)
{
	return (struct exposition_family){ m->weight ? EXPOSITION_COUNTER : EXPOSITION_HISTOGRAM, m->name, m->unit, help, m->ci->in.module };
}

bool member_at(const struct exported *x, const struct catalog_inst *ci, unsigned at, struct member *ret_member)
{
	const struct instrumentation *in = &ci->in;
	struct member *m = ret_member;
	struct exposition_family family;
	const struct field *f;
	const char *measure;

	*m = (struct member){ .x = x, .ci = ci };
	if (at >= in->n_measures + in->n_weights)
		return false;
	if (at < in->n_measures) {
		m->axis = at;
		measure = in->measure[at];
		m->unit = buckets_unit((enum ruler_unit)ruler_unit(in->ruler[at]), &m->divisor);
	} else {
		m->weight = at - (unsigned)in->n_measures + 1;
		measure = in->weight[m->weight - 1];
		f = metric_field(ci->metric, measure);
		m->unit = buckets_unit(f ? f->unit : UNIT_NONE, &m->divisor);
	}
	snprintf(m->name, sizeof(m->name), "heatscope.%s.%s.%s", in->module, in->stat, measure);
	family = member_family(m, "");
	exposition_prometheus_name(&family, m->prometheus);
	return true;
}

bool member_is_left_out(const struct member *m)
{
	const struct instrumentation *in = &m->ci->in;

	return m->weight ? instrumentation_axis(in, in->weight[m->weight - 1]) >= 0
			 : metric_measure_scope(m->ci->metric, in->measure[m->axis]) == SCOPE_POINT;
}

void member_help(const struct member *m, char help[MEMBER_HELP_MAX])
{
	const char *name = m->weight ? m->ci->in.weight[m->weight - 1] : m->ci->in.measure[m->axis];
	const struct field *f = metric_field(m->ci->metric, name);

	if (m->weight)
		snprintf(help, MEMBER_HELP_MAX, "%s: sum of %s", m->ci->metric->label, f ? f->label : name);
	else
		snprintf(help, MEMBER_HELP_MAX, "%s: %s; count and sum are exact, a value's position within %.1f %%", m->ci->metric->label,
			 f ? f->label : name, 100.0 / (1 << ruler_bits(m->ci->in.ruler[m->axis])));
}

/* ---- labels ---- */

static void add_label(struct key_labels *l, unsigned i, const char *field)
{
	snprintf(l->name[i], NAME_MAX_LEN, "%s", field);
	make_plain(l->name[i]);
	l->all.name[l->all.n] = l->name[i];
	l->all.value[l->all.n++] = l->value[i];
}

void member_labels(const char *instrumentation, const struct instrumentation *in, const struct labels *key, struct key_labels *ret_labels)
{
	struct key_labels *l = ret_labels;

	l->all = (struct exposition_series){ 1, { "instrumentation" }, { instrumentation }, 0 };
	for (unsigned i = 0; key && i < in->n_fields; i++) {
		if (labels_text(key, i, l->value[i]))
			continue;
		exposition_make_valid(l->value[i]);
		add_label(l, i, in->field[i]);
	}
}

void member_field_labels(const struct instrumentation *in, struct key_labels *ret_labels)
{
	ret_labels->all = (struct exposition_series){ 0 };
	for (unsigned i = 0; i < in->n_fields; i++) {
		ret_labels->value[i][0] = 0;
		add_label(ret_labels, i, in->field[i]);
	}
}

bool member_label_is(const char *field, const char *label)
{
	char name[NAME_MAX_LEN];

	snprintf(name, sizeof(name), "%s", field);
	make_plain(name);
	return !strcmp(name, label);
}
