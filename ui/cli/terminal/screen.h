/* screen.h - holds a screen of characters, and writes the bytes that make a terminal show it.
 *
 *      frame -> struct screen -> screen_update(): only the differences from the screen before, one write()
 *                             -> screen_print():  as lines of text
 *
 * Shape   cell[line * n_cols + col].  A wide character has its second half in SCREEN_TAIL.  Long texts are cut.
 *         SCREEN_PICTURE is a blank where a picture is visible.
 * Safe    Texts come from outside (statements, names of processes): they are escaped (collector/core/show.h).
 * Memory  screen_fini() frees.
 */
#ifndef HEATSCOPE_TERMINAL_SCREEN_H
#define HEATSCOPE_TERMINAL_SCREEN_H

#include "ui/cli/terminal/look.h"

#define SCREEN_SIDE_MAX 1000
#define SCREEN_TAIL 0
#define SCREEN_PICTURE 1
#define HALF_UPPER 0x2580
#define HALF_LOWER 0x2584

struct style {
	__u32 front, back;		/* 0xrrggbb, LOOK_DEFAULT */
	bool reverse, bold;
};

#define STYLE_PLAIN ((struct style){ LOOK_DEFAULT, LOOK_DEFAULT, false, false })
#define STYLE_REVERSE ((struct style){ LOOK_DEFAULT, LOOK_DEFAULT, true, false })

struct screen_cell {
	__u32 character;
	struct style style;
};

struct screen {
	long n_cols, n_lines;
	struct screen_cell *cell;
};

int screen_init(struct screen *s, long n_cols, long n_lines);	/* blank; -ENOMEM */
void screen_fini(struct screen *s);
void screen_clear(struct screen *s);

/* Puts a character; outside of the screen it does nothing. */
void screen_put(struct screen *s, long line, long col, __u32 character, struct style style);

/* Puts a text of at most room columns, cut with an ellipsis.  Returns how many columns it takes. */
long screen_text(struct screen *s, long line, long col, long room, const char *text, struct style style);

/* The same; the text ends before column `end`. */
void screen_text_right(struct screen *s, long line, long end, const char *text, struct style style);

/* Returns how many columns a text takes. */
long screen_width(const char *text);

/* Writes the bytes that change the terminal.  before: what it shows, of the same size. */
void screen_update(struct bytes *out, struct look look, const struct screen *before, const struct screen *now);
void screen_print(struct bytes *out, struct look look, const struct screen *s);

#endif
