/* mysql_kind.h - lists the kinds of work in a mixed load, each of which a tracer may count wrongly.
 *
 * Shape   a kind sends one or more commands on a session, and leaves it ready for the next kind.  If it needs another
 *         sort of connection, it opens and ends its own.
 * Weight  how often a kind is chosen.  A kind with `once` runs at most once per load, whatever its weight.
 * Errors  0 or -errno, reported on stderr.
 */
#ifndef HEATSCOPE_MYSQL_KIND_H
#define HEATSCOPE_MYSQL_KIND_H

#include "test/tools/mysql_session.h"

struct kind {
	const char *name, *help;
	int (*run)(struct session *s);
	unsigned weight;
	int once;
	__u64 needs;			/* capabilities of the server, else it is left out */
};

extern const struct kind kinds[];
extern const unsigned n_kinds;

/* Makes the database and the rows that the kinds use, for sessions of id below n_sessions. */
int kind_prepare(struct session *control, unsigned n_sessions);

#endif
