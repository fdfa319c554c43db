/* bytes.h - writes bytes to a growing buffer, and reads untrusted bytes with a cursor.
 *
 * Shape   integers are little-endian; a varint is LEB128, unsigned, at most 10 bytes.
 * Limit   a buffer begins as { 0 }, or as { .most = n }.  With `most` it fails with -EFBIG before it holds more than n
 *         bytes.
 * Errors  both remember the first failure (no memory; too long; read past the end; overlong varint).  After a failure
 *         puts do nothing and gets return 0.  Check `err` once, at the end.
 * Memory  bytes_fini() frees the buffer's memory.  A cursor borrows its bytes.
 */
#ifndef HEATSCOPE_BYTES_H
#define HEATSCOPE_BYTES_H

#include <linux/types.h>
#include <stddef.h>

struct bytes {
	__u8 *data;
	size_t len, room;
	size_t most;			/* 0: no limit */
	int err;
};

void bytes_fini(struct bytes *b);
void bytes_clear(struct bytes *b);		/* length 0, no error; keeps the memory */
void bytes_put(struct bytes *b, const void *data, size_t len);
void bytes_put_int(struct bytes *b, __u64 value, unsigned size);	/* size 1, 2, 4 or 8 */
void bytes_put_varint(struct bytes *b, __u64 value);
void bytes_put_text(struct bytes *b, const char *text);		/* u8 length (255 at most) + text */

struct cursor {
	const __u8 *data;
	size_t len, at;
	int err;				/* 0 or -EBADMSG */
};

const __u8 *cursor_get(struct cursor *c, size_t len);	/* NULL: past the end */
__u64 cursor_get_int(struct cursor *c, unsigned size);
__u64 cursor_get_varint(struct cursor *c);
/* Reads a text with a u8 length into out[room], NUL-terminated; -EBADMSG if it does not fit or contains a NUL. */
void cursor_get_text(struct cursor *c, char *out, size_t room);

#endif
