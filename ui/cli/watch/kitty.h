/* kitty.h - shows a picture over the characters of a terminal with kitty's graphics protocol.
 *
 *      ESC _ G a=T,f=100,i=7,c=71,r=19,z=0,...,m=1 ; base64 of a PNG, 4096 characters at most ESC \ .. m=0 ; rest ESC \
 *
 * Shape   An image has a number, and stays until we remove it.  It hides characters, so the cursor is an image, too.
 *         (With z < 0, below the characters, kitty 0.26 on software GL leaves old text between the characters.)
 * Errors  are those of `out`.
 */
#ifndef HEATSCOPE_WATCH_KITTY_H
#define HEATSCOPE_WATCH_KITTY_H

#include "ui/cli/watch/picture.h"

#define KITTY_CHUNK 4096		/* characters */
#define KITTY_FORGET_ALL "\x1b_Ga=d,d=A,q=2\x1b\\"

struct kitty_cursor {
	long line, col;
	bool upper, lower;		/* neither: no cursor */
	__u32 rgb;
};

/* Moves the terminal's cursor. */
void kitty_show(struct bytes *out, const struct picture *p, unsigned image);

/* Shows one character cell in one colour at line, col, or its upper or lower half, over the picture. */
void kitty_point(struct bytes *out, const struct kitty_cursor *c, unsigned cell_height, unsigned image);

void kitty_forget(struct bytes *out, unsigned image);

#endif
