/* redis.h - describes the fields of redis.commands, and which exchanges count as an event.
 *
 * Event   A client's command to a Redis or Valkey server and its reply, RESP2 or RESP3, also as an inline command.
 * Turn    the time from which on the server has commands of a connection, to the send that answers some of them.
 *
 *      receive:  [ GET a ]              [ GET a  SET b  LPOP c ]
 *      send:               [ $1 x ]                               [ $1 x  +OK  $-1 ]
 *                |<- event ->|          |<- three events, a third of it each ->|
 *
 * Start   the return of the receive that brings the command's first byte.  If the server has unanswered commands of the
 *         connection then, the end of the turn before.
 * End     the send that completes the reply.
 * Shares  The commands that one send answers share its turn equally: counts and sums are those of the server, the
 *         spread within a pipeline is not seen.
 * Slot    the slot of the end.
 * Record  exactly once, at the end.
 * Nothing commands that end with their connection; commands in a MULTI are queued (status), and EXEC runs them all.
 * Pushes  and messages of subscribed channels are no replies.  A SUBSCRIBE is answered when all its channels are.
 * Lost    A command whose reply CLIENT REPLY suppresses has no end to be seen: it is counted as lost.
 * Ignored A replica's connection from REPLCONF, PSYNC or SYNC on, one with MONITOR after its reply, and the cluster bus.
 * Clients Only accepted sockets: the local port is one that the process listens at, or the socket's first bytes are
 *         the client's; Unix: it carries the listener's name.
 * Attach  A TCP connection is known from its first byte if the receive has all bytes that came so far, and nothing was
 *         sent.  In any other one the place is looked for: a receive, sends that leave no output in the server, a
 *         receive of whole commands, and as many replies as there are commands, the last one at the end of a send.
 *         That exchange is not recorded, the next one is.  The kernel does not count a Unix connection's bytes: it is
 *         known, without its database, from a receive on that begins with a command if we saw no byte before it.
 * Loss    Bytes that are not the protocol, or replies that belong to no command, end it: all commands without a
 *         recorded reply count as lost, and the place is looked for as in an older connection.
 * Turns   Of connections that we cannot read (TLS, another protocol), turns of request and reply are counted.
 *
 * Measures  those of exchange.h.  A thread serves many connections.  Of the latency, its clocks divide the time from
 *         a receive to the thread's next receive or send at any connection; in that time it works at this command or
 *         sleeps.  So no time of a thread is part of two events.  The rest of the latency is `unsplit`: the thread
 *         serves other clients, or another thread (io-threads) has the command.
 *
 * Fields, codes in the kernel:
 *
 *      command     commands.h; a container's with its second word
 *      prefix      name.h's code of the first key up to its first ':', at most NAME_ROOM bytes; NAME_NONE: it has none.
 *                  Only with --text full, else NAME_UNKNOWN
 *      status      enum redis_status, or an error of commands.h
 *      waits       enum redis_waits
 *      database    enum redis_database, or DATABASE_FIRST + its number
 *      client, instance, pid, execname, blocked_in   see exchange.h
 */
#ifndef HEATSCOPE_REDIS_H
#define HEATSCOPE_REDIS_H

#include "collector/redis/commands.h"
#include "collector/server/exchange.h"

enum redis_field {
	REDIS_COMMAND, REDIS_PREFIX, REDIS_STATUS, REDIS_WAITS, REDIS_DATABASE,
	REDIS_CLIENT, REDIS_INSTANCE, REDIS_PID, REDIS_EXECNAME, REDIS_BLOCKED_IN,
	REDIS_N_FIELDS
};

/* The names of servers' processes; at most 15 bytes each. */
#define REDIS_SERVERS "redis-server", "valkey-server"

enum redis_waits {
	WAITS_NO,		/* not a command that waits for data */
	WAITS_READY,		/* one that was answered at once */
	WAITS_DATA,		/* one that waited: its thread slept, or received after it had sent, before the end */
	N_WAITS
};

enum redis_database { DATABASE_UNKNOWN, DATABASE_ENCRYPTED, DATABASE_FIRST };

#define DATABASE_MAX 0x7fffffff

#endif
