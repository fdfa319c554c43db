/* display.h - knows what a terminal shows, and writes the bytes that change it to the next frame.
 *
 *      frame -> display_update() -> bytes: the picture where it changed, the characters that differ
 *
 * Picture The map may be a picture.  It is sent when its pixels have changed; as sixels, also when a character that
 *         stood in it is gone.  While a list or the help covers the map, there is no picture.  If it cannot be painted,
 *         the map is drawn in characters.
 * Cursor  With sixels it is a character, with kitty an image over the picture.
 * Memory  display_fini() frees.
 * Pure    no terminal.
 */
#ifndef HEATSCOPE_WATCH_DISPLAY_H
#define HEATSCOPE_WATCH_DISPLAY_H

#include "ui/cli/watch/frame.h"
#include "ui/cli/watch/kitty.h"

struct display {
	struct screen shown, next;	/* what the terminal has, and will have */
	bool known;			/* `shown` is what it has */
	struct graphics graphics;
	struct picture picture;		/* that it has; its pixels NULL: none */
	unsigned image;			/* its number in kitty's protocol; 0: none */
	struct kitty_cursor cursor;	/* over it */
};

/* Sets the size; what the terminal shows is then unknown.  The next update removes the old pictures.  -ENOMEM. */
int display_resize(struct display *d, long n_cols, long n_lines, struct graphics g);
void display_fini(struct display *d);

/* Marks what the terminal shows as unknown: the next update writes everything. */
void display_forget(struct display *d);

/* Sets f->pictured. */
void display_update(struct display *d, struct bytes *out, struct frame *f);

#endif
