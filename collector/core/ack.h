/* ack.h - reads the payload of FRAME_ACK, which names the batch that the aggregator has stored.
 *
 *      u64 inst | u64 slot | varint seq | u64 incarnation | text source
 */
#ifndef HEATSCOPE_ACK_H
#define HEATSCOPE_ACK_H

#include "collector/core/batch.h"
#include <errno.h>
#include <string.h>

struct ack {
	__u64 inst;
	__s64 slot;
	__u32 seq;
	__u64 incarnation;
	char source[SOURCE_MAX];
};

static inline struct ack ack_of(const struct batch *b)
{
	struct ack a = { .inst = b->inst, .slot = b->slot, .seq = b->seq, .incarnation = b->incarnation };

	memcpy(a.source, b->source, sizeof(a.source));
	return a;
}

static inline void ack_put(struct bytes *out, const struct ack *a)
{
	bytes_put_int(out, a->inst, 8);
	bytes_put_int(out, (__u64)a->slot, 8);
	bytes_put_varint(out, a->seq);
	bytes_put_int(out, a->incarnation, 8);
	bytes_put_text(out, a->source);
}

/* Returns 0 or -EBADMSG. */
static inline int ack_get(const __u8 *data, size_t len, struct ack *ret_ack)
{
	struct cursor c = { .data = data, .len = len };
	__u64 seq;

	ret_ack->inst = cursor_get_int(&c, 8);
	ret_ack->slot = (__s64)cursor_get_int(&c, 8);
	seq = cursor_get_varint(&c);
	ret_ack->seq = (__u32)seq;
	ret_ack->incarnation = cursor_get_int(&c, 8);
	cursor_get_text(&c, ret_ack->source, sizeof(ret_ack->source));
	return c.err || c.at != len || seq > 0xffffffffu ? -EBADMSG : 0;
}

#endif
