/* graphics.h - decides whether the map is a picture, and of which kind, by the user's wish and the terminal's answers.
 *
 *      --graphics, environment -> graphics_asks() -> struct answer -> graphics_of()
 *
 * Auto    a picture only if the terminal answers that it can show one, and how large a character is.  tmux and screen
 *         are not asked: they do not keep pictures of the programs in them.
 * Pure    the environment comes as an argument.
 */
#ifndef HEATSCOPE_WATCH_GRAPHICS_H
#define HEATSCOPE_WATCH_GRAPHICS_H

#include "ui/cli/terminal/look.h"
#include "ui/cli/terminal/answer.h"

enum graphics_kind { GRAPHICS_NONE, GRAPHICS_KITTY, GRAPHICS_SIXEL };
enum graphics_wish { WISH_AUTO, WISH_NONE, WISH_KITTY, WISH_SIXEL };

struct graphics {
	enum graphics_kind kind;	/* the rest is set unless NONE */
	unsigned cell_width, cell_height;	/* pixels of a character */
	unsigned n_colours;		/* at most so many at once */
};

/* Shall the terminal be asked?  get: getenv() or a test's. */
bool graphics_asks(enum graphics_wish wish, struct look look, const char *(*get)(const char *name));

/* Decides.  known: a character's pixels as the system reports them; 0: it does not. */
struct graphics graphics_of(enum graphics_wish wish, const struct answer *r, unsigned known_width, unsigned known_height);

static inline bool graphics_same(struct graphics a, struct graphics b)
{
	return a.kind == b.kind && a.cell_width == b.cell_width && a.cell_height == b.cell_height && a.n_colours == b.n_colours;
}

#endif
