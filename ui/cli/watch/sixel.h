/* sixel.h - writes a picture as sixels in place of characters, with libsixel if the build has it.
 *
 * Shape   The picture replaces the characters of its cells; characters written later replace parts of it.
 * Errors  are those of `out`; -E2BIG: more colours than the terminal allows.
 */
#ifndef HEATSCOPE_WATCH_SIXEL_H
#define HEATSCOPE_WATCH_SIXEL_H

#include "ui/cli/watch/picture.h"

bool sixel_can(void);

/* Moves the terminal's cursor.  Sixels state colours in percent. */
void sixel_show(struct bytes *out, const struct picture *p);

#endif
