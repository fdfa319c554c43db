/* live.h - runs a session on a terminal: it reads keys and signals, and writes frames.
 *
 *      wait: the daemon, keys, answers, signals -> session -> frame -> what differs -> the terminal
 *
 * End     at a key, a signal, an error, or the end of the instrumentation.
 */
#ifndef HEATSCOPE_WATCH_LIVE_H
#define HEATSCOPE_WATCH_LIVE_H

#include "ui/cli/watch/graphics.h"
#include "ui/cli/watch/session.h"

/* Takes the terminal; subject, view, theme and look are set.  Columns are long enough for duration_s.  0: the user has
 * ended it; else -errno, with the client's reason.  A signal that ends it ends the program, after the terminal is
 * restored. */
int live_run(struct client *c, double duration_s, enum graphics_wish wish, struct session *s);

#endif
