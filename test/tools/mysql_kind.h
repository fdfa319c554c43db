/* mysql_kind.h - lists the kinds of work in a mixed load: each one names what a tracer may get wrong.
 *
 * Shape   a kind sends one or more commands on the session it is given and leaves it ready for the
 *         next; what needs a connection of another sort opens and ends one of its own.
 * Weight  how often it is chosen; the default mix gives rare things small weights.  `once` kinds
 *         run at most once per load, whatever their weight.
 * Errors  0 or -errno, reported on stderr.
 */
#ifndef HEATSCOPE_TEST_MYSQL_KIND_H
#define HEATSCOPE_TEST_MYSQL_KIND_H

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
