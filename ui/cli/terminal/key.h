/* key.h - decodes keys from the bytes that a terminal sends.
 *
 *      "m"  "\x1b[A"  "\x1bOA"  "\x1b[1;5D"  "\x1b[5~"  "\x03"
 *
 * Shape   an ASCII character is its own key.  Modifiers of cursor keys are dropped.  The whole sequence of any other
 *         key is one KEY_NONE, so its rest is not read as commands.
 * Pure    no terminal and no clock: `whole` says whether more bytes may follow.
 */
#ifndef HEATSCOPE_TERMINAL_KEY_H
#define HEATSCOPE_TERMINAL_KEY_H

#include <stdbool.h>
#include <stddef.h>

enum watch_key {
	KEY_INTERRUPT = 3, KEY_REDRAW = 12, KEY_ENTER = 13, KEY_SUSPEND = 26, KEY_ESCAPE = 27,
	KEY_NONE = 256, KEY_UP, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_HOME, KEY_END, KEY_PAGE_UP, KEY_PAGE_DOWN,
};

/* Returns how many of len (> 0) bytes are the first key; 0: its end is still to come.  whole: no more bytes will come,
 * so ESC is Escape. */
size_t key_read(const unsigned char *data, size_t len, bool whole, int *ret_key);

#endif
