/* redis.h - describes the fields of redis.commands, and which exchanges count as an event.
 *
 * Event   A client's command to a Redis or Valkey server and its reply, RESP2 or RESP3, also as an inline command.
 * Turn    the time from when the server has commands of a connection to the send that answers some of them.
 *
 *      receive:  [ GET a ]              [ GET a  SET b  LPOP c ]
 *      send:               [ $1 x ]                               [ $1 x  +OK  $-1 ]
 *                |<- event ->|          |<- three events, a third of it each ->|
 *
 * Start   when the receive that brings the command's first byte returns.  If earlier commands of the connection have no
 *         reply then: the end of the turn before.
 * End     the send that completes the reply.
 * Shares  The commands that one send answers share its turn equally.  Counts and sums agree with the server's; the
 *         differences within a pipeline do not show.
 * Record  exactly once, in the slot of the end.
 * Cut off A command whose connection ends before its reply is no event.
 * Multi   A command in a MULTI has the status `queued`; EXEC runs them all.
 * Pushes  and messages of subscribed channels are no replies.  The reply to a SUBSCRIBE confirms all its channels.
 * Lost    A command counts as lost if CLIENT REPLY suppresses its reply: we see no end.
 * Ignored A replica's connection from REPLCONF, PSYNC or SYNC on; one with MONITOR, after its reply; the cluster bus.
 * Clients We count only sockets that a server accepted: it listens at the local port, or the socket's first bytes are
 *         the client's.  A Unix socket has the listener's name.
 * Attach  We follow a TCP connection from its first byte, if the receive has all bytes so far and the server sent none.
 *         In any other one we first find the place: a receive, sends that leave no output in the server, a receive of
 *         whole commands, and as many replies, the last one at the end of a send.  The next exchange is the first one
 *         that we record.  The kernel does not count a Unix connection's bytes.  We follow one, without its database,
 *         from the first receive that we see on, if that begins with a command.
 * Loss    After bytes that are not the protocol, or a reply without a command, all commands without a recorded reply
 *         count as lost.  Then we find the place as in an older connection.
 * Turns   Of a connection that we cannot read (TLS, another protocol), we count turns of request and reply.
 *
 * Measures  those of exchange.h.  A thread serves many connections.  Its clocks divide only the time from a receive to
 *         its next receive or send at any connection; in that time it works at this command or sleeps.  So no time of
 *         a thread is in two events.  The rest of the latency is `unsplit`: the thread serves other clients, or
 *         another thread (io-threads) has the command.
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
	TURN_CGROUP_FIELDS(REDIS), REDIS_N_FIELDS
};

/* The names of servers' processes; at most 15 bytes each. */
#define REDIS_SERVERS "redis-server", "valkey-server"

enum redis_waits {
	WAITS_NO,		/* the command does not wait for data */
	WAITS_READY,		/* it may wait, and was answered at once */
	WAITS_DATA,		/* it waited: before its end, the thread slept, or received after a send */
	N_WAITS
};

enum redis_database { DATABASE_UNKNOWN, DATABASE_ENCRYPTED, DATABASE_FIRST };

#define DATABASE_MAX 0x7fffffff

#endif
