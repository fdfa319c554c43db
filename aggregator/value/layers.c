#include "aggregator/value/layers.h"
#include "aggregator/value/kind.h"
#include "render/color/hue.h"
#include "collector/core/refuse.h"

#include <errno.h>

void value_layers_narrow(const struct value *v, struct query *q)
{
	q->select_kept = true;
	if (!v->p.isolate && !v->p.exclude)
		q->n_select = 0;
	q->exclude = q->n_select && v->p.exclude;
}

bool value_layers_wanted(const struct value *v)
{
	const struct params *p = &v->p;

	if (p->n_hues || p->palette == PARAMS_HUE)
		return true;
	return p->decompose_all || (p->n_select > (p->isolate ? 1u : 0u) && !p->exclude);
}

static int add_layer_fold(struct value *v, const struct query *q, struct layer_fold **ret_fold)
{
	int err = layer_fold_new(q, true, ret_fold);

	if (!err)
		value_take(v, q->axis, q->n_select ? VALUE_SELECTED : VALUE_BY_KEY, layer_fold_reader(*ret_fold));
	return err;
}

int value_layers_add(struct value *v, struct value_layers *l)
{
	bool rest_only = !l->total_is_rest && v->p.exclude;
	int err = 0;

	l->added = true;
	for (size_t i = 0; i < v->n_folds && !err; i++) {
		struct query q = value_query(v, v->fold_axis[i]);

		q.n_select = v->p.decompose_all ? 0 : v->p.n_select;
		q.exclude = false;
		if (v->p.decompose_all || (q.n_select && !rest_only))
			err = add_layer_fold(v, &q, &l->fold[i]);
	}
	return err;
}

/* ---- hues ---- */

/* The background's hue comes first, then the layers' in their order. */
static int take_hues(struct value *v, struct layers *l)
{
	size_t background = v->p.isolate ? 0 : 1, needed = l->n + background;

	if (v->p.n_hues < needed)
		return refuse_in(-EINVAL, v->reason, sizeof(v->reason), "%zu hues are too few: %zu are needed, %sone "
			"for each of %zu keys", v->p.n_hues, needed, background ? "one for the background and " : "",
			l->n);
	if (background)
		l->rest_hue = v->p.hue[0];
	for (size_t i = 0; i < l->n; i++)
		l->layer[i].hue = v->p.hue[background + i];
	return 0;
}

static int set_hues(struct value *v, bool total_is_rest, struct layers *l)
{
	if (v->p.n_hues)
		return take_hues(v, l);
	if (!total_is_rest) {
		l->rest_hue = l->n ? LAYER_GREY : hue_generated(0);
		hue_assign(l);
		return 0;
	}
	l->rest_hue = hue_generated(0);
	for (size_t i = 0; i < l->n; i++)
		l->layer[i].hue = hue_generated(i + 1);
	return 0;
}

/* ---- layers ---- */

static int make_layers(struct layer_fold *f, const struct grid *g, struct layers **ret_layers)
{
	int err = f ? layer_fold_error(f) : 0;

	if (err)
		return err;
	if (f && layer_fold_finish(f))
		return layer_fold_layers(f, g, ret_layers);
	*ret_layers = layers_new(0);
	return *ret_layers ? 0 : -ENOMEM;
}

static int put_layers(struct value *v, struct value_layers *l, size_t i)
{
	struct layers *layers;
	int err = make_layers(l->fold[i], v->grid[i], &layers);

	if (err)
		return err;
	layers->shown = v->p.isolate ? LAYERS_ISOLATED : l->total_is_rest && v->p.exclude ? LAYERS_EXCLUDED : LAYERS_ALL;
	v->grid[i]->layers = layers;
	layer_fold_free(l->fold[i]);
	l->fold[i] = NULL;
	return set_hues(v, l->total_is_rest, layers);
}

int value_layers_put(struct value *v, struct value_layers *l)
{
	int err = 0;

	for (size_t i = 0; i < v->n_folds && l->added && !err; i++)
		err = put_layers(v, l, i);
	return err;
}

void value_layers_fini(struct value_layers *l)
{
	for (size_t i = 0; i < REPORT_PANELS_MAX; i++)
		layer_fold_free(l->fold[i]);
}
