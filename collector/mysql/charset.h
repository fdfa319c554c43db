/* charset.h - finds in a SET statement the character sets in which a backslash may be the second byte of a character; pure.
 *
 *      set names gbk      set character set 'gbk'      set autocommit = 1, @@session.character_set_client = gbk
 *
 *      charset_set_begin() after the word `set`, charset_set_byte() each -> hides
 *
 * Why     If x and the backslash are one character, 'x\' ends there.  Read otherwise, literals would be taken for words.
 * Careful The name of such a set anywhere in the statement counts, and whatever the server answers.  Only a login ends it.
 */
#ifndef HEATSCOPE_MYSQL_CHARSET_H
#define HEATSCOPE_MYSQL_CHARSET_H

#include "collector/mysql/statement.h"

#define CHARSET_LOOK 512		/* bytes of a statement that are read */

struct charset_set {
	__u64 word;			/* first 8 letters of this word */
	__u16 looked;			/* bytes so far */
	__u8 n;				/* letters of the word */
	__u8 on;			/* it is being read */
	__u8 hides;			/* it names a set of charset_hides_backslash() */
	__u8 ended, chained;		/* a semicolon came; and more text after it */
	__u8 pad;
};

/* May a backslash be the second byte of a character?  So in big5, sjis, gbk, cp932 and gb18030 (mysys/charset-def.c).
 * n: number of a collation, as a login names it; MariaDB's of 1024 and more are those without padding of n - 1024. */
static inline int charset_hides_backslash(__u16 n)
{
	n = n >> 8 == 4 ? n & 255 : n;
	return n == 1 || n == 13 || n == 28 || n == 84 || n == 87 || n == 88 || n == 95 || n == 96 ||
	       (n >= 248 && n <= 250);
}

static inline int charset_word_hides(__u64 word, __u8 n)
{
	return (n == 3 && word == STATEMENT_CODE("gbk")) || (n == 4 && word == STATEMENT_CODE("big5")) ||
	       (n == 4 && word == STATEMENT_CODE("sjis")) || (n == 5 && word == STATEMENT_CODE("cp932")) ||
	       (n == 7 && word == STATEMENT_CODE("gb18030"));
}

static inline void charset_set_none(struct charset_set *s)
{
	__builtin_memset(s, 0, sizeof(*s));
}

static inline void charset_set_begin(struct charset_set *s)
{
	charset_set_none(s);
	s->on = 1;
}

static inline void charset_word_end(struct charset_set *s)
{
	s->hides |= charset_word_hides(s->word, s->n);
	s->word = 0;
	s->n = 0;
}

static inline void charset_set_byte(struct charset_set *s, __u8 byte)
{
	__u8 lower = statement_lower(byte);

	if (s->looked++ >= CHARSET_LOOK) {
		s->on = 0;
		s->chained = 1;		/* maybe */
		return;
	}
	s->chained |= s->ended && byte > ' ';
	s->ended |= byte == ';';
	if (!statement_letter(lower) && !(byte >= '0' && byte <= '9')) {
		charset_word_end(s);
		return;
	}
	if (s->n < 8)
		s->word |= (__u64)lower << (8 * s->n);
	s->n += s->n < 255;
}

/* Ends the statement. */
static inline void charset_set_end(struct charset_set *s)
{
	charset_word_end(s);
	s->on = 0;
}

#endif
