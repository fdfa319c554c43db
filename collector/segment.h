/* segment.h - keeps one file of the spool: it appends frames to it, reads them back, and cuts it.
 *
 *      | bytes in the file ... | tail in memory |
 *
 * Tail    while the file cannot be written, bytes go to memory.  A restart loses them; the file survives it.
 * Order   after a failed write all later bytes go to the tail, so the bytes stay in order.
 * Limit   the caller's: segment_fits() checks whether more bytes fit below it.
 * Errors  0 or -errno; after an error nothing has changed.
 */
#ifndef HEATSCOPE_SEGMENT_H
#define HEATSCOPE_SEGMENT_H

#include "collector/core/frame.h"

#define SEGMENT_MEMORY (4u << 20)	/* bytes of the tail */

struct segment {
	int fd;				/* -1: memory only */
	__u64 file_len;
	struct bytes tail;
	int file_err;			/* why the latest write failed; 0: it did not */
};

void segment_init(struct segment *g);					/* memory only */
int segment_open(struct segment *g, const char *path);	/* -EBUSY: locked by another process */
void segment_close(struct segment *g);		/* tries once more to write the tail */

__u64 segment_len(const struct segment *g);
int segment_fits(const struct segment *g, __u64 more, __u64 limit);
int segment_append(struct segment *g, const struct bytes *data);
void segment_cut(struct segment *g, __u64 len);	/* to a length within the file; drops the tail */

/* Reads the frame at an offset into `buffer`.  Returns its length; -EBADMSG or -EPROTO: no frame is there. */
long segment_frame(const struct segment *g, __u64 at, struct bytes *buffer, struct frame *ret_frame);

#endif
