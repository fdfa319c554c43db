/* reply.h - parses a server's reply packet by packet; pure, for kernel and tests.
 *
 *      packets at a send's start -> reply_packet() -> REPLY_*; the tail of an unfollowed reply -> reply_tail()
 *      the first packet of a small send, and its tail -> reply_ahead()
 *
 *      first --OK, ERR---------------------------------------------> done, or first again: more results
 *        `-- columns, definitions --> columns' end --> rows --EOF--'
 *
 * Stage   The connection (struct conn, parse.h) has the stage of the reply, and the command, which says what may come.
 *         The parser also sets the connection's result.
 * Trust   Bytes are the server's.  Of any packet the parser reads at most REPLY_HEAD bytes.
 */
#ifndef HEATSCOPE_MYSQL_REPLY_H
#define HEATSCOPE_MYSQL_REPLY_H

#include "collector/mysql/parse.h"

enum reply_flag {
	REPLY_MORE,		/* as far as we see, more follows */
	REPLY_DONE,		/* if the send ends here, so does the reply */
	REPLY_HELD,		/* the server asks the client for data first */
};

#define REPLY_PACKETS 8			/* packets of a send that are read */
#define REPLY_WINDOW 512		/* bytes of a send that are available at once */
#define REPLY_TAIL 11
#define SERVER_MORE_RESULTS_EXISTS 8
#define SERVER_CURSOR_EXISTS 0x40

struct packet {
	__u32 len;		/* of the payload */
	__u32 n;		/* bytes of it in head, min(len, REPLY_HEAD) */
	const __u8 *head;	/* REPLY_HEAD bytes may be read; those after n do not matter */
};

/* Returns how many bytes a length-encoded number takes. */
static inline __u32 number_len(__u8 first)
{
	return first < 0xfb ? 1 : first == 0xfc ? 3 : first == 0xfd ? 4 : first == 0xfe ? 9 : 1;
}

static inline __u16 packet_u16(const struct packet *p, __u32 at)
{
	return at + 2 <= p->n && at + 2 <= REPLY_HEAD ? p->head[at] | p->head[at + 1] << 8 : 0;
}

/* Returns the status flags of an OK packet: 00 or FE, affected rows, insert id, status. */
static inline __u16 ok_status(const struct packet *p)
{
	__u32 at = 1;

	at += number_len(p->head[at]);
	at += number_len(p->head[at < REPLY_HEAD ? at : 0]);
	return packet_u16(p, at);
}

static inline int packet_is_end(const struct packet *p)
{
	return p->head[0] == 0xfe && p->len < PACKET_MAX && (p->len == 5 || p->len >= 7);
}

/* Returns the status flags of an EOF packet, or of an OK packet in its place. */
static inline __u16 end_status(const struct packet *p)
{
	return p->len == 5 ? packet_u16(p, 3) : ok_status(p);
}

/* Do these first bytes of a send answer the command?  A server continues the packet numbers of the command. */
static inline int reply_answers(const struct conn *c, const __u8 *header)
{
	return header[3] == (__u8)(c->seq + 1) && bytes_u24(header);
}

static inline int reply_has_columns(const struct conn *c, __u8 first, __u32 len)
{
	__u32 n = number_len(first);

	return (c->command == COM_QUERY || c->command == COM_STMT_EXECUTE) && (len == n || len == n + 1);
}

/* On a connection that is not sure: is this a packet that answers this command?  At least 10 bytes may be read.
 * Noise passes once in 10^9 cases; an unrecognized reply makes one event opaque. */
static inline int reply_convinces(const struct conn *c, const __u8 *header, __u32 total)
{
	__u32 len = bytes_u24(header);
	const __u8 *b = header + 4;

	if (len + 4 > total)
		return 0;
	switch (b[0]) {
	case 0xff: return len >= 9 && b[3] == '#';
	case 0xfe: return len == 5 || len >= 7;
	case 0xfb: return c->command == COM_QUERY && len > 1;
	case 0: return len >= (c->command == COM_STMT_PREPARE ? 12 : 7);
	case 'U': return c->command == COM_STATISTICS && len >= 6 && b[1] == 'p' && b[2] == 't' && b[3] == 'i';
	}
	return reply_has_columns(c, b[0], len);
}

/* Begins with the first send after a command: its total length, and at least REPLY_HEAD bytes that may be read, of
 * which n are the send's. */
static inline void reply_begin(struct conn *c, const __u8 *header, __u32 n, __u32 total)
{
	c->fresh = 0;
	if (n < 4 ? c->sure : reply_answers(c, header) && (c->sure || reply_convinces(c, header, total)))
		c->sure = 1;
	else
		conn_becomes(c, !c->sure && n >= 5 && mysqlx_replies(header, total) ? CONN_MYSQLX : CONN_OPAQUE);
}

/* May the server not know this command?  Some bytes are for its own use, some commands only MySQL or MariaDB has. */
static inline int command_may_be_unknown(__u16 command)
{
	const __u64 bytes = 1ull << 0 | 1ull << 5 | 1ull << 6 | 1ull << 11 | 1ull << 15 | 1ull << 16 | 1ull << 19 |
			    1ull << 20 | 1ull << 29 | 1ull << COM_CLONE | 1ull << COM_GROUP_REPLICATION;

	return command == COM_BULK_EXECUTE || (command < 64 && (1ull << command & bytes));
}

#define ER_UNKNOWN_COM_ERROR 1047

/* Takes an error, which ends the reply.  A MariaDB progress report looks like one, with error number 0xffff. */
static inline int reply_error(struct conn *c, const struct packet *p)
{
	__u16 number = packet_u16(p, 1);

	if (number == 0xffff)
		return REPLY_MORE;
	if (number == ER_UNKNOWN_COM_ERROR && command_may_be_unknown(c->command))
		command_unknown(c);
	c->result = STATUS_ERROR(number);
	return REPLY_DONE;
}

static inline int reply_result_end(struct conn *c, __u16 status)
{
	c->stage = REPLY_FIRST;
	c->status = status;
	return status & SERVER_MORE_RESULTS_EXISTS ? REPLY_MORE : REPLY_DONE;
}

#define PREPARED_LEN 12			/* of the reply to a prepare; MySQL's CLIENT_OPTIONAL_METADATA adds a flag */

/* Takes the answer to a prepare: 00 | id 4 | columns 2 | parameters 2 | 00 | warnings 2 | flag.  So many definitions
 * follow, none if the flag is 0. */
static inline int reply_prepared(struct conn *c, const struct packet *p)
{
	int left_out = p->len == PREPARED_LEN + 1 && !p->head[PREPARED_LEN];

	c->statement_id = packet_u16(p, 1) | (__u32)packet_u16(p, 3) << 16;
	c->n_left = left_out ? 0 : packet_u16(p, 5) + packet_u16(p, 7);
	c->stage = REPLY_DEFINITIONS;
	return c->n_left ? REPLY_MORE : REPLY_DONE;
}

static inline int reply_columns(struct conn *c, const struct packet *p)
{
	__u32 len = number_len(p->head[0]);

	c->n_left = len == 1 ? p->head[0] : len == 3 ? packet_u16(p, 1) : 0xffff;
	/* With MariaDB's MARIADB_CLIENT_CACHE_METADATA, and MySQL's CLIENT_OPTIONAL_METADATA, a 0 here means that the
	 * definitions are left out. */
	if (p->len > len && p->n > len && p->head[len < REPLY_HEAD ? len : 0] == 0)
		c->n_left = 0;
	c->stage = c->n_left ? REPLY_COLUMNS : REPLY_COLUMNS_END;
	return REPLY_MORE;
}

static inline int reply_row(struct conn *c, const struct packet *p)
{
	if (p->head[0] == 0xff)
		return reply_error(c, p);
	if (packet_is_end(p))
		return reply_result_end(c, end_status(p));
	return REPLY_MORE;
}

static inline int reply_first(struct conn *c, const struct packet *p)
{
	__u8 first = p->head[0];

	if (first == 0xff)
		return reply_error(c, p);
	if (c->command == COMMAND_UNKNOWN) {
		conn_becomes(c, CONN_OPAQUE);
		return REPLY_MORE;
	}
	c->result = STATUS_OK;		/* unless an error comes after it */
	if (command_leaves_protocol(c->command) && first != 0xfe) {
		conn_becomes(c, CONN_IGNORED);
		return REPLY_MORE;
	}
	if (c->command == COM_CHANGE_USER)
		return first == 0 ? REPLY_DONE : REPLY_HELD;
	if (c->command == COM_STATISTICS)
		return REPLY_DONE;
	if (c->command == COM_STMT_PREPARE && first == 0)
		return reply_prepared(c, p);
	if (c->command == COM_STMT_FETCH || c->command == COM_FIELD_LIST) {
		c->stage = REPLY_ROWS;
		return reply_row(c, p);
	}
	if (first == 0)
		return reply_result_end(c, ok_status(p));
	if (packet_is_end(p))
		return reply_result_end(c, end_status(p));
	if (first == 0xfb)
		return REPLY_HELD;
	return reply_columns(c, p);
}

static inline int reply_columns_end(struct conn *c, const struct packet *p)
{
	c->stage = REPLY_ROWS;
	if (p->len != 5 || p->head[0] != 0xfe)
		return reply_row(c, p);		/* CLIENT_DEPRECATE_EOF: the first row, or the end */
	return packet_u16(p, 3) & SERVER_CURSOR_EXISTS ? reply_result_end(c, packet_u16(p, 3)) : REPLY_MORE;
}

static inline int reply_definition(struct conn *c, const struct packet *p)
{
	if (c->n_left && !(p->head[0] == 0xfe && p->len == 5))
		c->n_left--;
	return c->n_left ? REPLY_MORE : REPLY_DONE;
}

/* Takes the next packet of a reply. */
static inline int reply_packet(struct conn *c, const struct packet *p)
{
	int continues = c->row_continues;

	if (c->mode != CONN_PLAIN)
		return REPLY_MORE;
	c->row_continues = p->len == PACKET_MAX;
	if (continues || !p->n)
		return REPLY_MORE;
	switch (c->stage) {
	case REPLY_FIRST: return reply_first(c, p);
	case REPLY_COLUMNS:
		if (p->head[0] == 0xff && p->len < 0xff00)
			return reply_error(c, p);
		if (!--c->n_left)
			c->stage = REPLY_COLUMNS_END;
		return REPLY_MORE;
	case REPLY_COLUMNS_END: return reply_columns_end(c, p);
	case REPLY_DEFINITIONS: return reply_definition(c, p);
	default: return reply_row(c, p);
	}
}

/* The kind of packet that the last REPLY_TAIL bytes of a send would be, if they ended a result and announced no
 * further one. */
enum tail_kind {
	TAIL_OTHER,
	TAIL_EOF,		/* an EOF packet */
	TAIL_OK,		/* an OK packet without message, in place of an EOF packet */
};

static inline enum tail_kind reply_tail(const __u8 *tail)
{
	const __u8 *eof = tail + 2;

	if (eof[0] == 5 && !eof[1] && !eof[2] && eof[4] == 0xfe)
		return bytes_u16(eof + 7) & SERVER_MORE_RESULTS_EXISTS ? TAIL_OTHER : TAIL_EOF;
	if (tail[0] == 7 && !tail[1] && !tail[2] && tail[4] == 0xfe && !tail[5] && !tail[6])
		return bytes_u16(tail + 7) & SERVER_MORE_RESULTS_EXISTS ? TAIL_OTHER : TAIL_OK;
	return TAIL_OTHER;
}

/* Stops following the reply packet by packet: its end is unknown until a tail shows it. */
static inline void reply_unfollowed(struct conn *c)
{
	c->unaligned = 1;
	c->result = STATUS_UNKNOWN;
}

/* The rest of the reply cannot be sent, or its server ends: how it would have ended is unknown, unless an error was sent. */
static inline void reply_cut(struct conn *c)
{
	if (c->result == STATUS_OK)
		c->result = STATUS_UNKNOWN;
}

/* Returns REPLY_*: whether this tail of an unfollowed send ends the reply. */
static inline int reply_ends(struct conn *c, const __u8 *tail)
{
	if (reply_tail(tail) == TAIL_OTHER)
		return REPLY_MORE;
	c->result = STATUS_OK;
	return REPLY_DONE;
}

/* Does a send of at most REPLY_WINDOW bytes hold the whole reply?  Only its first packet was read, with sequence number
 * `seq`.  The number of the tail distinguishes its packet from the EOF after the definitions, because a send has fewer
 * packets than there are numbers.  Servers send when their buffer is full or the reply ends.  This function would
 * report the end too early if a server sent a small piece alone that ends with the definitions of a second result.  The
 * same holds for a small piece that ends with row bytes that look like an EOF.
 *
 *      columns | definition 1 .. n | EOF | row ... | EOF          OK in place of the second EOF: there is no first EOF
 *        seq       seq + 1 ..      seq + n + 1   > seq + n + 1  */
static inline int reply_ahead(struct conn *c, __u8 seq, const __u8 *tail)
{
	enum tail_kind kind = reply_tail(tail);
	const __u8 *packet = kind == TAIL_EOF ? tail + 2 : tail;
	__u8 packets = packet[3] - seq;

	if (kind == TAIL_OTHER || (c->stage != REPLY_COLUMNS && c->stage != REPLY_COLUMNS_END) ||
	    packets < c->n_left + (kind == TAIL_EOF ? 2 : 1))
		return REPLY_MORE;
	return reply_result_end(c, bytes_u16(tail + (kind == TAIL_EOF ? 9 : 7)));
}

#endif
