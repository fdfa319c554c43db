/* live.h - a session in front of a person: keys and signals in, frames out, until one of them ends it.
 *
 *      wait: the daemon, keys, answers, signals -> session -> frame -> what differs -> the terminal
 */
#ifndef HEATSCOPE_WATCH_LIVE_H
#define HEATSCOPE_WATCH_LIVE_H

#include "ui/cli/watch/graphics.h"
#include "ui/cli/watch/session.h"

/* Takes the terminal, with subject, view, theme and look set; columns are long enough for duration_s.  0: the person has
 * ended it; else -errno, with the client's reason.  A signal that ends it ends the program, once the terminal is back. */
int live_run(struct client *c, double duration_s, enum graphics_wish wish, struct session *s);

#endif
