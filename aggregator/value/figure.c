/* figure: draws one map with its axes, as PNG, PDF or SVG. */
#include "aggregator/value/kind.h"
#include "aggregator/value/layers.h"
#include "aggregator/value/picture.h"
#include "aggregator/value/reply.h"
#include "aggregator/value/in_flight.h"

struct figure_value {
	struct value v;
	struct value_layers layers;
};

static struct figure_value *figure_of(struct value *v) { return (struct figure_value *)v; }

static void figure_settle(struct value *v, int axis)
{
	if (value_is_offset(v, axis) && !v->p.has_ymax)
		v->p.ymax = 1000000000;
}

static int figure_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct query q = value_query(v, axis);
	int err = value_fold_add(v, &q, false);

	if (!err && value_layers_wanted(v))
		err = value_layers_add(v, &figure_of(v)->layers);
	return err ? err : value_in_flight_fold(v);
}

static int figure_make(struct value *v)
{
	char subtitle[VALUE_TITLE];
	struct picture_texts texts;
	struct picture_data p;
	int err = value_grids(v);

	if (!err)
		err = value_layers_put(v, &figure_of(v)->layers);
	if (err)
		return err;
	value_join_running(v);
	picture_subtitle(v, reply_measure_title(reply_measure(v, v->fold_axis[0])), subtitle, sizeof(subtitle));
	picture_fill_data(v, "figure", subtitle, &texts, &p);
	return picture_take(v, &p);
}

static void figure_free(struct value *v)
{
	value_layers_fini(&figure_of(v)->layers);
}

const struct value_kind value_figure = {
	.name = "figure", .size = sizeof(struct figure_value), .class = ADMISSION_LARGE, .shows_times = true, .drawn_from = true,
	.columns = picture_columns, .query = picture_query, .settle = figure_settle, .folds = figure_folds, .make = figure_make, .free = figure_free,
};
