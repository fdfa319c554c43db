/* postgresql.h - describes the fields of postgresql.queries, and which exchanges count as an event.
 *
 * Event   a client's request to a PostgreSQL server: a simple query (Q, also with several statements in it), each
 *         Execute of the extended protocol, a function call (F), or a round of the extended protocol that only prepares
 *         (Parse, no Execute).
 * Round   the messages up to the one that ReadyForQuery answers: Q, F, or those of the extended protocol up to Sync.
 *
 *      receive:  [ Parse Bind Execute Sync ]                      [ Bind Execute  Bind Execute  Sync ]
 *      send:                                  [ ... Ready ]                                              [ ... Ready ]
 *                |<----- an event ----------------------->|       |<----- two events, half of it each ------------->|
 *
 * Start   the return of the receive that brings the round's first message.  A pipelined round starts at the end of the
 *         round before it: the server does not serve a request that is still in its buffer.
 * End     the send with ReadyForQuery.
 * Shares  The Executes of a round share its time equally, because the server answers the round as a whole.  Counts and
 *         sums are exact; differences within a round do not show.
 * Slot    the slot of the end.
 * Record  exactly once, at the first of:
 *           ReadyForQuery
 *           any receive after an answer to Flush or after an error: the server waits for its client again.  The end is
 *             the last send then
 * Ignored Executes that the server skipped after an error in their round; a round of other messages only; the login; a
 *         request whose connection ends before the answer; replication, from its begin on.
 * COPY    is part of its query, the client's data included.
 * Clients only accepted sockets.  Each connection has a process of its own, whose parent listens.  TCP: the local port
 *         is one of the parent's, or the socket began with a startup packet.  Unix: it carries the listener's name.
 * Attach  A connection older than the collector is ignored until a receive is one simple query, or messages up to a
 *         Sync.  Its user, its database and its statements prepared before are `unknown`.
 * Turns   On a connection that we cannot read (TLS, GSS, another protocol) an event is a turn: from the first receive
 *         to the last send before the next.
 * Memory  On an encrypted connection the backend's own memory says what a turn's statement was, and whose.  A turn
 *         without a statement is no event (memory.bpf.h).
 *
 * Measures  those of exchange.h, and
 *
 *      rows    affected or returned, as the tags of the reply report them ("SELECT 5"); of all statements of a simple
 *              query together.  0 if there is no tag (PortalSuspended, an error), or if the reply cannot be followed:
 *              it is encrypted, opaque or sent in pieces of memory, or its send began before rows were wanted.
 *              Equal Executes in a row share their rows
 *
 * Fields, codes in the kernel:
 *
 *      command     enum postgresql_command
 *      statement   statement.h: the text's first word
 *      digest      digest.h; an Execute has the digest of its Parse
 *      table       name.h's code of the text's first table (table.h), folded as the server does: lower case unless
 *                  quoted
 *      status      enum postgresql_status, or STATUS_ERROR of the SQLSTATE that the reply has
 *      database, user   name.h's codes of the names that the client logged in with
 *      client      address.h; CLIENT_LOCAL on a Unix socket
 *      instance    see exchange.h; of the parent process
 *      pid         of the connection's process, as in pg_stat_activity
 *      execname    hash of its name
 *      blocked_in  see exchange.h
 */
#ifndef HEATSCOPE_POSTGRESQL_H
#define HEATSCOPE_POSTGRESQL_H

#include "collector/server/exchange.h"

enum postgresql_field {
	POSTGRESQL_COMMAND, POSTGRESQL_STATEMENT, POSTGRESQL_DIGEST, POSTGRESQL_TABLE, POSTGRESQL_STATUS, POSTGRESQL_DATABASE,
	POSTGRESQL_USER, POSTGRESQL_CLIENT, POSTGRESQL_INSTANCE, POSTGRESQL_PID, POSTGRESQL_EXECNAME, POSTGRESQL_BLOCKED_IN,
	TURN_CGROUP_FIELDS(POSTGRESQL), POSTGRESQL_N_FIELDS
};

enum postgresql_measure { POSTGRESQL_ROWS = TURN_N_MEASURES, POSTGRESQL_N_MEASURES };

/* The names of servers' processes; at most 15 bytes each. */
#define POSTGRESQL_SERVERS "postgres"

enum postgresql_command {
	COMMAND_NOTHING,		/* a round that is no event */
	COMMAND_SIMPLE,
	COMMAND_EXECUTE,
	COMMAND_PREPARE,
	COMMAND_FUNCTION,
	COMMAND_ENCRYPTED,
	COMMAND_OPAQUE,
	N_COMMANDS
};

enum postgresql_status {
	STATUS_UNKNOWN,		/* the reply could not be read */
	STATUS_OK,
};

/* The SQLSTATE's five characters, the first one in the lowest byte. */
#define STATUS_ERROR(sqlstate) ((sqlstate) << 8 | 0xff)

#endif
