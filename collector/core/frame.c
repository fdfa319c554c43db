#include "collector/core/frame.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

static const __u8 magic[4] = { 'H', 'S', 'C', '1' };

static __u32 frame_crc(const __u8 *head, const void *data, size_t len)
{
	uLong crc = crc32(crc32(0, NULL, 0), head + 4, 8);

	return (__u32)(len ? crc32(crc, data, (uInt)len) : crc);
}

void frame_put(struct bytes *out, enum frame_type type, const void *data, size_t len)
{
	size_t start = out->len;

	if (len > FRAME_MAX) {
		out->err = -EMSGSIZE;
		return;
	}
	bytes_put(out, magic, sizeof(magic));
	bytes_put_int(out, FRAME_VERSION, 1);
	bytes_put_int(out, type, 1);
	bytes_put_int(out, 0, 2);
	bytes_put_int(out, len, 4);
	if (!out->err)
		bytes_put_int(out, frame_crc(out->data + start, data, len), 4);
	bytes_put(out, data, len);
}

/* Refuses garbage as early as the bytes allow, so that no one waits for the rest of it. */
long frame_get(const __u8 *data, size_t len, struct frame *ret_frame)
{
	struct cursor head = { .data = data, .len = len, .at = 4 };
	__u32 version, type, size, crc;

	if (memcmp(data, magic, len < 4 ? len : 4))
		return -EBADMSG;
	if (len < FRAME_HEAD)
		return 0;
	version = cursor_get_int(&head, 1);
	type = cursor_get_int(&head, 1);
	cursor_get_int(&head, 2);
	size = cursor_get_int(&head, 4);
	crc = cursor_get_int(&head, 4);
	if (version != FRAME_VERSION)
		return -EPROTO;
	if (size > FRAME_MAX)
		return -EBADMSG;
	if (len - FRAME_HEAD < size)
		return 0;
	if (crc != frame_crc(data, data + FRAME_HEAD, size))
		return -EBADMSG;
	*ret_frame = (struct frame){ .type = type, .data = data + FRAME_HEAD, .len = size };
	return FRAME_HEAD + (long)size;
}

#define TRIES 1000			/* a payload may contain any bytes: hostile ones could take hours */

long frame_get_last(const __u8 *data, size_t len, struct frame *ret_frame)
{
	long n = frame_get(data, len, ret_frame);
	const __u8 *at = data, *end = data + len;
	struct frame other;

	for (int i = 0; !n && i < TRIES && (at = memmem(at + 1, (size_t)(end - at) - 1, magic, 4)); i++)
		if (frame_get(at, (size_t)(end - at), &other) > 0)
			return -EBADMSG;
	return n;
}

const char *frame_error(int err)
{
	switch (err) {
	case -EPROTO:
		return "written by another version of the format";
	case -EBADMSG:
		return "damaged: not a frame, too long, or its CRC does not match";
	case -EMSGSIZE:
		return "too long for one frame";
	default:
		return strerror(-err);
	}
}
