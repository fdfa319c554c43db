#include "render/color/layer_ramp.h"
#include <errno.h>
#include <stdlib.h>

int layer_ramps_make(const struct grid *g, enum palette_theme theme, struct layer_ramps *ret_ramps)
{
	const struct layers *l = g->layers;
	struct layer_ramps t = { 0 };

	if (l) {
		t.ramp = calloc(l->n + 1, sizeof(*t.ramp));
		if (l->shown != LAYERS_ISOLATED)
			t.rest = layers_rest(g);
		if (!t.ramp || (l->shown != LAYERS_ISOLATED && !t.rest)) {
			layer_ramps_fini(&t);
			return -ENOMEM;
		}
		palette_hue(theme, l->rest_hue, t.ramp[0]);
		for (size_t i = 0; i < l->n; i++)
			palette_hue(theme, l->layer[i].hue, t.ramp[i + 1]);
	}
	*ret_ramps = t;
	return 0;
}

void layer_ramps_fini(struct layer_ramps *t)
{
	free(t->ramp);
	free(t->rest);
	*t = (struct layer_ramps){ 0 };
}
