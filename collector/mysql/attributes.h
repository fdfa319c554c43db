/* attributes.h - finds where the text of a query begins after its attributes (MySQL 8); pure, for kernel and tests.
 *
 *      attributes_begin(): their number -> attributes_byte() each, attributes_skip() -> ATTRIBUTES_END: text begins
 *
 *      +---+----+-- if there are any --------------------------------------------------------+------
 *      | n | 01 | nulls, n bits | 01 | (type, sign, name) n times | value of those not null | text
 *      +---+----+-----------------------------------------------------------------------------+------
 *
 * Names and values of texts have a length before them; it is a byte, or 2, 3 or 8 bytes after the byte FC, FD or FE.
 * Bound   At most ATTRIBUTES_MAX of them; with more, or other bytes, the text is not found.  Names and values are
 *         skipped unread.
 * Cut     All state is in the struct, so a packet may be cut anywhere.
 */
#ifndef HEATSCOPE_MYSQL_ATTRIBUTES_H
#define HEATSCOPE_MYSQL_ATTRIBUTES_H

#include <linux/types.h>

#define ATTRIBUTES_MAX 32

enum attributes_part {
	ATTRIBUTES_SETS, ATTRIBUTES_NULLS, ATTRIBUTES_BOUND, ATTRIBUTES_TYPE, ATTRIBUTES_SIGN, ATTRIBUTES_NAME,
	ATTRIBUTES_VALUE,
};

enum attributes_verdict { ATTRIBUTES_MORE, ATTRIBUTES_END, ATTRIBUTES_BAD };

struct attributes {
	__u32 skip;		/* of a name or value: bytes still to come, or the length so far */
	__u8 part;
	__u8 n, i;		/* how many there are; the one whose type and name are read */
	__u8 n_values, value;	/* of those that are not null; the one that is read */
	__u8 more, shift;	/* bytes of a length still to come, and their place in it */
	__u8 pad;
	__u8 null[ATTRIBUTES_MAX / 8];
	__u8 type[ATTRIBUTES_MAX];	/* of the values */
};

static inline void attributes_begin(struct attributes *a, __u8 n)
{
	a->part = ATTRIBUTES_SETS;
	a->n = n;
	a->i = 0;
	a->skip = 0;
	a->more = 0;
	a->n_values = 0;
	a->value = 0;
}

/* Returns how many bytes a value of this type has; 0: its length comes before it. */
static inline __u32 attribute_size(__u8 type)
{
	switch (type) {
	case 1: case 244: return 1;		/* TINY, BOOL */
	case 2: case 13: return 2;		/* SHORT, YEAR */
	case 3: case 4: case 9: return 4;	/* LONG, FLOAT, INT24 */
	case 5: case 8: return 8;		/* DOUBLE, LONGLONG */
	}
	return 0;
}

#define ATTRIBUTE_NULL 6		/* a type without a value */

static inline int attributes_value(struct attributes *a)
{
	if (a->value >= a->n_values)
		return ATTRIBUTES_END;
	a->part = ATTRIBUTES_VALUE;
	a->skip = attribute_size(a->type[a->value & (ATTRIBUTES_MAX - 1)]);
	return ATTRIBUTES_MORE;
}

/* Ends a name or a value, after its last byte. */
static inline int attributes_body_end(struct attributes *a)
{
	if (a->part == ATTRIBUTES_VALUE) {
		a->value++;
		return attributes_value(a);
	}
	if (a->i >= a->n)
		return attributes_value(a);
	a->part = ATTRIBUTES_TYPE;
	return ATTRIBUTES_MORE;
}

static inline int attributes_length(struct attributes *a, __u8 byte)
{
	if (a->more) {
		if (a->shift < 32)
			a->skip |= (__u32)byte << (a->shift & 31);
		else if (byte)
			return ATTRIBUTES_BAD;
		a->shift += 8;
		if (--a->more)
			return ATTRIBUTES_MORE;
	} else if (byte == 0xfb || byte == 0xff) {
		return ATTRIBUTES_BAD;
	} else if (byte > 0xfb) {
		a->more = byte == 0xfc ? 2 : byte == 0xfd ? 3 : 8;
		a->shift = 0;
		return ATTRIBUTES_MORE;
	} else {
		a->skip = byte;
	}
	return a->skip ? ATTRIBUTES_MORE : attributes_body_end(a);
}

/* Takes the type of the next attribute, and whether it has a value. */
static inline int attributes_type(struct attributes *a, __u8 byte)
{
	int null = a->null[a->i / 8 & (ATTRIBUTES_MAX / 8 - 1)] >> (a->i & 7) & 1;

	if (!null && byte != ATTRIBUTE_NULL)
		a->type[a->n_values++ & (ATTRIBUTES_MAX - 1)] = byte;
	a->i++;
	a->part = ATTRIBUTES_SIGN;
	return ATTRIBUTES_MORE;
}

/* Returns how many bytes may be skipped unread; 0: the next one is needed. */
static inline __u32 attributes_blind(const struct attributes *a)
{
	return a->part >= ATTRIBUTES_NAME && !a->more ? a->skip : 0;
}

/* Skips n bytes, 1 .. attributes_blind(). */
static inline int attributes_skip(struct attributes *a, __u32 n)
{
	a->skip -= n < a->skip ? n : a->skip;
	return a->skip ? ATTRIBUTES_MORE : attributes_body_end(a);
}

/* Takes one byte, when attributes_blind() is 0. */
static inline int attributes_byte(struct attributes *a, __u8 byte)
{
	switch (a->part) {
	case ATTRIBUTES_SETS:
		a->part = ATTRIBUTES_NULLS;
		if (byte != 1 || a->n > ATTRIBUTES_MAX)
			return ATTRIBUTES_BAD;
		return a->n ? ATTRIBUTES_MORE : ATTRIBUTES_END;
	case ATTRIBUTES_NULLS:
		a->null[a->i & (ATTRIBUTES_MAX / 8 - 1)] = byte;
		if (++a->i * 8 >= a->n) {
			a->i = 0;
			a->part = ATTRIBUTES_BOUND;
		}
		return ATTRIBUTES_MORE;
	case ATTRIBUTES_BOUND:
		a->part = ATTRIBUTES_TYPE;
		return byte == 1 ? ATTRIBUTES_MORE : ATTRIBUTES_BAD;
	case ATTRIBUTES_TYPE:
		return attributes_type(a, byte);
	case ATTRIBUTES_SIGN:
		a->part = ATTRIBUTES_NAME;
		return ATTRIBUTES_MORE;
	}
	return attributes_length(a, byte);
}

#endif
