/* mysqlx.h - recognizes MySQL's X protocol, so that none of its messages is taken for a command; pure, for kernel and
 * tests.
 *
 *      +---+---+---+---+------+---------
 *      |    length     | type | protobuf      length: of type and protobuf
 *      +---+---+---+---+------+---------
 *
 * Hello   The first bytes of a server, since MySQL 8.0: an empty notice of type 5 (server hello).
 * Alike   A message of a client has the form of a command with sequence number 0, and its type is the byte of a
 *         command.  The reply distinguishes them: there the fourth byte is the highest one of a length, so it is 0,
 *         where a server of the other protocol sends 1.
 * Trust   Bytes are the peers'.  Noise of 100 bytes passes for a reply once in 10^11 sends, of 16 kB once in 10^9.
 */
#ifndef HEATSCOPE_MYSQL_MYSQLX_H
#define HEATSCOPE_MYSQL_MYSQLX_H

#include <linux/types.h>

#define MYSQLX_HELLO 9			/* bytes of it */

enum mysqlx_type {			/* of a server's message that can be the first of a reply */
	MYSQLX_OK = 0, MYSQLX_ERROR = 1, MYSQLX_CAPABILITIES = 2, MYSQLX_AUTH_CONTINUE = 3, MYSQLX_AUTH_OK = 4,
	MYSQLX_NOTICE = 11, MYSQLX_COLUMN = 12, MYSQLX_ROW = 13, MYSQLX_FETCH_DONE = 14, MYSQLX_EXECUTED = 17,
	MYSQLX_COMPRESSED = 19,
};

/* Are these n bytes, a whole send, a server's hello? */
static inline int mysqlx_hello(const __u8 *b, __u32 n)
{
	return n == MYSQLX_HELLO && b[0] == 5 && !b[1] && !b[2] && !b[3] && b[4] == MYSQLX_NOTICE && b[5] == 8 &&
	       b[6] == 5 && b[7] == 0x1a && !b[8];
}

static inline int mysqlx_answer(__u8 type)
{
	const __u32 types = 1u << MYSQLX_OK | 1u << MYSQLX_ERROR | 1u << MYSQLX_CAPABILITIES |
			    1u << MYSQLX_AUTH_CONTINUE | 1u << MYSQLX_AUTH_OK | 1u << MYSQLX_NOTICE |
			    1u << MYSQLX_COLUMN | 1u << MYSQLX_ROW | 1u << MYSQLX_FETCH_DONE | 1u << MYSQLX_EXECUTED |
			    1u << MYSQLX_COMPRESSED;

	return type < 32 && (1u << type & types);
}

/* Does a send of `total` bytes, of which 6 may be read, begin with a server's message?  All but an OK, the end of rows
 * and the end of a statement begin with the tag of protobuf field 1. */
static inline int mysqlx_replies(const __u8 *b, __u32 total)
{
	__u32 len = b[0] | b[1] << 8 | (__u32)b[2] << 16;

	if (total < 5 || b[3] || !len || len + 4 > total || !mysqlx_answer(b[4]))
		return 0;
	if (len == 1)
		return b[4] == MYSQLX_OK || b[4] == MYSQLX_FETCH_DONE || b[4] == MYSQLX_EXECUTED;
	return b[5] == 0x08 || b[5] == 0x0a;
}

#endif
