/* terminal.h - takes over the terminal (raw mode, alternate screen, no cursor) and restores it.
 *
 *      terminal_enter() -> terminal_size(), terminal_write() ... -> terminal_leave()
 *
 * Restore The terminal is restored however the program ends.  At a normal end and in signal handlers terminal_leave()
 *         does it.  After a crash a handler does it; first it ends a frame, an image or a title that is not complete.
 * One     at a time, as there is one controlling terminal.
 */
#ifndef HEATSCOPE_TERMINAL_H
#define HEATSCOPE_TERMINAL_H

#include <stddef.h>

/* Terminals that can keep a frame together show it only when it is complete. */
#define TERMINAL_FRAME_BEGIN "\x1b[?2026h"
#define TERMINAL_FRAME_END "\x1b[?2026l"

int terminal_enter(void);		/* 0 or -errno: standard input or output is no terminal */
void terminal_leave(void);		/* may be called several times */

/* Sets bytes that are written when the terminal is left, on the alternate screen: a constant, as a crash handler may write
 * it. */
void terminal_leave_with(const char *bytes);

struct terminal_size {
	long n_cols, n_lines;
	unsigned cell_width, cell_height;	/* pixels of a character; 0: not known */
};
struct terminal_size terminal_size(void);

/* Writes all bytes, in one write() if the terminal accepts that; -errno: the terminal is gone. */
int terminal_write(const void *data, size_t len);

#endif
