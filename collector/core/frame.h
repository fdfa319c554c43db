/* frame.h - puts a header with length and checksum before each thing that we send, record or store.
 *
 *       0        4      5      6     8        12       16
 *      | "HSC1" | version | type | zero | length | CRC-32 | payload ... |
 *
 * Shape   little-endian.  `length` is that of the payload.  The CRC-32 (zlib's) covers the bytes 4..11 and the
 *         payload.  A recording is a file of frames; a connection is a stream of frames.
 * Limit   FRAME_MAX bytes of payload.  The reader refuses a longer frame before it allocates memory for it.
 */
#ifndef HEATSCOPE_FRAME_H
#define HEATSCOPE_FRAME_H

#include "collector/core/bytes.h"

enum frame_type {
	FRAME_HELLO = 1,	/* collector -> aggregator, JSON: its name and what it can do   */
	FRAME_WANT = 2,		/* aggregator -> collector, JSON: the complete wanted set       */
	FRAME_BATCH = 3,	/* collector -> aggregator, batch.h                            */
	FRAME_ACK = 4,		/* aggregator -> collector: the name of a stored batch, ack.h   */
	FRAME_STATE = 5,	/* collector -> aggregator, JSON: instrumentation states       */
	FRAME_INST = 6,		/* in recordings, JSON: the instrumentation of the next frames  */
	FRAME_CHUNK = 7,	/* in the store: a zstd block of histogram bytes               */
	FRAME_ERROR = 8,	/* both ways, JSON {"error": text}; then the sender closes      */
	FRAME_FOLD = 9,		/* among heatscoped: a batch of the added slices of many sources */
};

#define FRAME_VERSION 1
#define FRAME_HEAD 16
#define FRAME_MAX (16u << 20)

struct frame {
	enum frame_type type;
	const __u8 *data;		/* borrowed from the buffer that was read */
	size_t len;
};

void frame_put(struct bytes *out, enum frame_type type, const void *data, size_t len);

/* Reads the frame at the start of data.  Returns its whole length; 0 if more bytes are needed;
 * -EBADMSG: no magic, or a wrong CRC or length; -EPROTO: another version. */
long frame_get(const __u8 *data, size_t len, struct frame *ret_frame);

/* The same for a file.  0: the data end within this frame.  -EBADMSG too if whole frames follow, because then its length is
 * damaged. */
long frame_get_last(const __u8 *data, size_t len, struct frame *ret_frame);

/* Returns one sentence about such an error, for logs and messages. */
const char *frame_error(int err);

#endif
