/* look.h - finds out which colours and characters a terminal can show, and writes colours for it.
 *
 *      COLORTERM=truecolor | TERM=...256color | TERM=xterm | NO_COLOR    UTF-8 or ASCII
 *
 * Shape   a colour is 0xrrggbb, or LOOK_DEFAULT, the terminal's own.  A colour that it cannot show becomes the nearest
 *         one.
 * Pure    the environment comes as an argument.
 */
#ifndef HEATSCOPE_TERMINAL_LOOK_H
#define HEATSCOPE_TERMINAL_LOOK_H

#include "collector/core/bytes.h"

#include <stdbool.h>

#define LOOK_DEFAULT 0xff000000u

/* Plain: text alone, not even reverse. */
enum look_depth { DEPTH_PLAIN, DEPTH_MONO, DEPTH_16, DEPTH_256, DEPTH_TRUE };

struct look {
	enum look_depth depth;
	bool utf8;
};

/* Finds out the look.  get: getenv() or a test's. */
struct look look_of(const char *(*get)(const char *name));

/* Returns true if cells are colours; else they are characters, the denser the more events. */
static inline bool look_has_cells(struct look look) { return look.depth >= DEPTH_256; }

/* Returns how many pixels a character has, one above the other: 2 if half blocks can be shown in colours. */
static inline long look_pixels(struct look look) { return look_has_cells(look) && look.utf8 ? 2 : 1; }

/* Writes the parameters of a colour for SGR, each after a ';': ";38;5;196".  Writes nothing if there are no colours. */
void look_put_colour(struct bytes *out, struct look look, bool background, __u32 rgb);

/* Writes a character as UTF-8, or as the ASCII that stands for it. */
void look_put_character(struct bytes *out, struct look look, __u32 character);

#endif
