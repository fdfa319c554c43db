/* postgresql.h - describes the fields of postgresql.queries, and which exchanges count as an event.
 *
 * Event   A client's request to a PostgreSQL server: a simple query (Q, also with several statements in it), each
 *         Execute of the extended protocol, a function call (F); and a round of the extended protocol that only
 *         prepares (Parse, no Execute).
 * Round   the messages up to the one that ReadyForQuery answers: Q, F, or the extended protocol's up to Sync.
 *
 *      receive:  [ Parse Bind Execute Sync ]                      [ Bind Execute  Bind Execute  Sync ]
 *      send:                                  [ ... Ready ]                                              [ ... Ready ]
 *                |<----- an event ----------------------->|       |<----- two events, half of it each ------------->|
 *
 * Start   the return of the receive that brings the round's first message.  Where rounds are pipelined, the end of the
 *         round before: a request in the server's own buffer is not served yet, like one in a thread pool's queue.
 * End     the send with ReadyForQuery.
 * Shares  The server answers a round as a whole, so the time of each of its Executes cannot be seen from outside.
 *         They share the round's time equally: counts and sums are those of the server, the spread within a round is
 *         not seen.
 * Slot    the slot of the end.
 * Record  exactly once, at the first of: ReadyForQuery; any receive after an answer to Flush or after an error (the
 *         server waits for its client again, which begins with a receive), then up to the last send.
 * Nothing Executes that the server skipped after an error in their round; a round of other messages only; the login; a
 *         connection that ends before its answer; replication, from its begin on.
 * COPY    is part of its query, the client's data included.
 * Clients Only accepted sockets.  Each connection has a process of its own; its parent listens.  TCP: the local port
 * is one
 *         of the parent's, or the socket began with a startup packet; Unix: it carries the listener's name.
 * Attach  A connection older than the collector is ignored until the first receive that is one simple query, or
 *         messages up to a Sync.  Its user and database are `unknown`, and so are statements prepared before.
 * Turns   Of connections that we cannot read (TLS, GSS, another protocol), turns of request and reply are counted:
 *         from the first receive to the last send before the next.
 * Memory  Of an encrypted connection the backend's own memory says which statement a turn was, and whose; a turn
 *         without a statement is no event: memory.bpf.h.
 *
 * Measures  those of exchange.h, and
 *
 *      rows    as the tags of the reply report them, "SELECT 5": affected or returned, of all statements of a simple
 *              query together.  0 where there is no tag (PortalSuspended, an error), or the reply cannot be followed:
 *              it is encrypted, opaque or sent in pieces of memory, or its send began before rows were asked for.
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
 *      client      address.h; CLIENT_LOCAL where it came by a Unix socket
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
	POSTGRESQL_N_FIELDS
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
