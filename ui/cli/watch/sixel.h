/* sixel.h - a picture in place of characters, as sixels: by libsixel, where it was built with it.
 *
 * Shape   The cells of a screen that lie under it are gone; what is written later stands in it.
 * Errors  are those of the bytes; -E2BIG: more colours than there may be.
 */
#ifndef HEATSCOPE_WATCH_SIXEL_H
#define HEATSCOPE_WATCH_SIXEL_H

#include "ui/cli/watch/picture.h"

bool sixel_can(void);

/* The cursor is moved.  Colours are told in percent, as sixels are. */
void sixel_show(struct bytes *out, const struct picture *p);

#endif
