#include "collector/core/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void bytes_fini(struct bytes *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

void bytes_clear(struct bytes *b)
{
	b->len = 0;
	b->err = 0;
}

static int bytes_reserve(struct bytes *b, size_t more)
{
	size_t room = b->room ? b->room : 256;
	__u8 *data;

	if (b->err)
		return b->err;
	if (b->most && more > b->most - b->len)
		return b->err = -EFBIG;
	while (room - b->len < more) {
		if (room > (size_t)-1 / 4)
			return b->err = -ENOMEM;
		room *= 2;
	}
	if (room != b->room) {
		data = realloc(b->data, room);
		if (!data)
			return b->err = -ENOMEM;
		b->data = data;
		b->room = room;
	}
	return 0;
}

void bytes_put(struct bytes *b, const void *data, size_t len)
{
	if (!len || bytes_reserve(b, len))
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

void bytes_put_int(struct bytes *b, __u64 value, unsigned size)
{
	__u8 raw[8];

	for (unsigned i = 0; i < size; i++)
		raw[i] = (__u8)(value >> (8 * i));
	bytes_put(b, raw, size);
}

void bytes_put_varint(struct bytes *b, __u64 value)
{
	__u8 raw[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		raw[n++] = (__u8)(value | 0x80);
	raw[n++] = (__u8)value;
	bytes_put(b, raw, n);
}

void bytes_put_text(struct bytes *b, const char *text)
{
	size_t len = strnlen(text, 255);

	bytes_put_int(b, len, 1);
	bytes_put(b, text, len);
}

const __u8 *cursor_get(struct cursor *c, size_t len)
{
	const __u8 *at = c->data + c->at;

	if (c->err || len > c->len - c->at) {
		c->err = -EBADMSG;
		return NULL;
	}
	c->at += len;
	return at;
}

__u64 cursor_get_int(struct cursor *c, unsigned size)
{
	const __u8 *raw = cursor_get(c, size);
	__u64 value = 0;

	for (unsigned i = 0; raw && i < size; i++)
		value |= (__u64)raw[i] << (8 * i);
	return value;
}

__u64 cursor_get_varint(struct cursor *c)
{
	__u64 value = 0;

	for (unsigned shift = 0; shift < 70 && !c->err && c->at < c->len; shift += 7) {
		__u8 byte = c->data[c->at++];

		if (shift == 63 && byte > 1)	/* more than 64 bits */
			break;
		value |= (__u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->err = -EBADMSG;
	return 0;
}

void cursor_get_text(struct cursor *c, char *out, size_t room)
{
	size_t len = cursor_get_int(c, 1);
	const __u8 *text = cursor_get(c, len);

	out[0] = 0;
	if (!text)
		return;
	if (len >= room || memchr(text, 0, len)) {
		c->err = -EBADMSG;
		return;
	}
	memcpy(out, text, len);
	out[len] = 0;
}
