#include "render/document/maps.h"
#include <string.h>

static int fold_grids(struct maps *m, const struct report *r, double width)
{
	size_t k = m->n ? panel_fold(r->panel[0].grid->n_cols, width) : 1;
	int err = 0;

	for (size_t i = 0; i < m->n && !err; i++) {
		if (k > 1)
			err = grid_fold(r->panel[i].grid, k, &m->folded[i]);
		m->grid[i] = k > 1 ? m->folded[i] : r->panel[i].grid;
	}
	return err;
}

int maps_init(struct maps *m, const struct report *r, const struct figure_options *o)
{
	struct shade_options shading;
	int err;

	figure_shading(o, &shading);
	*m = (struct maps){ .n = r->n_panels };
	err = fold_grids(m, r, o->width - PLOT_LEFT - PLOT_RIGHT);
	if (!err && m->n)
		err = shade_make(m->grid, m->n, &shading, m->shade);
	for (size_t i = 0; i < m->n && !err; i++)
		err = layer_ramps_make(m->grid[i], o->theme, &m->ramps[i]);
	if (!err && m->n)
		err = legend_make(m->grid[0], &m->ramps[0], &m->legend);
	if (err)
		maps_fini(m);
	else if (m->n)
		panel_range(m->grid, m->n, o, &m->range);
	return err;
}

void maps_fini(struct maps *m)
{
	for (size_t i = 0; i < m->n; i++) {
		shade_fini(&m->shade[i]);
		layer_ramps_fini(&m->ramps[i]);
		grid_free(m->folded[i]);
	}
	legend_fini(&m->legend);
	memset(m, 0, sizeof(*m));
}

void maps_draw(struct canvas *c, const struct maps *m, size_t i, const struct figure_options *o, double y, double height,
	       bool time_labels)
{
	const struct panel p = {
		.grid = m->grid[i], .shade = &m->shade[i], .ramps = &m->ramps[i], .options = o, .range = m->range,
		.x = PLOT_LEFT, .y = y, .width = o->width - PLOT_LEFT - PLOT_RIGHT, .height = height,
		.time_labels = time_labels,
	};

	panel_draw(c, &p);
}
