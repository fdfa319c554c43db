/* mysql_kind_end.h - runs kinds of work that do not end normally: killed, cut off, or sending without an end.
 *
 * As in mysql_kind.h.  Each works on a connection of its own, and kills it from the given one.
 */
#ifndef HEATSCOPE_MYSQL_KIND_END_H
#define HEATSCOPE_MYSQL_KIND_END_H

#include "test/tools/mysql_session.h"

int run_killed(struct session *s);	/* KILL QUERY, KILL, process_kill, of SLEEP and of no connection */
int run_disconnect(struct session *s);	/* in the header, body, statement, reply, or between two */
int run_binlog(struct session *s);	/* dumps the whole binary log */

#endif
