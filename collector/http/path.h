/* path.h - reduces the path of a request to a pattern that does not depend on numbers and ids; pure, for kernel and
 * host.
 *
 *      /users/42/orders/550e8400-e29b-41d4-a716-446655440000.json  ->  /users/?/orders/?.json
 *
 *      path_begin() -> path_byte() each -> path_code()
 *
 * Part     Letters, digits and % in a row.
 * Pattern  A part becomes `?` if it is a number; 8 or more hexadecimal digits, one of them decimal; 16 or more
 *          hexadecimal digits; or 20 or more characters with 4 digits among them.  Numbers and groups of 4 or more
 *          hexadecimal digits that follow after `-` belong to the same `?`: a UUID, a date.
 * Query    The caller gives only the bytes before a `?` of the target.  So a pattern, read again as a path, stays the
 *          same: a predicate can name a label.
 * Text     `tokens` keeps the first bytes of the pattern for the label (digest_sample.h), after one space.
 */
#ifndef HEATSCOPE_HTTP_PATH_H
#define HEATSCOPE_HTTP_PATH_H

#include "collector/core/key.h"
#include "collector/server/digest_sample.h"

enum { PATH_NONE = 0, PATH_UNKNOWN = 1 };	/* as DIGEST_NONE and DIGEST_UNKNOWN */

#define PATH_LOOK 1024			/* bytes of a path that are read */

enum path_kind { PATH_WORD, PATH_NUMBER, PATH_HEX, PATH_ID };

struct path_pattern {
	__u64 hash;			/* of the pattern so far */
	__u64 part_hash, mark_hash;	/* the hash before this part, and after the last `?` */
	__u32 part_len, mark_len;	/* length of the pattern at these places */
	__u32 n_read;			/* bytes */
	__u8 n, n_digits;		/* characters of this part, and decimal digits among them; both saturate */
	__u8 other;			/* this part has characters that are no hexadecimal digit */
	__u8 joined;			/* enum path_kind of the `?` before: only `-` have come since; PATH_WORD:
					 * none */
	struct digest_sample tokens;
};

static __always_inline void path_put(struct path_pattern *p, __u8 byte)
{
	/* No branch for `over`: the verifier would follow both. */
	__u64 len = p->tokens.len, over = (DIGEST_SAMPLE_MAX - 1 - len) >> 63;

	p->hash = hash_byte(p->hash, byte);
	p->tokens.text[(len | -over) & (DIGEST_SAMPLE_MAX - 1)] = (char)byte;
	p->tokens.len = len + 1;
}

static __always_inline void path_begin(struct path_pattern *p)
{
	p->hash = p->part_hash = p->mark_hash = HASH_SEED;
	p->part_len = p->mark_len = 0;
	p->n_read = 0;
	p->n = p->n_digits = p->other = p->joined = 0;
	p->tokens.len = 0;
	p->tokens.cut = 0;
	path_put(p, ' ');
}

static __always_inline enum path_kind path_kind(const struct path_pattern *p)
{
	if (p->n_digits == p->n)
		return PATH_NUMBER;
	if (!p->other && (p->n >= 16 || (p->n >= 8 && p->n_digits)))
		return PATH_HEX;
	return p->n >= 20 && p->n_digits >= 4 ? PATH_ID : PATH_WORD;
}

/* Goes back to an earlier end of the pattern. */
static __always_inline void path_undo(struct path_pattern *p, __u64 hash, __u32 len)
{
	p->hash = hash;
	p->tokens.len = len;
}

static __always_inline void path_part_end(struct path_pattern *p)
{
	enum path_kind kind = path_kind(p);
	int continues = p->joined == PATH_HEX && !p->other && p->n >= 4;

	if (!p->n)
		return;
	if (p->joined && (kind != PATH_WORD || continues)) {
		path_undo(p, p->mark_hash, p->mark_len);
	} else if (kind != PATH_WORD) {
		path_undo(p, p->part_hash, p->part_len);
		path_put(p, '?');
		p->mark_hash = p->hash;
		p->mark_len = p->tokens.len;
		p->joined = kind;
	} else {
		p->joined = PATH_WORD;
	}
	p->n = p->n_digits = p->other = 0;
}

static __always_inline int path_is_digit(__u8 byte)
{
	return byte >= '0' && byte <= '9';
}

static __always_inline void path_part_byte(struct path_pattern *p, __u8 byte)
{
	__u8 lower = byte | 0x20;

	if (!p->n) {
		p->part_hash = p->hash;
		p->part_len = p->tokens.len;
	}
	path_put(p, byte);
	p->n += p->n < 255;
	if (path_is_digit(byte))
		p->n_digits += p->n_digits < 255;
	else
		p->other |= lower < 'a' || lower > 'f';
}

static __always_inline void path_byte(struct path_pattern *p, __u8 byte)
{
	__u8 lower = byte | 0x20;

	if (p->n_read >= PATH_LOOK) {
		p->tokens.cut = 1;
		return;
	}
	p->n_read++;
	if (path_is_digit(byte) || (lower >= 'a' && lower <= 'z') || byte == '%') {
		path_part_byte(p, byte);
		return;
	}
	path_part_end(p);
	if (byte != '-')
		p->joined = PATH_WORD;
	path_put(p, byte);
}

/* Ends the path and returns its code. */
static __always_inline __u64 path_code(struct path_pattern *p)
{
	path_part_end(p);
	if (p->tokens.cut)
		p->hash = hash_byte(p->hash, ' ');	/* no path has this byte */
	return p->hash > PATH_UNKNOWN ? p->hash : PATH_UNKNOWN + 1;
}

#endif
