/* flame: draws the keys of a rectangle of time and value as a flame graph, or folds them for other tools. */
#include "aggregator/value/kind.h"
#include "aggregator/value/reply.h"
#include "render/draw/flame.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static size_t stack_field(const struct value *v)
{
	for (size_t i = 0; i < v->in.n_fields; i++)
		if (!strcmp(v->in.field[i], "stack"))
			return i;
	return 0;
}

/* It shows one field: if `by` names none, the stacks, if there are any. */
static void flame_settle(struct value *v, int axis)
{
	if (!v->p.has_weighted)
		v->p.weighted = ruler_unit(v->in.ruler[axis]) == UNIT_NS && !value_is_offset(v, axis);
	if (v->in.n_fields)
		v->drop = ~(1u << stack_field(v));
}

struct folding {
	struct flame_stack *stack;
	size_t n;
	double events;			/* events inside */
	bool other;			/* some keys are in `other` */
};

/* ---- what is inside ---- */

/* A bucket that the rectangle cuts is inside. */
static void sum_cells(const struct value *v, const struct hist *h, double *ret_count, double *ret_sum)
{
	__u32 last = v->p.has_ymax ? ruler_cell(h->ruler, (__u64)v->p.ymax - 1) : ruler_cells(h->ruler) - 1;

	*ret_count = *ret_sum = 0;
	for (__u32 cell = ruler_cell(h->ruler, (__u64)v->p.ymin); cell <= last; cell++) {
		double n = (double)h->cell[cell];

		*ret_count += n;
		*ret_sum += n > 0 ? n * hist_middle(h->ruler, cell, h->min, h->max) : 0;
	}
}

/* Sums are exact if every value is inside. */
static __u64 amount_of(const struct value *v, const struct hist *h, double *ret_events)
{
	double sum;

	if (!v->p.ymin && !v->p.has_ymax) {
		*ret_events = (double)h->count;
		return v->p.weighted ? h->sum : h->count;
	}
	sum_cells(v, h, ret_events, &sum);
	return (__u64)llround(v->p.weighted ? sum : *ret_events);
}

/* ---- stacks ---- */

static const char *field_of(const struct value *v)
{
	for (size_t i = 0; i < v->in.n_fields; i++)
		if (!(v->drop & 1u << i))
			return v->in.field[i];
	return NULL;
}

/* Writes a key as frames: in a text that is not a stack, a `;` does not end a frame. */
static char *text_of(const struct key_total *key, bool stack)
{
	char *text = strdup(key->text);

	for (char *at = text; at && *at && !stack; at++)
		if (*at == ';')
			*at = ',';
	return text;
}

static void folding_fini(struct folding *f)
{
	for (size_t i = 0; i < f->n; i++)
		free((char *)f->stack[i].text);
	free(f->stack);
}

static int fold_keys(const struct value *v, struct folding *ret)
{
	const char *field = field_of(v);
	struct folding f = { .stack = NULL };
	size_t n;
	const struct key_total *total = key_fold_totals(v->key_fold[0], KEYS_BY_COUNT, &n);
	bool stack = field && !strcmp(field, "stack");

	f.stack = calloc(n + 1, sizeof(*f.stack));
	for (size_t i = 0; i < n && f.stack; i++) {
		char *text = text_of(&total[i], stack);
		double events;

		if (!text)
			break;
		f.stack[f.n++] = (struct flame_stack){ text, amount_of(v, &total[i].hist, &events) };
		f.events += events;
		f.other = f.other || (total[i].other && events > 0);
	}
	if (!f.stack || f.n < n) {
		folding_fini(&f);
		return -ENOMEM;
	}
	*ret = f;
	return 0;
}

/* ---- the picture ---- */

/* Writes "offcpu of 1,234 times, by stack; from 10 ms". */
static void describe(const struct value *v, const struct folding *f, char *out, size_t room)
{
	enum axis_unit unit = axis_unit(query_unit(&v->in, v->fold_axis[0]));
	const char *field = field_of(v);
	char n[AXIS_TEXT], value[AXIS_TEXT];
	size_t at;

	axis_format_count(f->events, n);
	at = (size_t)snprintf(out, room, "%s%s%s %s%s%s", v->p.weighted ? reply_measure(v, v->fold_axis[0]) : "",
			      v->p.weighted ? " of " : "", n, v->unit, field ? " by " : "", field ? field : "");
	if (v->p.ymin) {
		axis_format((double)v->p.ymin, unit, value);
		at += (size_t)snprintf(out + at, room - at, ", %s from %s", reply_measure(v, v->fold_axis[0]), value);
	}
	if (v->p.has_ymax) {
		axis_format((double)v->p.ymax, unit, value);
		snprintf(out + at, room - at, ", %s below %s", reply_measure(v, v->fold_axis[0]), value);
	}
}

/* Notes which events the amounts leave out, and whether they are estimates. */
static int note(struct value *v, const struct folding *f, char *out, size_t room)
{
	struct grid *g = fold_grid(v->fold[0]);
	char n[AXIS_TEXT];
	size_t at = 0;

	if (!g)
		return -ENOMEM;
	*out = 0;
	axis_format_count((double)g->all.lost, n);
	if (g->all.lost)
		at += (size_t)snprintf(out, room, "%s events were lost in this time", n);
	if (g->column[0].marks & GRID_SAMPLED)
		at += (size_t)snprintf(out + at, room - at, "%ssampled, at worst one event in %u", at ? "; " : "",
				       (unsigned)g->column[0].every);
	if (f->other)
		snprintf(out + at, room - at, "%smore keys than the limit: the rest is `other`", at ? "; " : "");
	grid_free(g);
	return 0;
}

static int draw(struct value *v, const struct folding *f)
{
	struct flame flame = { .stack = f->stack, .n = f->n, .from_ns = v->head.rounded.from, .to_ns = v->head.rounded.to,
			       .unit = v->p.weighted ? axis_unit(query_unit(&v->in, v->fold_axis[0])) : AXIS_COUNT };
	struct figure_options o;
	char subtitle[VALUE_TITLE], notes[VALUE_TITLE];
	__u8 *bytes = NULL;
	size_t len = 0;
	int err = note(v, f, notes, sizeof(notes));

	if (err)
		return err;
	describe(v, f, subtitle, sizeof(subtitle));
	params_drawing(&v->p, &o);
	o.title = v->title;
	o.subtitle = subtitle;
	o.version = "heatscope " PACKAGE_VERSION;
	o.zone = &v->zone;
	flame.note = notes;
	err = flame_render(&flame, &o, &bytes, &len);
	if (err)
		return err;
	v->type = "image/svg+xml";
	v->data = bytes;
	v->len = len;
	return 0;
}

static int fold_text(struct value *v, const struct folding *f)
{
	char *text;
	int err = flame_fold(f->stack, f->n, &text, &v->len);

	if (err)
		return err;
	v->type = "text/plain; charset=utf-8";
	v->data = text;
	return 0;
}

static int flame_make(struct value *v)
{
	struct folding f;
	int err;

	if (v->head.scope == SCOPE_POINT)
		return refuse_in(-EINVAL, v->reason, sizeof(v->reason), "a measure of states at the end of each slot "
			"has no events to add up");
	err = fold_keys(v, &f);
	if (err)
		return err;
	err = v->p.format == FORMAT_FOLDED ? fold_text(v, &f) : draw(v, &f);
	folding_fini(&f);
	return err;
}

const struct value_kind value_flame = {
	.name = "flame", .class = ADMISSION_LARGE, .totals = true, .shows_times = true, .settle = flame_settle, .folds = value_totals_folds,
	.make = flame_make,
};
