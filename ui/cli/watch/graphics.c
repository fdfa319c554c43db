#include "ui/cli/watch/graphics.h"
#include "ui/cli/watch/sixel.h"

#include "render/color/palette.h"

#include <string.h>

/* Of the VT340, which those follow that do not say. */
#define USUAL_WIDTH 10
#define USUAL_HEIGHT 20
#define COLOURS_LEAST 16

static bool is_multiplexed(const char *(*get)(const char *name))
{
	const char *term = get("TERM") ?: "";

	return get("TMUX") || get("STY") || !strncmp(term, "tmux", 4) || !strncmp(term, "screen", 6);
}

bool graphics_asks(enum graphics_wish wish, struct look look, const char *(*get)(const char *name))
{
	if (wish == WISH_NONE || strcmp(get("TERM") ?: "dumb", "dumb") == 0)
		return false;
	return wish != WISH_AUTO || (look_has_cells(look) && !is_multiplexed(get));
}

static enum graphics_kind kind_of(enum graphics_wish wish, const struct answer *r, bool is_known)
{
	switch (wish) {
	case WISH_NONE: return GRAPHICS_NONE;
	case WISH_KITTY: return GRAPHICS_KITTY;
	case WISH_SIXEL: return GRAPHICS_SIXEL;
	case WISH_AUTO: break;
	}
	if (!r->ended || !is_known)
		return GRAPHICS_NONE;
	return r->kitty ? GRAPHICS_KITTY : r->sixel && sixel_can() ? GRAPHICS_SIXEL : GRAPHICS_NONE;
}

static unsigned colours_of(const struct answer *r)
{
	unsigned n = r->n_colours && r->n_colours < PALETTE_COLOURS ? r->n_colours : PALETTE_COLOURS;

	return n < COLOURS_LEAST ? COLOURS_LEAST : n;
}

struct graphics graphics_of(enum graphics_wish wish, const struct answer *r, unsigned known_width, unsigned known_height)
{
	bool said = r->cell_width && r->cell_height;
	unsigned width = said ? r->cell_width : known_width, height = said ? r->cell_height : known_height;
	bool is_known = width && height && width <= ANSWER_CELL_MAX && height <= ANSWER_CELL_MAX;
	struct graphics g = { .kind = kind_of(wish, r, is_known) };

	if (g.kind == GRAPHICS_NONE)
		return g;
	g.cell_width = is_known ? width : USUAL_WIDTH;
	g.cell_height = is_known ? height : USUAL_HEIGHT;
	g.n_colours = g.kind == GRAPHICS_SIXEL ? colours_of(r) : ANSWER_COLOURS_MAX;
	return g;
}
