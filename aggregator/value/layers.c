#include "aggregator/value/layers.h"
#include "aggregator/value/rates.h"
#include "render/color/hue.h"

#include <errno.h>
#include <stdio.h>

static bool is_drawn(const struct value *v)
{
	return v->kind == VALUE_FIGURE || v->kind == VALUE_REPORT || v->kind == VALUE_CHART;
}

void value_layers_select(const struct value *v, struct query *q)
{
	bool narrowed = v->p.isolate || v->p.exclude;

	if (v->kind != VALUE_IMAGE && v->kind != VALUE_DETAILS && !is_drawn(v))
		return;
	q->select_kept = true;
	if (v->kind == VALUE_IMAGE || !narrowed)
		q->n_select = 0;
	q->exclude = q->n_select && v->p.exclude;
}

/* Figures draw one layer in the ramp, unless asked for its hue. */
static bool wants_layers(const struct value *v)
{
	const struct params *p = &v->p;

	if (v->kind == VALUE_IMAGE)
		return p->n_select || p->isolate || p->decompose_all;
	if (!is_drawn(v) || v->kind == VALUE_CHART)
		return false;
	if (p->n_hues || p->palette == PARAMS_HUE)
		return true;
	return p->decompose_all || (p->n_select > (p->isolate ? 1u : 0u) && !p->exclude);
}

static bool wants_counts(const struct value *v)
{
	if (!v->in.n_fields || v->p.active || (v->kind == VALUE_REPORT && v->p.show == SHOW_ACTIVE))
		return false;
	return v->kind == VALUE_CHART ? !rates_are_percentiles(v) : v->kind == VALUE_REPORT && v->p.chart;
}

static int add_counts(struct value *v)
{
	struct query q = value_query(v, v->fold_axis[0]);

	q.n_select = v->p.n_select;
	return layer_fold_new(&q, false, &v->counts);
}

int value_layers_add(struct value *v)
{
	int err = wants_counts(v) ? add_counts(v) : 0;

	for (size_t i = 0; wants_layers(v) && i < v->n_folds && !err; i++) {
		struct query q = value_query(v, v->fold_axis[i]);
		bool rest_only = is_drawn(v) && v->p.exclude;

		q.n_select = v->p.decompose_all ? 0 : v->p.n_select;
		q.exclude = false;
		v->layered = true;
		if (v->p.decompose_all || (q.n_select && !rest_only))
			err = layer_fold_new(&q, true, &v->layer_fold[i]);
	}
	return err;
}

/* Background first, then the layers in their order. */
static int take_hues(struct value *v, struct layers *l)
{
	size_t background = v->p.isolate ? 0 : 1, needed = l->n + background;

	if (v->p.n_hues < needed) {
		snprintf(v->reason, sizeof(v->reason), "%zu hues are too few: %zu are needed, %sone for each of %zu keys", v->p.n_hues,
			 needed, background ? "one for the background and " : "", l->n);
		return -EINVAL;
	}
	if (background)
		l->rest_hue = v->p.hue[0];
	for (size_t i = 0; i < l->n; i++)
		l->layer[i].hue = v->p.hue[background + i];
	return 0;
}

static int set_hues(struct value *v, struct layers *l)
{
	if (v->p.n_hues)
		return take_hues(v, l);
	if (v->kind != VALUE_IMAGE) {
		l->rest_hue = l->n ? LAYER_GREY : hue_generated(0);
		hue_assign(l);
		return 0;
	}
	l->rest_hue = hue_generated(0);
	for (size_t i = 0; i < l->n; i++)
		l->layer[i].hue = hue_generated(i + 1);
	return 0;
}

int value_layers_put(struct value *v, size_t i)
{
	struct layers *l = NULL;
	int err = 0;

	if (!v->layered)
		return 0;
	if (!v->layer_fold[i])
		l = layers_new(0);
	else
		err = layer_fold_finish(v->layer_fold[i]) ? layer_fold_layers(v->layer_fold[i], v->grid[i], &l)
							  : (l = layers_new(0), 0);
	if (!err && !l)
		err = -ENOMEM;
	if (err)
		return err;
	l->shown = v->p.isolate ? LAYERS_ISOLATED : v->kind == VALUE_IMAGE && v->p.exclude ? LAYERS_EXCLUDED : LAYERS_ALL;
	v->grid[i]->layers = l;
	layer_fold_free(v->layer_fold[i]);
	v->layer_fold[i] = NULL;
	return set_hues(v, l);
}
