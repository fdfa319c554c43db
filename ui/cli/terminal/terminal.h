/* terminal.h - a terminal as long as it is ours: raw, on its other screen, without a cursor.
 *
 *      terminal_enter() -> terminal_size(), terminal_write() ... -> terminal_leave()
 *
 * However the program ends, the terminal is as it was: by itself, by terminal_leave() in its signals, and by a handler
 * where it crashes.  One at a time, as there is one controlling terminal.
 */
#ifndef HEATSCOPE_TERMINAL_H
#define HEATSCOPE_TERMINAL_H

#include <stddef.h>

int terminal_enter(void);		/* 0 or -errno: standard input or output is none */
void terminal_leave(void);		/* as often as one likes */

/* Written first when it is left: a constant, as a crash may write it. */
void terminal_leave_with(const char *bytes);

struct terminal_size {
	long n_cols, n_lines;
	unsigned cell_width, cell_height;	/* pixels of a character; 0: not known */
};
struct terminal_size terminal_size(void);

/* All of it, in one write() where the terminal takes it; -errno: it is gone. */
int terminal_write(const void *data, size_t len);

#endif
