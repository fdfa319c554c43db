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

/* Takes the terminal and runs the session, whose subject, view, theme and look are set.  Its columns are so long that
 * the map covers duration_s.  Returns 0 if the user has ended it; else -errno, with the client's reason.  A signal that
 * ends the session ends the program, after the terminal is restored. */
int live_run(struct client *c, double duration_s, enum graphics_wish wish, struct session *s);

#endif
