/* key.h - keys out of the bytes that a terminal sends for them.
 *
 *      "m"  "\x1b[A"  "\x1bOA"  "\x1b[1;5D"  "\x1b[5~"  "\x03"
 *
 * Shape   ASCII stands for itself; cursor keys come with any modifiers, which are dropped.  A sequence that is no key
 *         of ours is taken as a whole, as KEY_NONE: the rest of it must not be read as commands.
 * Pure    no terminal and no clock: whether more bytes may belong to it is said by `whole`.
 */
#ifndef HEATSCOPE_TERMINAL_KEY_H
#define HEATSCOPE_TERMINAL_KEY_H

#include <stdbool.h>
#include <stddef.h>

enum watch_key {
	KEY_INTERRUPT = 3, KEY_REDRAW = 12, KEY_ENTER = 13, KEY_SUSPEND = 26, KEY_ESCAPE = 27,
	KEY_NONE = 256, KEY_UP, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_HOME, KEY_END, KEY_PAGE_UP, KEY_PAGE_DOWN,
};

/* How many of len (> 0) bytes are the first key; 0: its end is still to come.  whole: nothing will, so ESC is Escape. */
size_t key_read(const unsigned char *data, size_t len, bool whole, int *ret_key);

#endif
