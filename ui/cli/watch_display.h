/* watch_display.h - what a terminal shows: characters, and perhaps the map as a picture; and the bytes that make it the next frame.
 *
 *      frame -> display_update() -> bytes: the picture where it changed, the characters that differ
 *
 * Picture is sent when its pixels have changed, or, as sixels, when characters that stood in it are gone; a cursor is a character over it.
 *         While a list or the help covers the map there is none.  Where it cannot be painted the map is in characters.
 * Memory  display_fini() frees.
 * Pure    no terminal.
 */
#ifndef HEATSCOPE_WATCH_DISPLAY_H
#define HEATSCOPE_WATCH_DISPLAY_H

#include "watch_frame.h"
#include "watch_picture.h"

struct display {
	struct screen shown, next;	/* what the terminal has, and will have */
	bool known;			/* `shown` is what it has */
	struct graphics graphics;
	struct picture picture;		/* that it has; its pixels NULL: none */
	unsigned image;			/* its number in kitty's protocol; 0: none */
};

/* Of that size, of which nothing is known; what it had before is forgotten by the next update.  -ENOMEM. */
int display_resize(struct display *d, long n_cols, long n_lines, struct graphics g);
void display_fini(struct display *d);

/* Nothing is known any more: all of it is written anew. */
void display_forget(struct display *d);

/* f->pictured is set. */
void display_update(struct display *d, struct bytes *out, struct frame *f);

#endif
