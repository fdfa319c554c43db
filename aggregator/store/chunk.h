/* chunk.h - packs three hundred slots of one key's histograms into one block: the store's long-term layout.
 *
 *      histograms by slot  --chunk_put(), chunk_end()-->  bytes  --chunk_decode()-->  the same
 *
 * Bytes   a FRAME_CHUNK (CRC-32) around one zstd frame, level 3, around
 *
 *             u64 inst | u64 first slot | u64 ruler | varint axis + 256 tier, weight | varint n, n key bytes
 *             | { varint offset from the first slot, varint n, n histogram bytes } ...
 *
 *         Offsets ascend, 0..299.  A chunk contains its own name, so we notice if it is filed under another name.
 * Law     decoding returns exactly what was encoded.  It refuses anything else and returns nothing.
 * Errors  0 or -errno.  -EBADMSG: damaged, or not a chunk.
 * Memory  a zeroed one is empty; its scratch memory stays until chunk_fini().  Decoded key and histograms are borrowed
 *         from it, until the next call.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_CHUNK_H
#define HEATSCOPE_CHUNK_H

#include "collector/core/slice.h"
#include "aggregator/store/tier.h"

#define CHUNK_SLOTS 300

struct chunk_name {
	__u64 inst;
	__s64 first;			/* slot of the tier, a multiple of sixty (a chunk of version 1 had sixty
					 * slots) */
	__u64 ruler;
	int tier;
	__u16 axis, weight;
	struct labels key;
};

struct chunk_part {
	const __u8 *hist;
	__u32 hist_len;			/* 0: none in this slot */
};

struct chunk {
	struct chunk_name name;
	struct chunk_part slot[CHUNK_SLOTS];	/* decoding fills it */
	struct bytes raw, packed;	/* internal to chunk.c */
	void *packer, *unpacker;
};

/* Returns the first slot of the chunk that holds `slot`. */
__s64 chunk_first(__s64 slot);

void chunk_fini(struct chunk *c);

void chunk_begin(struct chunk *c, const struct chunk_name *name);
void chunk_put(struct chunk *c, unsigned offset, const __u8 *hist, size_t len);	/* offsets ascend */
int chunk_end(struct chunk *c, struct bytes *out);

int chunk_decode(struct chunk *c, const __u8 *data, size_t len);

/* Parses the content of the zstd frame. */
int chunk_parse(struct chunk *c, const __u8 *data, size_t len);

#endif
