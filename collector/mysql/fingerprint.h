/* fingerprint.h - makes one cheap hash of a MySQL statement's bytes that does not depend on its numbers.
 *
 *      fingerprint_begin(), fingerprint_byte() each, fingerprint_end() -> the fingerprint; 0: this text has none
 *
 *      "... where id = 5 limit 10"  ->  ... where id = # limit #
 *
 * Use     The kernel makes the fingerprint of a statement first.  If it knows the fingerprint, it knows the digest, and
 *         need not read the tokens.
 * Law     Texts with one fingerprint have one digest (digest.h) and one table, as long as both are asked for in the
 *         same way (the seed).  The reverse does not hold: other quoted texts, spaces or lengths of lists give another
 *         fingerprint.
 * Numbers Digits are a number only between edges, bytes that separate tokens in SQL. Those of t1, 0x1f, 1.5, 2e7 or @1
 *         stay.  Digits in texts and comments change no digest.  Digits in a quoted name do, so a text with a backquote
 *         has no fingerprint.  The same holds for double quotes that quote names (ANSI_QUOTES).
 * Hash    FNV-1a as in key.h; the symbol of a number is no byte.  Two texts whose hashes collide would be one
 *         statement.  The kernel's seed has a salt, so that an attacker cannot make such texts.
 * Both    pure; fuzzed by fuzz_mysql_digest.
 */
#ifndef HEATSCOPE_MYSQL_FINGERPRINT_H
#define HEATSCOPE_MYSQL_FINGERPRINT_H

#include "collector/core/key.h"

#define FINGERPRINT_NUMBER 256
#define FINGERPRINT_BIT(byte) (1ull << (byte))
#define FINGERPRINT_EDGES                                                                               \
	(FINGERPRINT_BIT(' ') | FINGERPRINT_BIT('\t') | FINGERPRINT_BIT('\n') | FINGERPRINT_BIT('\r') | \
	 FINGERPRINT_BIT('(') | FINGERPRINT_BIT(')') | FINGERPRINT_BIT(',') | FINGERPRINT_BIT(';') |    \
	 FINGERPRINT_BIT('=') | FINGERPRINT_BIT('<') | FINGERPRINT_BIT('>') | FINGERPRINT_BIT('+') |    \
	 FINGERPRINT_BIT('-') | FINGERPRINT_BIT('*') | FINGERPRINT_BIT('%'))

struct fingerprint {
	__u64 hash;
	__u64 before;		/* the hash before the digits that are being read */
	__u8 edge;		/* the last byte was an edge, or this is the begin */
	__u8 digits;		/* the digits after an edge are being read */
	__u8 refused;
	__u8 quote;		/* the byte that quotes names in addition to the backquote, or the backquote */
};

static inline __u64 fingerprint_mix(__u64 hash, __u64 symbol)
{
	return (hash ^ symbol) * 0x100000001b3ull;
}

/* Begins a fingerprint.  seed: all else that the digest depends on, and a salt.  ansi: double quotes are for names. */
static inline void fingerprint_begin(struct fingerprint *s, __u64 seed, int ansi)
{
	s->hash = fingerprint_mix(HASH_SEED, seed);
	s->quote = ansi ? '"' : '`';
	s->before = 0;
	s->edge = 1;
	s->digits = 0;
	s->refused = 0;
}

static inline void fingerprint_byte(struct fingerprint *s, __u8 byte)
{
	if ((__u8)(byte - '0') < 10) {
		if (s->edge) {
			s->before = s->hash;
			s->digits = 1;
		}
		s->edge = 0;
	} else {
		s->edge = byte < 64 && (FINGERPRINT_EDGES >> (byte & 63) & 1);
		if (s->digits && s->edge)
			s->hash = fingerprint_mix(s->before, FINGERPRINT_NUMBER);
		s->digits = 0;
		s->refused |= byte == '`' || byte == s->quote;
	}
	s->hash = fingerprint_mix(s->hash, byte);
}

static inline __u64 fingerprint_end(const struct fingerprint *s)
{
	__u64 hash = s->digits ? fingerprint_mix(s->before, FINGERPRINT_NUMBER) : s->hash;

	return s->refused ? 0 : hash;
}

/* Returns one of 1 << bits places.  The last bytes of a text hardly change the highest bits of its hash, so the hash is
 * mixed once more. */
static inline __u32 fingerprint_place(__u64 fingerprint, __u32 bits)
{
	return (fingerprint ^ fingerprint >> 32) * 0x9e3779b97f4a7c15ull >> (64 - bits);
}

#endif
