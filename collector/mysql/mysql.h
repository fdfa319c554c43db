/* mysql.h - describes the fields and measures of mysql.queries, and which exchanges count as an event.
 *
 * Event   one command packet of a client to a MariaDB or MySQL server.  A packet with several statements is one event.
 *         Login packets are no events.
 * Start   the return of the server's receive that completes the header (sequence number 0).
 * End     the last send of the reply.  For a command without a reply (quit, close, send_long_data) it is the receive of
 *         its last byte.
 * Slot    the slot of the end.
 * Record  exactly once, at the first of:
 *           any receive on the socket (data, EAGAIN, closed, error), unless the server waits for the client's data
 *           a failed send, which is the end then
 *           a send with which the reply is complete (reply.h)
 *           5 s without a send (a pool's idle connection); late_sends counts a send after that
 * Ignored a command whose first byte we did not see, or whose body never completes; a command without any reply when
 *         the next one starts; binlog_dump and clone, which never end: once the server agrees, we ignore the
 *         connection.
 * Held    Receives do not end LOAD DATA LOCAL, nor the authentication within change_user.  If the bytes hide the
 *         command, this holds only if the server's memory can be read, and the client's data begin within 5 s.
 * Clients only accepted sockets: on its own connections (replication, federated) the server is the client.  TCP: the
 *         process listens on the local port, or the socket began with a server's greeting.  Unix: the socket carries
 *         the listener's name.
 * X       Connections of the X protocol are recognized by mysqlx.h.  Turns of request and reply are counted, also those
 *         of the login.
 * Opaque  bytes that we do not understand: no greeting and no MySQL protocol, or replies that answer no command.
 * Attach  A connection older than the collector is ignored until a receive can be the begin of a command.  Statements
 *         that were prepared before are `unknown`.
 * Memory  If the bytes of a connection hide a command, the server's own memory says what it was and who sent it
 *         (memory.bpf.h).
 * Latency does not include the time before the read (a thread pool's queue): that is `arrival`.  Nor does it include
 *         the time after the last send, in which the server works for itself.
 *
 * Measures  those of exchange.h, and
 *
 *      rows    affected, or returned by SELECT, SHOW, fetch ..., as the reply reports them for all its results.  0 if
 *              the reply cannot be followed: it is encrypted, compressed, opaque or sent in pieces of memory, has
 *              more than FOLLOW_STEPS packets in a send, or its command began before rows were asked for
 *
 * Fields, codes in the kernel:
 *
 *      command     the protocol's command byte, or one of the codes below
 *      statement   statement.h; of query, prepare, execute and bulk_execute, else `none`
 *      digest      digest.h; of the same commands, else `none`
 *      table       table.h; of the same commands, else `none`
 *      user, database   who.h; as they are when the command begins
 *      client      address.h; CLIENT_LOCAL on a Unix socket; behind a proxy, the address in its PROXY header
 *      status      enum mysql_status, or STATUS_ERROR of the error that the reply ends with
 *      instance    TCP: process << 16 | port; Unix: 1 << 63 | hash of the path (see INSTANCE_UNIX)
 *      pid         of the server's process
 *      execname    hash of the process' name
 *      blocked_in  see exchange.h
 */
#ifndef HEATSCOPE_MYSQL_H
#define HEATSCOPE_MYSQL_H

#include "collector/server/exchange.h"

enum mysql_field {
	MYSQL_COMMAND, MYSQL_STATEMENT, MYSQL_DIGEST, MYSQL_TABLE, MYSQL_STATUS, MYSQL_USER, MYSQL_DATABASE,
	MYSQL_CLIENT, MYSQL_INSTANCE, MYSQL_PID, MYSQL_EXECNAME, MYSQL_BLOCKED_IN,
	TURN_CGROUP_FIELDS(MYSQL), MYSQL_N_FIELDS
};

enum mysql_measure { MYSQL_ROWS = TURN_N_MEASURES, MYSQL_N_MEASURES };

/* The names of servers' processes; at most 15 bytes each. */
#define MYSQL_SERVERS "mariadbd", "mysqld"

/* Fields that need a text's tokens, and its first word; fields that are names. */
#define MYSQL_TOKENS (WANTED_FIELD(MYSQL_DIGEST) | WANTED_FIELD(MYSQL_TABLE))
#define MYSQL_FIRST_WORD (WANTED_FIELD(MYSQL_STATEMENT) | WANTED_FIELD(MYSQL_DATABASE))
#define MYSQL_NAMES (WANTED_FIELD(MYSQL_TABLE) | WANTED_FIELD(MYSQL_USER) | WANTED_FIELD(MYSQL_DATABASE) | \
		     WANTED_FIELD(MYSQL_CLIENT))

enum mysql_command {
	COM_QUIT = 1, COM_INIT_DB = 2, COM_QUERY = 3, COM_FIELD_LIST = 4, COM_STATISTICS = 9,
	COM_CONNECT = 11,		/* no packet has it: the server runs a login */
	COM_CHANGE_USER = 17, COM_BINLOG_DUMP = 18, COM_STMT_PREPARE = 22, COM_STMT_EXECUTE = 23,
	COM_STMT_SEND_LONG_DATA = 24, COM_STMT_CLOSE = 25, COM_STMT_FETCH = 28,
	COM_BINLOG_DUMP_GTID = 30, COM_RESET_CONNECTION = 31,
	COM_CLONE = 32,			/* MySQL 8 */
	COM_GROUP_REPLICATION = 33,	/* MySQL 8 */
	COM_LAST = COM_GROUP_REPLICATION, COM_BULK_EXECUTE = 250,

	/* Connections whose bytes we cannot read: turns of request and reply are counted.  A TLS handshake and the
	 * login inside it are turns too. */
	COMMAND_ENCRYPTED = 256,	/* TLS */
	COMMAND_COMPRESSED = 257,	/* zlib or zstd */
	COMMAND_OPAQUE = 258,		/* another protocol than the one we know */
	COMMAND_UNKNOWN = 259,		/* a command byte that the protocol does not have; the server refuses it */
	COMMAND_MYSQLX = 260,		/* the X protocol, within TLS too */
};

enum mysql_status {
	STATUS_NONE,		/* a command without a reply */
	STATUS_UNKNOWN,		/* the reply could not be read */
	STATUS_OK,
};

#define STATUS_ERROR(number) (0x10000u | (number))	/* MySQL's, 16 bits */

#endif
