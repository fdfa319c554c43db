/* terminal.h - takes over the terminal (raw mode, alternate screen, no cursor) and restores it.
 *
 *      terminal_enter() -> terminal_size(), terminal_write() ... -> terminal_leave()
 *
 * The terminal is restored however the program ends: at a normal end and in signal handlers by terminal_leave(), after
 * a crash by a handler.  One at a time, as there is one controlling terminal.
 */
#ifndef HEATSCOPE_TERMINAL_H
#define HEATSCOPE_TERMINAL_H

#include <stddef.h>

int terminal_enter(void);		/* 0 or -errno: standard input or output is no terminal */
void terminal_leave(void);		/* may be called several times */

/* Sets the bytes that are written first when the terminal is left: a constant, as a crash handler may write it. */
void terminal_leave_with(const char *bytes);

struct terminal_size {
	long n_cols, n_lines;
	unsigned cell_width, cell_height;	/* pixels of a character; 0: not known */
};
struct terminal_size terminal_size(void);

/* Writes all bytes, in one write() if the terminal accepts that; -errno: the terminal is gone. */
int terminal_write(const void *data, size_t len);

#endif
