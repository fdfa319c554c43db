/* parse.h - parses the bytes that clients send, with a state machine; pure, for kernel and tests.  Replies: reply.h.
 *
 *      receive:  conn_receive(), then bytes -> parse_blind(), parse_byte(), parse_skip() -> PARSE_* flags
 *                                              parse_ahead(): the begin of most commands, at once
 *                                              parse_attributes(): those of a query
 *
 *        header                body
 *      +---+---+---+---+    +---------+------------------------
 *      |  length   |seq|    | command | text, statement id ...      seq 0 starts a command
 *      +---+---+---+---+    +---------+------------------------
 *
 * Cut     A packet may come in pieces, and several may come at once.  The parser takes single bytes where it must read
 *         (header, command, id, at most STATEMENT_LOOK bytes of text), and skips the rest unread.
 * Seq     Only a header with sequence number 0 starts a command.  While a command is held it starts none: the packets
 *         of LOAD DATA LOCAL count on, and wrap to 0 after 255 of them.
 * Caps    A capability holds if both sides have it.  The greeting has the server's.  If it was not read whole, no
 *         capability that changes the meaning of bytes is assumed.
 * Sure    A connection is sure once the server has accepted its login, or has answered a command with the packet number
 *         that the protocol asks for.  Before that no command is reported: bytes that look like one are `opaque`.
 * Proxy   A PROXY header before the login replaces the client's address: proxy.h.
 * Who     who.h reads the bytes that say who the client is, or that change its database.
 * Charset Texts are read only while no backslash hides in the client's characters: charset.h.
 * Long    A packet of 0xffffff bytes continues in the next one, up to a shorter one (maybe empty).
 * Trust   Bytes are the clients'.  Impossible bytes make the connection opaque.  On a sure connection a command byte
 *         that the protocol lacks is an unknown command: servers answer it with an error.
 */
#ifndef HEATSCOPE_MYSQL_PARSE_H
#define HEATSCOPE_MYSQL_PARSE_H

#include "collector/mysql/attributes.h"
#include "collector/mysql/charset.h"
#include "collector/mysql/mysql.h"
#include "collector/mysql/mysqlx.h"
#include "collector/mysql/records.h"
#include "collector/mysql/statement.h"
#include "collector/mysql/who.h"
#include "collector/server/proxy.h"

enum conn_mode {
	CONN_STRANGE,		/* older than the collector: look for the begin of a command */
	CONN_LOGIN,		/* greeting seen, no OK yet */
	CONN_PLAIN,
	CONN_COMPRESSED,
	CONN_ENCRYPTED,		/* turns only */
	CONN_OPAQUE,		/* turns only */
	CONN_IGNORED,		/* after command_leaves_protocol(): the server has agreed */
	CONN_PROXY,		/* within a PROXY header; CONN_LOGIN follows */
	CONN_MYSQLX,		/* turns only */
};

enum parse_flag {
	PARSE_START = 1,	/* a command starts with this receive */
	PARSE_CANCEL = 2,	/* it was no command */
	PARSE_DONE = 4,		/* it is complete: the server's sends from now on are the reply */
	PARSE_LOOKUP = 8,	/* statement_id is set, statement is wanted */
	PARSE_CLOSE = 16,	/* statement_id is closed */
	PARSE_NAME = 32,	/* who.name is a name, perhaps a new one */
	PARSE_CLIENT = 64,	/* proxy.address is the client's */
};

enum reply_stage { REPLY_FIRST, REPLY_COLUMNS, REPLY_COLUMNS_END, REPLY_ROWS, REPLY_DEFINITIONS };

#define PACKET_MAX 0xffffffu
#define STATEMENT_LOOK 1024
#define GREETING_LOOK 128
#define STATEMENT_ID_LAST 0xffffffffu
#define CONN_TRIES 8			/* receives of a strange connection before it becomes opaque */
#define NO_ATTRIBUTES 2			/* bytes before a text without attributes: 00, 01 */
#define TEXT_AFTER_ATTRIBUTES 0		/* struct conn's text_from: the attributes before the text are being read */
#define TEXT_HIDDEN (~0u)		/* the attributes cannot be read, so neither can the text */
#define REPLY_HEAD 24			/* bytes of a payload that reply_packet() may read */

#define CLIENT_MYSQL 1u			/* a greeting without this flag is MariaDB's */
#define CLIENT_COMPRESS 0x20u
#define CLIENT_SSL 0x800u
#define CLIENT_ZSTD (1u << 26)
#define SERVER_STATUS_NO_BACKSLASH_ESCAPES 0x200
#define SERVER_STATUS_ANSI_QUOTES 0x8000		/* MariaDB; MySQL does not report it */
#define CLIENT_QUERY_ATTRIBUTES (1u << 27)	/* MySQL 8: names and values come before the text of a query */

#define FOLLOW_HEAD (4 + REPLY_HEAD)

struct follow {			/* state of a reply over its sends; follow.h */
	__u32 skip;		/* bytes of the packet that are still to come */
	__u8 on, verdict;	/* REPLY_*, if the packet ends here */
	__u8 n;			/* bytes of the next packet's head that have come */
	__u8 pad;
	__u64 rows;		/* so far: affected, or returned */
	__u8 byte[32];		/* those bytes, FOLLOW_HEAD of them */
};

struct conn {
	struct statement scanner;
	__u64 statement;	/* of the current command */
	__u64 last_statement;	/* last prepared one */
	__u32 left;		/* bytes of this packet that are still to come */
	__u32 at;		/* bytes of the command's body so far, over continued packets; saturates */
	__u32 statement_id;
	__u32 caps;		/* of both sides */
	__u32 server_caps;	/* of the greeting; caps_known 0: it has not been read */
	__u32 n_left;		/* of the reply: definitions still to come */
	__u32 result;		/* of the reply so far: enum mysql_status or STATUS_ERROR() */
	__u16 command;
	__u8 mode;
	__u8 have;		/* bytes in head; CONN_STRANGE: receives tried */
	__u8 head[7];
	__u8 begun;		/* this packet belongs to a command */
	__u8 continued;		/* the next packet continues this one */
	__u8 seq;
	__u8 held;
	__u8 wanted;		/* the statement: an instrumentation decomposes by it, or by the database */
	__u8 stage;		/* of the reply */
	__u8 unaligned;		/* the reply: a send ended within a packet, or too many packets */
	__u8 row_continues;
	__u8 multibyte;		/* since the login the client's character set was one of charset_hides_backslash() */
	__u16 status;		/* the server's, of the last reply that has it */
	__u8 caps_known;
	__u8 sure;
	__u8 logged;		/* a login has come whole, or a PROXY header began */
	__u8 fresh;		/* no byte of the reply has come */
	__u8 resumes;		/* CONN_COMPRESSED: a packet with any number starts a command */
	__u8 collates;		/* the next bytes of change_user are the number of a collation: 1 or 2 are missing */
	__u8 collation;		/* the first of them */
	__u32 text_from;	/* where the command's body has its text, or TEXT_* */
	struct attributes attributes;
	struct records records;	/* CONN_ENCRYPTED */
	struct proxy proxy;
	struct follow follow;
	struct who who;
	struct charset_set set;
};

static inline int command_possible(__u8 command)
{
	return command <= COM_LAST || command == COM_BULK_EXECUTE;
}

static inline int command_has_text(__u16 command)
{
	return command == COM_QUERY || command == COM_STMT_PREPARE;
}

static inline int command_executes(__u16 command)
{
	return command == COM_STMT_EXECUTE || command == COM_BULK_EXECUTE;
}

static inline int command_has_id(__u16 command)
{
	return command_executes(command) || command == COM_STMT_CLOSE;
}

/* Does the connection serve something else if the server agrees: the log without end, a clone, a group's messages? */
static inline int command_leaves_protocol(__u16 command)
{
	return command == COM_BINLOG_DUMP || command == COM_BINLOG_DUMP_GTID || command == COM_CLONE ||
	       command == COM_GROUP_REPLICATION;
}

static inline int command_has_no_reply(__u16 command)
{
	return command == COM_QUIT || command == COM_STMT_CLOSE || command == COM_STMT_SEND_LONG_DATA;
}

static inline int conn_turns(const struct conn *c)
{
	return c->mode == CONN_ENCRYPTED || c->mode == CONN_OPAQUE || c->mode == CONN_MYSQLX;
}

/* Returns the command of a turn whose bytes are not read. */
static inline __u16 turn_command(__u8 mode)
{
	switch (mode) {
	case CONN_COMPRESSED: return COMMAND_COMPRESSED;
	case CONN_ENCRYPTED: return COMMAND_ENCRYPTED;
	case CONN_MYSQLX: return COMMAND_MYSQLX;
	}
	return COMMAND_OPAQUE;
}

/* Begins a turn whose bytes are not read. */
static inline void conn_begin_turn(struct conn *c)
{
	c->command = turn_command(c->mode);
	c->statement = STATEMENT_NONE;
	c->result = STATUS_UNKNOWN;
}

static inline __u32 bytes_u24(const __u8 *b)
{
	return b[0] | b[1] << 8 | (__u32)b[2] << 16;
}

static inline __u16 bytes_u16(const __u8 *b)
{
	return b[0] | b[1] << 8;
}

/* Is this send of `total` bytes, of which we have n, a server's greeting or refusal? */
static inline int greeting(const __u8 *head, __u32 n, __u32 total)
{
	return n >= 5 && head[3] == 0 && (head[4] == 0x0a || head[4] == 0xff) && bytes_u24(head) &&
	       bytes_u24(head) + 4 == total;
}

/* Returns the connection's number in the greeting, after the server's version and a NUL; 0: it is not in these n
 * bytes. */
static inline __u64 greeting_connection(const __u8 *b, __u32 n)
{
	__u32 i;

	for (i = 5; i + 4 < GREETING_LOOK; i++)
		if (i + 4 < n && b[4] == 0x0a && !b[i])
			return b[i + 1] | b[i + 2] << 8 | b[i + 3] << 16 | (__u64)b[i + 4] << 24;
	return 0;
}

#define GREETING_KNOWN (1ull << 32)

/* Returns the server's capabilities | GREETING_KNOWN; 0: they are not in these n bytes.
 *
 *      version 00 | connection 4 | scramble 8 | 00 | capabilities 2 | character set 1 | status 2 | capabilities 2 */
static inline __u64 greeting_capabilities(const __u8 *b, __u32 n)
{
	__u32 i;

	for (i = 5; i + 20 < GREETING_LOOK; i++)
		if (i + 20 < n && b[4] == 0x0a && !b[i])
			return GREETING_KNOWN | b[i + 14] | b[i + 15] << 8 | b[i + 19] << 16 | (__u64)b[i + 20] << 24;
	return 0;
}

static inline void conn_packet_fini(struct conn *c)
{
	c->have = 0;
	c->begun = 0;
	c->continued = 0;
	c->left = 0;
}

static inline void conn_becomes(struct conn *c, __u8 mode)
{
	conn_packet_fini(c);
	c->mode = mode;
	c->held = 0;
	c->statement = STATEMENT_NONE;
	c->result = STATUS_UNKNOWN;
	c->follow.on = 0;
	c->resumes = 0;
	__builtin_memset(&c->records, 0, sizeof(c->records));
	if (conn_turns(c))
		c->command = turn_command(mode);
	if (mode == CONN_OPAQUE || mode == CONN_STRANGE || mode == CONN_MYSQLX)
		c->sure = 0;
	if (conn_turns(c) || mode == CONN_STRANGE)
		who_becomes(&c->who, mode == CONN_ENCRYPTED ? NAME_ENCRYPTED : NAME_UNKNOWN);
}

static inline int conn_compresses(const struct conn *c)
{
	return (c->caps & (CLIENT_COMPRESS | CLIENT_ZSTD)) != 0;
}

/* Returns the mode after the login: strange if a client asks for compression and we do not know the server's
 * capabilities, so whether it agrees. */
static inline __u8 login_mode(const struct conn *c)
{
	if (!conn_compresses(c))
		return CONN_PLAIN;
	return c->caps_known ? CONN_COMPRESSED : CONN_STRANGE;
}

/* Ends the login: the server has accepted the client, with these status flags. */
static inline void login_end(struct conn *c, __u16 status)
{
	who_settle(&c->who, 1, 0);
	c->status = status;
	c->sure = 1;
	conn_becomes(c, login_mode(c));
}

/* Takes the client's capabilities, when they have come. */
static inline void login_capabilities(struct conn *c)
{
	if (c->caps_known)
		c->caps &= c->server_caps;
	else
		c->caps &= ~CLIENT_QUERY_ATTRIBUTES;
}

/* Can this whole receive be the begin of a command?  MariaDB reads a header alone, or all at once. */
static inline int conn_in_step(const __u8 *head, __u32 n, __u32 total)
{
	__u32 len;

	if (n < 4 || head[3])
		return 0;
	len = bytes_u24(head);
	if (!len)
		return 0;
	return total == 4 || (total == len + 4 && n >= 5 && command_possible(head[4]));
}

/* Before the bytes of a receive are parsed: finds the begin of a command in a connection that is older than the
 * collector.  head: its first n <= 5 bytes. */
static inline void conn_receive(struct conn *c, const __u8 *head, __u32 n, __u32 total)
{
	if (c->mode != CONN_STRANGE && c->mode != CONN_OPAQUE)
		return;
	if (n >= 5 && head[0] == 0x17 && head[1] == 3 && head[2] <= 4)
		conn_becomes(c, CONN_ENCRYPTED);
	else if (c->mode == CONN_STRANGE && !c->have && n >= 4 && proxy_begins(head))
		conn_becomes(c, CONN_LOGIN);
	else if (conn_in_step(head, n, total))
		conn_becomes(c, CONN_PLAIN);
	else if (c->mode == CONN_STRANGE && ++c->have >= CONN_TRIES)
		conn_becomes(c, CONN_OPAQUE);
}

/* Called when the server finds nothing to receive.  Returns 1 if the last command is complete and has no reply.  If it
 * was only the first piece of a long command, the next piece begins that command. */
static inline int conn_drop_unanswered(struct conn *c)
{
	if (c->mode == CONN_COMPRESSED && !c->have && !c->left) {
		c->resumes = 1;
		return 1;
	}
	return c->mode == CONN_ENCRYPTED && records_whole(&c->records);
}

#define LOGIN_USER 32			/* where a login's user begins, after capabilities, lengths and character set */

/* As parse_blind(), for a login packet. */
static inline __u32 login_blind(const struct conn *c)
{
	__u32 to = c->at < 8 ? 8 : LOGIN_USER;

	if (c->seq != 1)		/* the rest of an authentication */
		return c->left;
	if (c->at < 4 || c->at == 8)
		return 0;
	if (c->at >= LOGIN_USER)
		return who_blind(&c->who, c->left);
	return c->left > to - c->at ? to - c->at : c->left;
}

/* Is the kind of statement wanted?  That of a prepared statement always is, since later commands name it by number. */
static inline int scan_wanted(const struct conn *c)
{
	return c->wanted || c->command == COM_STMT_PREPARE;
}

/* Returns how many bytes of the text come before the next one. */
static inline __u32 text_at(const struct conn *c)
{
	return c->at - c->text_from;
}

/* Is it known where the text begins? */
static inline int text_known(const struct conn *c)
{
	return c->text_from != TEXT_AFTER_ATTRIBUTES && c->text_from != TEXT_HIDDEN;
}

static inline int text_follows_attributes(const struct conn *c)
{
	return c->mode == CONN_PLAIN && c->begun && c->left && c->at && c->command == COM_QUERY &&
	       c->text_from == TEXT_AFTER_ATTRIBUTES;
}

/* Returns how many bytes may be skipped unread; 0: the parser needs the next byte. */
static inline __u32 parse_blind(const struct conn *c)
{
	if (c->mode == CONN_STRANGE || conn_turns(c) || c->mode == CONN_IGNORED)
		return ~0u;
	if (c->mode == CONN_PROXY)
		return proxy_blind(&c->proxy);
	if (!c->left)
		return 0;
	if (c->mode == CONN_LOGIN && !c->begun)
		return login_blind(c);
	if (!c->begun || c->mode == CONN_COMPRESSED)
		return c->left;
	if (!c->at || (command_has_id(c->command) && c->at < 5))
		return 0;
	if (command_has_text(c->command) && text_at(c) < STATEMENT_LOOK && !statement_done(&c->scanner))
		return 0;
	if (c->set.on || c->collates)
		return 0;
	return who_blind(&c->who, c->left);
}

/* Ends a login packet, after its last byte. */
static inline __u32 login_packet_end(struct conn *c)
{
	int named = who_end(&c->who);

	c->logged = 1;
	if (c->seq == 1 && c->at == LOGIN_USER && (c->caps & CLIENT_SSL))
		conn_becomes(c, CONN_ENCRYPTED);
	return named ? PARSE_NAME : 0;
}

/* Takes the character set that the command names. */
static inline void charset_end(struct conn *c)
{
	charset_set_end(&c->set);
	c->multibyte |= c->set.hides;
}

/* Ends a command, after its last byte. */
static inline __u32 command_end(struct conn *c)
{
	__u32 named = c->who.part && who_end(&c->who) ? PARSE_NAME : 0;

	c->begun = 0;
	if (c->mode == CONN_COMPRESSED)
		return PARSE_DONE;
	charset_end(c);
	if (command_has_text(c->command) && scan_wanted(c) && text_known(c))
		c->statement = statement_code(&c->scanner, text_at(c) < STATEMENT_LOOK);
	if (c->command == COM_STMT_PREPARE)
		c->last_statement = c->statement;
	if (command_executes(c->command) && c->at < 5)
		c->statement = STATEMENT_UNKNOWN;
	c->stage = REPLY_FIRST;
	c->fresh = 1;
	c->result = command_has_no_reply(c->command) ? STATUS_NONE : STATUS_UNKNOWN;
	c->unaligned = 0;
	c->row_continues = 0;
	return PARSE_DONE | named;
}

static inline __u32 packet_end(struct conn *c)
{
	c->have = 0;
	if (c->continued)
		return 0;
	if (c->begun)
		return command_end(c);
	return c->mode == CONN_LOGIN ? login_packet_end(c) : 0;
}

/* Makes a command that the protocol lacks unknown: its text, number and names are not read. */
static inline void command_unknown(struct conn *c)
{
	c->command = COMMAND_UNKNOWN;
	c->statement = STATEMENT_NONE;
	c->statement_id = 0;
}

static inline __u32 command_begin(struct conn *c, __u32 len)
{
	if ((!len && !c->sure) || (c->mode == CONN_LOGIN && !c->logged)) {
		conn_becomes(c, CONN_OPAQUE);
		return PARSE_CANCEL;
	}
	if (!len)
		command_unknown(c);	/* servers take it for an unknown command */
	if (c->who.pending)
		who_settle(&c->who, c->mode == CONN_LOGIN || c->result == STATUS_OK, c->result == STATUS_UNKNOWN);
	c->mode = CONN_PLAIN;		/* also the first command after a login whose OK we missed */
	c->begun = 1;
	c->at = 0;
	return PARSE_START;
}

static inline __u32 header_end(struct conn *c)
{
	__u32 len = bytes_u24(c->head), out = 0;
	int more = c->continued;

	if (c->mode == CONN_LOGIN && !more && !c->logged && proxy_begins(c->head)) {
		c->logged = 1;
		c->mode = CONN_PROXY;
		proxy_begin(&c->proxy, c->head);
		return 0;
	}
	if (c->mode == CONN_LOGIN && !more && !c->head[3] && conn_compresses(c)) {
		who_settle(&c->who, 1, 0);	/* a login whose OK we missed */
		c->mode = login_mode(c);
		return 0;
	}
	c->seq = c->head[3];
	c->left = len;
	c->continued = len == PACKET_MAX;
	if (!more) {
		c->begun = 0;
		c->at = 0;
		if (c->seq == 0 && !c->held)
			out = command_begin(c, len);
		else if (c->seq == 1 && c->mode == CONN_LOGIN)
			who_begin(&c->who, WHO_USER, 0);
	}
	if (!c->left && !conn_turns(c))
		out |= packet_end(c);
	return out;
}

/*      +---+---+---+---+---+---+---+
 *      |  length   |seq| plain len |    compressed packets; what is in them we do not look at
 *      +---+---+---+---+---+---+---+ */
static inline __u32 compressed_header_end(struct conn *c)
{
	c->left = bytes_u24(c->head);
	c->seq = c->head[3];
	c->have = 0;
	if (c->seq && !c->resumes)
		return 0;
	c->resumes = 0;
	conn_begin_turn(c);
	c->begun = c->left != 0;
	return c->begun ? PARSE_START : PARSE_START | PARSE_DONE;
}

static inline __u32 command_byte(struct conn *c, __u8 byte)
{
	if (!command_possible(byte)) {
		if (c->sure) {
			command_unknown(c);
			return 0;
		}
		conn_becomes(c, CONN_OPAQUE);
		return PARSE_CANCEL;
	}
	c->command = byte;
	c->text_from = 1;
	c->statement_id = 0;
	c->statement = command_has_text(byte) || command_executes(byte) ? STATEMENT_UNKNOWN : STATEMENT_NONE;
	c->scanner.word = 0;
	c->scanner.state = STATEMENT_SPACE;
	c->scanner.n = 0;
	c->collates = 0;
	charset_set_none(&c->set);
	if (byte == COM_INIT_DB)
		who_begin(&c->who, WHO_INIT_DB, 0);
	else if (byte == COM_CHANGE_USER)
		who_begin(&c->who, WHO_USER, CLIENT_CONNECT_WITH_DB | (c->caps & CLIENT_PROTOCOL_41 ?
			  c->caps & CLIENT_SECURE_CONNECTION : CLIENT_SECURE_CONNECTION));
	return 0;
}

/* Ends the statement's id. */
static inline __u32 id_end(struct conn *c)
{
	if (c->command == COM_STMT_CLOSE)
		return PARSE_CLOSE;
	if (c->statement_id != STATEMENT_ID_LAST)
		return PARSE_LOOKUP;
	c->statement = c->last_statement ? c->last_statement : STATEMENT_UNKNOWN;
	if (c->statement == STATEMENT_CODE("use"))
		who_moves(&c->who);
	return 0;
}

static inline __u32 id_byte(struct conn *c, __u8 byte)
{
	c->statement_id |= (__u32)byte << (8 * ((c->at - 1) & 3));
	return c->at == 4 ? id_end(c) : 0;
}

static inline __u32 who_named(struct conn *c, __u8 byte)
{
	__u32 out = who_byte(&c->who, byte) ? PARSE_NAME : 0;

	c->collates = c->begun && c->command == COM_CHANGE_USER && !byte && c->who.part == WHO_NOTHING ? 2 : 0;
	return out;
}

/* Takes the client's capabilities, its character set, and who it is. */
static inline __u32 login_byte(struct conn *c, __u8 byte)
{
	if (c->at < 4) {
		c->caps = (c->at ? c->caps : 0) | (__u32)byte << (8 * c->at);
		if (c->at == 3)
			login_capabilities(c);
	} else if (c->at == 8) {
		c->multibyte = charset_hides_backslash(byte);
		c->who.caps = c->caps;
		if (!(c->caps & CLIENT_PROTOCOL_41))
			who_give_up(&c->who);
	} else {
		return who_named(c, byte);
	}
	return 0;
}

static inline int statement_is_set(const struct conn *c)
{
	return c->scanner.word == STATEMENT_CODE("set");
}

static inline int statement_is_use(const struct conn *c)
{
	return c->command == COM_QUERY && c->scanner.word == STATEMENT_CODE("use");
}

/* Is a text wanted that begins with this byte: also that of a `use` or `set`? */
static inline int text_begins(const struct conn *c, __u8 byte)
{
	return scan_wanted(c) || statement_lower(byte) == 'u' || statement_lower(byte) == 's';
}

/* The same of a text of at least three bytes: most that begin with s are a `select`. */
static inline int text_begins_ahead(const struct conn *c, const __u8 *text)
{
	return text_begins(c, *text) && (scan_wanted(c) || statement_lower(*text) == 'u' || statement_lower(text[2]) == 't');
}

/* Is the number of attributes a byte with which a text may begin, too? */
static inline int number_is_space(__u8 byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* May a query's body that begins with this byte have attributes?  If the capabilities are not known, the byte decides:
 * no text begins with one below a space that is no white space.  After white space attributes_absent() decides. */
static inline int text_has_attributes(const struct conn *c, __u8 byte)
{
	if (c->command != COM_QUERY)
		return 0;
	if (c->caps & CLIENT_QUERY_ATTRIBUTES)
		return 1;
	return !c->caps_known && byte <= ATTRIBUTES_MAX && (c->left > 1 || !number_is_space(byte));
}

/* Is this byte, the second one after the command, of a text that began with white space?  No text has 01 there. */
static inline int attributes_absent(const struct conn *c, __u8 byte)
{
	return c->attributes.part == ATTRIBUTES_SETS && byte != 1 && number_is_space(c->attributes.n) &&
	       !(c->caps & CLIENT_QUERY_ATTRIBUTES);
}

static inline __u32 text_byte(struct conn *c, __u8 byte)
{
	if (c->at == 1 && text_has_attributes(c, byte)) {
		c->text_from = TEXT_AFTER_ATTRIBUTES;
		attributes_begin(&c->attributes, byte);
		return 0;
	}
	if (c->at == c->text_from && !text_begins(c, byte)) {
		c->scanner.state = STATEMENT_DONE;
		return 0;
	}
	statement_byte(&c->scanner, byte);
	if (!statement_done(&c->scanner))
		return 0;
	if (statement_is_set(c))
		charset_set_begin(&c->set);
	if (!statement_is_use(c))
		return 0;
	who_begin(&c->who, WHO_USE, 0);
	return who_named(c, byte);
}

/* An old server's client may send one byte. */
static inline void collation_byte(struct conn *c, __u8 byte)
{
	if (--c->collates)
		c->collation = byte;
	c->multibyte = charset_hides_backslash(c->collates ? byte : (__u16)(byte << 8 | c->collation));
}

static inline __u32 body_byte(struct conn *c, __u8 byte)
{
	if (!c->begun)
		return login_byte(c, byte);
	if (!c->at)
		return command_byte(c, byte);
	if (c->who.part)
		return who_named(c, byte);
	if (c->collates) {
		collation_byte(c, byte);
		return 0;
	}
	if (c->set.on) {
		charset_set_byte(&c->set, byte);
		return 0;
	}
	return command_has_id(c->command) ? id_byte(c, byte) : text_byte(c, byte);
}

/* Acts on the verdict of proxy.h after bytes of a PROXY header. */
static inline __u32 proxy_end(struct conn *c, int verdict)
{
	if (verdict == PROXY_MORE)
		return 0;
	conn_packet_fini(c);
	c->logged = 0;
	c->mode = verdict == PROXY_BAD ? CONN_OPAQUE : CONN_LOGIN;
	return verdict == PROXY_ADDRESS ? PARSE_CLIENT : 0;
}

/* Takes one byte, when parse_blind() is 0. */
static inline __u32 parse_byte(struct conn *c, __u8 byte)
{
	__u32 out;

	if (c->mode == CONN_PROXY)
		return proxy_end(c, proxy_byte(&c->proxy, byte));
	if (!c->left) {
		c->head[c->have < 7 ? c->have : 6] = byte;
		c->have++;
		if (c->mode == CONN_COMPRESSED)
			return c->have >= 7 ? compressed_header_end(c) : 0;
		return c->have >= 4 ? header_end(c) : 0;
	}
	out = body_byte(c, byte);
	if (out & PARSE_CANCEL)
		return out;
	c->at++;
	if (!--c->left)
		out |= packet_end(c);
	return out;
}

/* In place of the functions above while text_follows_attributes(): takes one byte, or skips up to `most` bytes unread.
 * Returns bytes taken << 32 | PARSE_*.  None is taken if the byte is of the text. */
static inline __u64 parse_attributes(struct conn *c, __u8 byte, __u32 most)
{
	__u32 blind = attributes_blind(&c->attributes), n = blind ? blind : 1;
	int verdict;

	if (!blind && attributes_absent(c, byte)) {
		c->text_from = c->at;
		if (!text_begins(c, c->attributes.n))
			c->scanner.state = STATEMENT_DONE;
		return 0;
	}
	if (n > most)
		n = most;
	if (n > c->left)
		n = c->left;
	verdict = blind ? attributes_skip(&c->attributes, n) : attributes_byte(&c->attributes, byte);
	c->at = c->at + n < c->at ? ~0u : c->at + n;
	c->left -= n;
	if (verdict == ATTRIBUTES_END) {
		c->text_from = c->at;
	} else if (verdict == ATTRIBUTES_BAD) {
		c->scanner.state = STATEMENT_DONE;
		c->text_from = TEXT_HIDDEN;
		who_moves(&c->who);	/* it may be a `use` */
	}
	return (__u64)n << 32 | (c->left ? 0 : packet_end(c));
}

#define PARSE_AHEAD (1 + STATEMENT_AHEAD)

/* Do the next PARSE_AHEAD bytes begin a command that continues after them? */
static inline int parse_can_ahead(const struct conn *c)
{
	return c->mode == CONN_PLAIN && c->begun && !c->at && c->left > PARSE_AHEAD;
}

static inline __u64 parse_eaten(__u32 n, __u32 out)
{
	return (__u64)n << 32 | out;
}

/* Takes the bytes that say there are no attributes; others, and a text that may be of interest, are then read byte by
 * byte. */
static inline __u32 attributes_ahead(struct conn *c, const __u8 *body)
{
	if (body[0] != 0 || body[1] != 1)
		return 0;
	c->text_from = 1 + NO_ATTRIBUTES;
	if (!text_begins_ahead(c, body + NO_ATTRIBUTES))
		c->scanner.state = STATEMENT_DONE;
	else
		c->at += NO_ATTRIBUTES;
	return 0;
}

/* Takes the first word of a text. */
static inline __u32 text_ahead(struct conn *c, const __u8 *text)
{
	__u32 n;

	if (text_has_attributes(c, *text))
		return attributes_ahead(c, text);
	if (!text_begins(c, *text)) {
		c->scanner.state = STATEMENT_DONE;
		return 0;
	}
	n = statement_ahead(&c->scanner, text);
	c->at += n;
	if (n && statement_is_set(c))
		charset_set_begin(&c->set);
	if (!statement_is_use(c))
		return 0;
	who_begin(&c->who, WHO_USE, 0);
	return who_named(c, text[sizeof("use") - 1]);
}

/* Takes the first bytes of a command, up to PARSE_AHEAD of them, at once: the result is that of parse_byte() for
 * each.  text 0: no byte of a text.  Returns bytes taken << 32 | PARSE_*. */
static inline __u64 parse_ahead(struct conn *c, const __u8 *body, int text)
{
	__u32 out = command_byte(c, body[0]);

	if (out & PARSE_CANCEL)
		return parse_eaten(1, out);
	c->at = 1;
	if (command_has_id(c->command)) {
		c->at = 5;
		c->statement_id = bytes_u24(body + 1) | (__u32)body[4] << 24;
		out = id_end(c);
	} else if (text && command_has_text(c->command)) {
		out = text_ahead(c, body + 1);
	}
	c->left -= c->at;
	return parse_eaten(c->at, out);
}

/* Skips n bytes, 1 .. parse_blind(). */
static inline __u32 parse_skip(struct conn *c, __u32 n)
{
	if (c->mode == CONN_STRANGE || conn_turns(c) || c->mode == CONN_IGNORED)
		return 0;
	if (c->mode == CONN_PROXY)
		return proxy_end(c, proxy_skip(&c->proxy, n));
	if (c->who.part)
		who_skip(&c->who, n);
	c->at = c->at + n < c->at ? ~0u : c->at + n;
	c->left -= n;
	return c->left ? 0 : packet_end(c);
}

#endif
