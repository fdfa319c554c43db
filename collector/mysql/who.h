/* who.h - finds a client's user and default database, from its packets and the server's replies.
 *
 *      who_begin(), who_byte() each, who_end() -> next_* ... the reply -> who_settle() -> user, database
 *
 *      login, from byte 32 on      user 00 | auth | database 00 | ...       the auth: length and bytes, or up to a 00
 *      change_user                 user 00 | auth | database 00 | ...
 *      init_db                     database
 *      query                       use database
 *
 * Settled A command's change holds from the next command on, if its reply says ok.  If we have not seen the reply, the
 *         value is unknown.  It is also unknown after an error in a packet with statements after the `use`: any of them
 *         may have failed.
 * Bound   A part that is longer than WHO_LOOK is unknown, and so are the parts after it.
 * Cut     A packet may come in pieces, cut anywhere: the struct is the whole state.
 * Missed  a `use` after another statement of its packet, or in a text that a statement executes.  It sees a `use` after
 *         a comment or a space only while an instrumentation asks for the database or the statement.  With compression
 *         it reads nothing after the login.  After a query whose attributes cannot be read, which may be a `use`, the
 *         database is unknown.
 */
#ifndef HEATSCOPE_MYSQL_WHO_H
#define HEATSCOPE_MYSQL_WHO_H

#include "collector/server/name.h"

#define WHO_LOOK 512

#define CLIENT_CONNECT_WITH_DB 8u
#define CLIENT_PROTOCOL_41 0x200u
#define CLIENT_SECURE_CONNECTION 0x8000u
#define CLIENT_PLUGIN_AUTH_LENENC (1u << 21)

enum who_part {
	WHO_NOTHING,		/* is read */
	WHO_USER, WHO_AUTH_LEN, WHO_AUTH_LOW, WHO_AUTH_HIGH, WHO_AUTH, WHO_AUTH_TEXT, WHO_DATABASE,
	WHO_INIT_DB, WHO_USE, WHO_USE_WORD, WHO_USE_QUOTED, WHO_USE_QUOTE,
	WHO_USE_BEHIND, WHO_USE_SEMICOLON,
};

struct who {
	__u64 user, database;			/* codes, name.h */
	__u64 next_user, next_database;		/* the new values, if the server agrees */
	struct name name;			/* the name that is being read, or was read last */
	__u32 caps;				/* of the packet that is read */
	__u32 skip;				/* WHO_AUTH: bytes still to come */
	__u16 looked;				/* bytes of this part that were read */
	__u8 part;
	__u8 pending;				/* next_* wait for the reply */
	__u8 quote;				/* WHO_USE_QUOTED: what it opened with */
	__u8 chained;				/* more text follows the `use` and its semicolon */
	__u16 pad;
};

static inline void who_part(struct who *w, __u8 part)
{
	w->part = part;
	w->looked = 0;
	name_begin(&w->name);
}

/* Begins with the bytes that say who the client is, or its database. */
static inline void who_begin(struct who *w, __u8 part, __u32 caps)
{
	w->next_user = w->user;
	w->next_database = w->database;
	w->caps = caps;
	w->skip = 0;
	w->pending = 1;
	w->chained = 0;
	who_part(w, part);
}

static inline void who_stop(struct who *w)
{
	w->part = WHO_NOTHING;
	w->skip = 0;
}

/* Gives up, because the bytes are not as they should be. */
static inline void who_give_up(struct who *w)
{
	if (w->part == WHO_USER)
		w->next_user = NAME_UNKNOWN;
	w->next_database = NAME_UNKNOWN;
	who_stop(w);
}

/* Makes the next database unknown: it changes, and we cannot say to which one. */
static inline void who_moves(struct who *w)
{
	who_begin(w, WHO_NOTHING, 0);
	w->next_database = NAME_UNKNOWN;
}

/* Sets user and database to `code`, whatever the reply is. */
static inline void who_becomes(struct who *w, __u64 code)
{
	w->user = code;
	w->database = code;
	w->pending = 0;
	who_stop(w);
}

/* Before the next command: takes the change over, by the result of the command that made it. */
static inline void who_settle(struct who *w, int ok, int unknown)
{
	if (unknown && w->next_user != w->user)
		w->user = NAME_UNKNOWN;
	if ((unknown || (w->chained && !ok)) && w->next_database != w->database)
		w->database = NAME_UNKNOWN;
	if (ok) {
		w->user = w->next_user;
		w->database = w->next_database;
	}
	w->pending = 0;
	who_stop(w);
}

/* Returns how many of the `left` bytes of this packet may be skipped unread. */
static inline __u32 who_blind(const struct who *w, __u32 left)
{
	if (w->part == WHO_NOTHING)
		return left;
	if (w->part == WHO_AUTH)
		return w->skip < left ? w->skip : left;
	return 0;
}

static inline void who_auth_end(struct who *w)
{
	w->skip = 0;
	w->next_database = NAME_NONE;
	who_part(w, w->caps & CLIENT_CONNECT_WITH_DB ? WHO_DATABASE : WHO_NOTHING);
}

static inline void who_skip(struct who *w, __u32 n)
{
	if (w->part != WHO_AUTH)
		return;
	w->skip -= n < w->skip ? n : w->skip;
	if (!w->skip)
		who_auth_end(w);
}

static inline void who_auth_begin(struct who *w, __u32 len)
{
	w->skip = len;
	w->part = WHO_AUTH;
	if (!len)
		who_auth_end(w);
}

static inline int who_user_end(struct who *w)
{
	__u64 code = name_code(&w->name);

	w->next_user = code;
	w->looked = 0;
	w->part = w->caps & (CLIENT_SECURE_CONNECTION | CLIENT_PLUGIN_AUTH_LENENC) ? WHO_AUTH_LEN : WHO_AUTH_TEXT;
	return code > NAME_ENCRYPTED;
}

static inline int who_database_end(struct who *w)
{
	__u64 code = name_code(&w->name);

	w->next_database = code;
	w->part = WHO_NOTHING;
	return code > NAME_ENCRYPTED;
}

/* Ends the packet.  Returns 1 if a name ends with it, which is in w->name now. */
static inline int who_end(struct who *w)
{
	switch (w->part) {
	case WHO_NOTHING: case WHO_USE: case WHO_USE_QUOTED: case WHO_USE_BEHIND: case WHO_USE_SEMICOLON:
		w->part = WHO_NOTHING;
		return 0;
	case WHO_DATABASE: case WHO_INIT_DB: case WHO_USE_WORD: case WHO_USE_QUOTE:
		return who_database_end(w);
	}
	who_give_up(w);
	return 0;
}

static inline void who_auth_len(struct who *w, __u8 byte)
{
	if (byte < 0xfb || !(w->caps & CLIENT_PLUGIN_AUTH_LENENC))
		who_auth_begin(w, byte);
	else if (byte == 0xfc)
		w->part = WHO_AUTH_LOW;
	else
		who_give_up(w);
}

static inline int who_is_behind(const struct who *w)
{
	return w->part == WHO_USE_BEHIND || w->part == WHO_USE_SEMICOLON;
}

/* Takes a byte after the name. */
static inline void who_behind_byte(struct who *w, __u8 byte)
{
	if (w->part == WHO_USE_SEMICOLON && byte > ' ') {
		w->chained = 1;
		who_stop(w);
	} else if (byte == ';') {
		w->part = WHO_USE_SEMICOLON;
	}
}

static inline int who_use_end(struct who *w, __u8 byte)
{
	int named = who_database_end(w);

	w->part = WHO_USE_BEHIND;
	who_behind_byte(w, byte);
	return named;
}

/* Takes a byte after the word `use`. */
static inline int who_use_byte(struct who *w, __u8 byte)
{
	if (w->part == WHO_USE && byte <= ' ')
		return 0;
	if (w->part == WHO_USE && (byte == '/' || byte == '-' || byte == '#')) {
		who_give_up(w);		/* a comment */
		return 0;
	}
	if (w->part == WHO_USE && (byte == '`' || byte == '"')) {
		w->part = WHO_USE_QUOTED;
		w->quote = byte;
		return 0;
	}
	if (w->part == WHO_USE_QUOTED && byte == w->quote) {
		w->part = WHO_USE_QUOTE;
		return 0;
	}
	if (w->part == WHO_USE_QUOTE ? byte != w->quote :
	    w->part == WHO_USE_WORD && (byte <= ' ' || byte == ';' || byte == '/' || byte == '#'))
		return who_use_end(w, byte);
	w->part = w->part == WHO_USE || w->part == WHO_USE_WORD ? WHO_USE_WORD : WHO_USE_QUOTED;
	name_byte(&w->name, byte);
	return 0;
}

/* Takes one byte, when who_blind() is 0.  Returns 1 if a name ends with it, which is in w->name until the next one
 * begins. */
static inline int who_byte(struct who *w, __u8 byte)
{
	if (w->looked++ >= WHO_LOOK) {
		w->chained = 1;
		if (who_is_behind(w))
			who_stop(w);
		else
			who_give_up(w);
		return 0;
	}
	switch (w->part) {
	case WHO_NOTHING: return 0;
	case WHO_USER:
		if (!byte)
			return who_user_end(w);
		break;
	case WHO_AUTH_LEN: who_auth_len(w, byte); return 0;
	case WHO_AUTH_LOW:
		w->skip = byte;
		w->part = WHO_AUTH_HIGH;
		return 0;
	case WHO_AUTH_HIGH: who_auth_begin(w, w->skip | byte << 8); return 0;
	case WHO_AUTH: case WHO_AUTH_TEXT:
		if (!byte)
			who_auth_end(w);
		return 0;
	case WHO_DATABASE:
		if (!byte)
			return who_database_end(w);
		break;
	case WHO_INIT_DB:
		break;
	case WHO_USE_BEHIND: case WHO_USE_SEMICOLON:
		who_behind_byte(w, byte);
		return 0;
	default: return who_use_byte(w, byte);
	}
	name_byte(&w->name, byte);
	return 0;
}

#endif
