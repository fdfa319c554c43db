/* postgresql_messages.h - builds the messages of a client and a server in PostgreSQL's protocol, version 3, and gives
 * them to the parser.  For test_parse and test_reply of postgresql/.
 */
#ifndef HEATSCOPE_POSTGRESQL_MESSAGES_H
#define HEATSCOPE_POSTGRESQL_MESSAGES_H

#include "test/kit/postgresql_driver.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a conversation under way. */
struct bytes {
	__u8 at[16384];
	__u32 n;
};

static inline void put_bytes(struct bytes *b, const void *data, __u32 n)
{
	memcpy(b->at + b->n, data, n);
	b->n += n;
}

static inline void put_u32(struct bytes *b, __u32 n)
{
	__u8 be[4] = { n >> 24, n >> 16, n >> 8, n };

	put_bytes(b, be, 4);
}

static inline void put_message(struct bytes *b, char type, const void *body, __u32 n)
{
	put_bytes(b, &type, 1);
	put_u32(b, n + 4);
	put_bytes(b, body, n);
}

#define MESSAGE(b, type, body) put_message(b, type, body, sizeof(body) - 1)

static inline void put_parse(struct bytes *b, const char *name, const char *text)
{
	__u8 body[256];
	int n = snprintf((char *)body, sizeof(body), "%s%c%s", name, 0, text) + 1;

	body[n++] = 0;
	body[n++] = 0;
	put_message(b, 'P', body, n);
}

static inline void put_bind(struct bytes *b, const char *portal, const char *name)
{
	__u8 body[64];
	int n = snprintf((char *)body, sizeof(body), "%s%c%s", portal, 0, name) + 1;

	memset(body + n, 0, 6);
	put_message(b, 'B', body, n + 6);
}

static inline void put_execute(struct bytes *b, const char *portal)
{
	__u8 body[64];
	int n = snprintf((char *)body, sizeof(body), "%s", portal) + 1;

	memset(body + n, 0, 4);
	put_message(b, 'E', body, n + 4);
}

static inline void put_sync(struct bytes *b) { put_message(b, 'S', "", 0); }
static inline void put_complete(struct bytes *b) { MESSAGE(b, 'C', "SELECT 1\0"); }
static inline void put_ready(struct bytes *b) { MESSAGE(b, 'Z', "I"); }
static inline void put_row(struct bytes *b) { MESSAGE(b, 'D', "\0\1\0\0\0\1C"); }

/* Puts a simple query, and its answer. */
static inline void put_simple(struct bytes *asked, struct bytes *answered)
{
	MESSAGE(asked, 'Q', "SELECT 5\0");
	put_complete(answered);
	put_ready(answered);
}

static inline void put_error(struct bytes *b, const char *state)
{
	__u8 body[64];
	int n = snprintf((char *)body, sizeof(body), "SFEHLER%cVERROR%cC%s%cMno", 0, 0, state, 0) + 1;

	body[n++] = 0;
	put_message(b, 'E', body, n);
}

static inline void put_startup(struct bytes *b, const char *params, __u32 n)
{
	put_u32(b, n + 8);
	put_u32(b, 3 << 16);
	put_bytes(b, params, n);
}

#define STARTUP(b, params) put_startup(b, params, sizeof(params))

/* Lets the server receive `asked` and send `answered`. */
static inline void exchange(struct drive *d, const struct bytes *asked, const struct bytes *answered)
{
	drive_receive(d, asked->at, asked->n, ~0u);
	drive_send(d, answered->at, answered->n, ~0u);
}

/* The same in two sends, `cut` bytes in the first. */
static inline void exchange_cut(struct drive *d, const struct bytes *asked, const struct bytes *answered, __u32 cut)
{
	drive_receive(d, asked->at, asked->n, ~0u);
	drive_send(d, answered->at, cut, ~0u);
	drive_send(d, answered->at + cut, answered->n - cut, ~0u);
}

#endif
