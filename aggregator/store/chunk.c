#include "aggregator/store/chunk.h"

#include "collector/core/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LEVEL 3

__s64 chunk_first(__s64 slot)
{
	__s64 offset = slot % CHUNK_SLOTS;

	return slot - (offset < 0 ? offset + CHUNK_SLOTS : offset);
}

void chunk_fini(struct chunk *c)
{
	ZSTD_freeCCtx(c->packer);
	ZSTD_freeDCtx(c->unpacker);
	bytes_fini(&c->raw);
	bytes_fini(&c->packed);
	memset(c, 0, sizeof(*c));
}

/* Makes room for exactly len bytes that zstd will write. */
static int make_room(struct bytes *b, size_t len)
{
	__u8 *data;

	bytes_clear(b);
	if (b->room >= len)
		return 0;
	data = realloc(b->data, len);
	if (!data)
		return -ENOMEM;
	b->data = data;
	b->room = len;
	return 0;
}

/* --- writing --- */

void chunk_begin(struct chunk *c, const struct chunk_name *name)
{
	bytes_clear(&c->raw);
	bytes_put_int(&c->raw, name->inst, 8);
	bytes_put_int(&c->raw, (__u64)name->first, 8);
	bytes_put_int(&c->raw, name->ruler, 8);
	bytes_put_varint(&c->raw, name->axis | (__u64)name->tier << 8);
	bytes_put_varint(&c->raw, name->weight);
	bytes_put_varint(&c->raw, name->key.len);
	bytes_put(&c->raw, name->key.bytes, name->key.len);
}

void chunk_put(struct chunk *c, unsigned offset, const __u8 *hist, size_t len)
{
	bytes_put_varint(&c->raw, offset);
	bytes_put_varint(&c->raw, len);
	bytes_put(&c->raw, hist, len);
}

int chunk_end(struct chunk *c, struct bytes *out)
{
	size_t room = ZSTD_compressBound(c->raw.len), len;

	if (c->raw.err)
		return c->raw.err;
	if (c->raw.len > FRAME_MAX)
		return -EMSGSIZE;
	if (!c->packer)
		c->packer = ZSTD_createCCtx();
	if (!c->packer || make_room(&c->packed, room))
		return -ENOMEM;
	len = ZSTD_compressCCtx(c->packer, c->packed.data, c->packed.room, c->raw.data, c->raw.len, LEVEL);
	if (ZSTD_isError(len))
		return -ENOMEM;
	frame_put(out, FRAME_CHUNK, c->packed.data, len);
	return out->err;
}

/* --- reading --- */

static void parse_name(struct cursor *at, struct chunk_name *ret)
{
	__u64 axis, weight, key_len;

	ret->inst = cursor_get_int(at, 8);
	ret->first = (__s64)cursor_get_int(at, 8);
	ret->ruler = cursor_get_int(at, 8);
	axis = cursor_get_varint(at);
	weight = cursor_get_varint(at);
	key_len = cursor_get_varint(at);
	ret->key.bytes = cursor_get(at, key_len);
	if (at->err || (axis & 0xff) >= MEASURES_MAX || axis >> 8 >= TIERS || weight > MEASURES_MAX || key_len > KEY_BYTES_MAX ||
	    !ruler_valid(ret->ruler) || ret->first % 60) {
		at->err = -EBADMSG;
		return;
	}
	ret->axis = (__u16)(axis & 0xff);
	ret->tier = (int)(axis >> 8);
	ret->weight = (__u16)weight;
	ret->key.len = (__u16)key_len;
	if (labels_count(&ret->key) < 0)
		at->err = -EBADMSG;
}

static void parse_parts(struct cursor *at, struct chunk_part *slot)
{
	__u64 next = 0;

	while (!at->err && at->at < at->len) {
		__u64 offset = cursor_get_varint(at), len = cursor_get_varint(at);
		const __u8 *hist = cursor_get(at, len);

		if (at->err || offset < next || offset >= CHUNK_SLOTS || !len || len > FRAME_MAX) {
			at->err = -EBADMSG;
			return;
		}
		slot[offset] = (struct chunk_part){ hist, (__u32)len };
		next = offset + 1;
	}
}

int chunk_parse(struct chunk *c, const __u8 *data, size_t len)
{
	struct cursor at = { .data = data, .len = len };

	memset(&c->name, 0, sizeof(c->name));
	memset(c->slot, 0, sizeof(c->slot));
	parse_name(&at, &c->name);
	if (!at.err)
		parse_parts(&at, c->slot);
	if (at.err)
		memset(c->slot, 0, sizeof(c->slot));
	return at.err;
}

static int unpack_slots(struct chunk *c, const __u8 *data, size_t len)
{
	unsigned long long room = ZSTD_getFrameContentSize(data, len);
	size_t got;

	if (room == ZSTD_CONTENTSIZE_UNKNOWN || room == ZSTD_CONTENTSIZE_ERROR || room > FRAME_MAX)
		return -EBADMSG;
	if (!c->unpacker)
		c->unpacker = ZSTD_createDCtx();
	if (!c->unpacker || make_room(&c->raw, room ? room : 1))
		return -ENOMEM;
	got = ZSTD_decompressDCtx(c->unpacker, c->raw.data, room, data, len);
	if (ZSTD_isError(got) || got != room)
		return -EBADMSG;
	c->raw.len = got;
	return 0;
}

int chunk_decode(struct chunk *c, const __u8 *data, size_t len)
{
	struct frame frame;
	long got = len ? frame_get(data, len, &frame) : 0;
	int err = 0;

	if (got < 0 || (size_t)got != len || !len || frame.type != FRAME_CHUNK)
		err = -EBADMSG;
	if (!err)
		err = unpack_slots(c, frame.data, frame.len);
	if (!err)
		return chunk_parse(c, c->raw.data, c->raw.len);
	memset(c->slot, 0, sizeof(c->slot));
	return err;
}
