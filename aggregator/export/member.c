#include "aggregator/export/member.h"

#include "collector/core/utf8_length.h"

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

static void family_name(const struct instrumentation *in, const char *measure, const char *unit, const char *suffix, char *out)
{
	snprintf(out, EXPOSITION_NAME_MAX, "heatscope_%s_%s_%s%s%s%s", in->module, in->stat, measure, *unit ? "_" : "", unit, suffix);
	make_plain(out);
}

bool member_at(const struct exported *x, const struct catalog_inst *ci, unsigned at, struct member *ret_member)
{
	const struct instrumentation *in = &ci->in;
	struct member *m = ret_member;
	const char *unit;

	*m = (struct member){ .x = x, .ci = ci };
	if (at >= in->n_measures + in->n_weights)
		return false;
	if (at < in->n_measures) {
		m->axis = at;
		unit = buckets_unit((enum ruler_unit)ruler_unit(in->ruler[at]), &m->divisor);
		family_name(in, in->measure[at], unit, "", m->name);
	} else {
		const struct field *f = metric_field(ci->metric, in->weight[at - in->n_measures]);

		m->weight = at - (unsigned)in->n_measures + 1;
		unit = buckets_unit(f ? f->unit : UNIT_NONE, &m->divisor);
		family_name(in, in->weight[m->weight - 1], unit, "_total", m->name);
	}
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

/* A byte that is not UTF-8 becomes a question mark: Prometheus refuses a reply that has one. */
static void make_valid(char *text)
{
	for (size_t len; *text; text += len) {
		len = utf8_length((const unsigned char *)text);
		if (!len) {
			*text = '?';
			len = 1;
		}
	}
}

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

	l->all = (struct exposition_labels){ 1, { "instrumentation" }, { instrumentation } };
	for (unsigned i = 0; key && i < in->n_fields; i++) {
		if (labels_text(key, i, l->value[i]))
			continue;
		make_valid(l->value[i]);
		add_label(l, i, in->field[i]);
	}
}

void member_field_labels(const struct instrumentation *in, struct key_labels *ret_labels)
{
	ret_labels->all = (struct exposition_labels){ 0 };
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
