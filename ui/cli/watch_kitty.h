/* watch_kitty.h - a picture under the characters of a terminal, by kitty's graphics protocol.
 *
 *      ESC _ G a=T,f=100,i=7,c=71,r=19,z=-1,...,m=1 ; base64 of a PNG, 4096 characters at most ESC \  ...  m=0 ; rest ESC \
 *
 * Shape   An image has a number and stays until it is forgotten; blanks show it, characters lie over it.
 * Errors  are those of the bytes.
 */
#ifndef HEATSCOPE_WATCH_KITTY_H
#define HEATSCOPE_WATCH_KITTY_H

#include "watch_picture.h"

#define KITTY_CHUNK 4096		/* characters */
#define KITTY_FORGET_ALL "\x1b_Ga=d,d=A,q=2\x1b\\"

/* The cursor is moved. */
void kitty_show(struct bytes *out, const struct picture *p, unsigned image);
void kitty_forget(struct bytes *out, unsigned image);

#endif
