/* mysql.h - mysql.queries: what its fields and measures are, and what we count as an event.
 *
 * Event   One command packet of a client to a MariaDB or MySQL server.  A packet with several
 *         statements is one event; login packets are none.
 * Start   the return of the server's receive that completes the header (sequence number 0).
 * End     the last send of the reply; for commands without a reply (quit, close, send_long_data)
 *         the receive of their last byte.
 * Slot    of the end.
 * Record  exactly once, at the first of: any receive on the socket (data, EAGAIN, closed, error),
 *         unless the server waits for the client's data; a failed send, which is the end then; a
 *         send with which the reply is complete (mysql_parse.h); 5 s without a send (a pool's idle
 *         connection).  A send after that is counted in late_sends.
 * Nothing no command byte seen, a body that never completed, a command without any reply when the
 *         next one starts, binlog_dump (it never ends: the connection is ignored from then on).
 * Held    LOAD DATA LOCAL, and the authentication within change_user: receives do not end them.
 * Clients Only accepted sockets: the server's own connections (replication, federated) go the other
 *         way.  TCP: the local port is one the process listens on, or the socket began with a
 *         server's greeting; Unix: it carries the listener's name.
 * Attach  A connection older than we are is ignored up to the first receive that can be the begin
 *         of a command.  Statements prepared before are `unknown`.
 * Not     Waiting in a thread pool's queue before the read is not latency: nobody has seen the
 *         packet yet.  Time after the last send is the server's, not the query's.
 *
 * Measures in ns, from the same two clock readings:
 *
 *      latency = cputime + runqwait + blocked + unsplit      exactly, for every event
 *      offcpu  = runqwait + blocked
 *      blocked = io + futex + net + sleep + fault + other    by what the thread left the CPU in, see reason.h
 *
 *      n_switches   how often the thread left the CPU because it was blocked;  n_io: of these for `io`.  Of a command
 *                   that began before they were asked for, or is unsplit, both are 0
 *
 *      fs           in operations on files, as fs.h counts them, of the thread, on a CPU and off it: no part of the others
 *      io_bytes     that these have read, written or copied.  Of a call that was under way when somebody asked first nothing is told;
 *                   of a command that is unsplit, both are 0
 *
 *      rows    as the reply tells: affected, and returned by SELECT, SHOW, fetch ...; of all its results together.  0 where the
 *              reply cannot be followed: encrypted, compressed, opaque, one that is sent in pieces of memory, more than FOLLOW_STEPS
 *              packets in a send, or a command that began before rows were asked for
 *
 *      age     of a command that runs at the end of a slot, so far; no part of an event: it is told of each such slot
 *
 *         `other` is what no reason was seen of, as of a command that began before these were asked for.
 *         A command that starts on one thread and ends on another (thread pool) cannot be split:
 *         all of it is `unsplit`.  So it is where the kernel lacks the fields we split by.
 *
 * Fields, codes in the kernel:
 *
 *      command     the protocol's command byte, or one of the codes below
 *      statement   mysql_statement.h; of query, prepare, execute and bulk_execute, else `none`
 *      digest      mysql_digest.h; of the same commands, else `none`
 *      table       mysql_table.h; of the same commands, else `none`
 *      user, database   mysql_who.h; as they are when the command begins
 *      client      address.h; CLIENT_LOCAL where it came by a Unix socket
 *      status      enum mysql_status, or STATUS_ERROR of the error that the reply ends with
 *      instance    TCP: process << 16 | port; Unix: 1 << 63 | hash of the path (see INSTANCE_UNIX)
 *      pid         of the server's process
 *      execname    hash of the process' name
 *      blocked_in  of a command that still runs, which only `age` tells of: enum reason of what its thread is off the CPU in when
 *                  it is asked, REASON_NONE on a CPU or waiting for one; MYSQL_ENDED of any other.  It is the thread that
 *                  received the command
 */
#ifndef HEATSCOPE_MYSQL_H
#define HEATSCOPE_MYSQL_H

#include "event.h"
#include "reason.h"

enum mysql_field {
	MYSQL_COMMAND, MYSQL_STATEMENT, MYSQL_DIGEST, MYSQL_TABLE, MYSQL_STATUS, MYSQL_USER, MYSQL_DATABASE, MYSQL_CLIENT, MYSQL_INSTANCE,
	MYSQL_PID, MYSQL_EXECNAME, MYSQL_BLOCKED_IN, MYSQL_N_FIELDS
};

enum mysql_measure {
	MYSQL_LATENCY, MYSQL_CPUTIME, MYSQL_RUNQWAIT, MYSQL_BLOCKED, MYSQL_UNSPLIT, MYSQL_OFFCPU,
	MYSQL_IO, MYSQL_FUTEX, MYSQL_NET, MYSQL_SLEEP, MYSQL_FAULT, MYSQL_OTHER,	/* as enum reason, and what is left */
	MYSQL_N_SWITCHES, MYSQL_N_IO,	/* counts */
	MYSQL_AGE,		/* of what still runs at the end of a slot: no event */
	MYSQL_FS,		/* on the CPU and off it */
	MYSQL_IO_BYTES,
	MYSQL_ROWS,
	MYSQL_N_MEASURES
};

/* The names of servers' processes; at most 15 bytes each. */
#define MYSQL_SERVERS "mariadbd", "mysqld"

/* Measures for which the scheduler is watched: parts of the time blocked, and counts. */
#define MYSQL_PARTS (((1ull << MYSQL_AGE) - (1ull << MYSQL_IO)) << 32)

/* Fields for which a text's tokens are read, and its first word; fields of names. */
#define MYSQL_TOKENS (WANTED_FIELD(MYSQL_DIGEST) | WANTED_FIELD(MYSQL_TABLE))
#define MYSQL_FIRST_WORD (WANTED_FIELD(MYSQL_STATEMENT) | WANTED_FIELD(MYSQL_DATABASE))
#define MYSQL_NAMES (WANTED_FIELD(MYSQL_TABLE) | WANTED_FIELD(MYSQL_USER) | WANTED_FIELD(MYSQL_DATABASE) | WANTED_FIELD(MYSQL_CLIENT))

/* Measures for which system calls are watched. */
#define MYSQL_FILES (WANTED_MEASURE(MYSQL_FS) | WANTED_MEASURE(MYSQL_IO_BYTES))

enum mysql_command {
	COM_QUIT = 1, COM_INIT_DB = 2, COM_QUERY = 3, COM_FIELD_LIST = 4, COM_STATISTICS = 9,
	COM_CHANGE_USER = 17, COM_BINLOG_DUMP = 18, COM_STMT_PREPARE = 22, COM_STMT_EXECUTE = 23,
	COM_STMT_SEND_LONG_DATA = 24, COM_STMT_CLOSE = 25, COM_STMT_FETCH = 28,
	COM_BINLOG_DUMP_GTID = 30, COM_LAST = 31, COM_BULK_EXECUTE = 250,

	/* Connections whose bytes we cannot read: request and reply turns are counted.  A TLS
	 * handshake and the login inside it are turns too. */
	COMMAND_ENCRYPTED = 256,	/* TLS */
	COMMAND_COMPRESSED = 257,	/* CLIENT_COMPRESS */
	COMMAND_OPAQUE = 258,		/* not the protocol we know */
};

enum mysql_status {
	STATUS_NONE,		/* a command that is not answered */
	STATUS_UNKNOWN,		/* the reply could not be read */
	STATUS_OK,
};

enum { MYSQL_ENDED = REASON_NONE + 1 };	/* blocked in nothing */

#define STATUS_ERROR(number) (0x10000u | (number))	/* MySQL's, 16 bits */

#define INSTANCE_UNIX (1ull << 63)

#define CLIENT_LOCAL 1ull		/* no address, ADDRESS_V4 and _V6 are far */

/* The first bytes of the first statement with a digest, from which the host makes its text.  It stays with the collector. */
#define SPECIMEN_MAX 1024
#define SPECIMENS_MAX 4096		/* digests; those not seen for longest are forgotten, and shown as their code */

struct mysql_specimen {
	__u16 len;			/* bytes in text */
	__u16 whole;			/* 1: that is all of it */
	char text[SPECIMEN_MAX];	/* its last byte is never used */
};

struct mysql_listener {
	__u32 pid;
	__u32 port;
};

/* A command that runs, as the kernel tells of it. */
struct mysql_running {
	__u64 begin_ns, end_ns;	/* CLOCK_MONOTONIC; end_ns 0: it has not ended */
	struct event event;	/* its fields */
};

/* What the event programs count about themselves; in .bss. */
struct mysql_counts {
	__u64 flushed;		/* events that nothing but their age ended */
	__u64 late_sends;	/* sends after the event was recorded: the end was really later */
	__u64 unanswered;	/* commands whose next command came before any reply: no event */
	__u64 unreadable;	/* receives whose buffer could not be read or is of a call we do not know: each
				 * may have been a command, and is told as one lost event */
	__u64 crowded;		/* events lost because one receive finished more than EVENTS_MAX, or there was no room for a flushed one
				 * in time; told as such */
	__u64 connections;
	__u64 opaque;		/* connections that turned opaque */
	__u64 unlisted;		/* connections to listeners that we have not been told of */
};

#endif
