/* spool.h - the queue of batches that the aggregator has not acknowledged; it outlives us.
 *
 *      put -> | newer segment | older segment | -> next -> in flight -> ack
 *
 * Laws    what was put comes out in order, also after a crash at any byte: a batch is written
 *         before it is sent, and a torn end is found by its CRC and cut.  A batch that was sent or
 *         acknowledged just before a crash may come out once more; the aggregator knows its name.
 *         After a clean end only what is not acknowledged does.
 * Limit   two segments, each half of the limit.  When both are full, the older one goes, and its
 *         events are counted: they follow as one batch per source and instrumentation that has
 *         no slices but a loss, and a seq of LOSS_SEQ or more, which no probe uses.  A loss that
 *         is dropped in turn is counted again, so events put = events out + losses out.  Only a
 *         batch whose acknowledgement was under way, or cut off by a crash, may be counted
 *         although it arrived.
 * Files   path.0 and path.1, locked.  First a FRAME_HELLO with {"aggregator", "segment"}, then
 *         FRAME_BATCHes, and as FRAME_ACK {u64 segment, u64 offset} how far they are acknowledged.
 *         While a file cannot be written, and without a path, a segment goes on in memory, up to
 *         SEGMENT_MEMORY.  Truncated as soon as all is acknowledged, so usually nothing reaches
 *         the disk.  No fsync: a power cut may cost the unwritten end.
 * Ids     belong to one aggregator; what was put for another one is dropped by spool_bind().
 * Errors  0 or -errno.
 * Thread  one.
 */
#ifndef HEATSCOPE_SPOOL_H
#define HEATSCOPE_SPOOL_H

#include "collector/core/instrumentation.h"
#include "collector/link.h"
#include "collector/segment.h"

#define FLIGHT_MAX 256			/* batches sent and not acknowledged */
#define LOSS_SEQ 0x80000000u

struct spool;				/* its fields are in spool.c */

struct spool_conf {
	const char *path;		/* NULL or "": memory only */
	__u64 limit;			/* bytes of both segments */
	__u64 incarnation;		/* of the losses' batches */
};

struct spool_stats {
	__u64 waiting;			/* bytes not yet acknowledged */
	__u64 in_flight;		/* batches sent and not acknowledged */
	__u64 dropped_batches, dropped_events;
	__u64 foreign_batches;		/* put for another aggregator, and dropped */
	__u64 cut_bytes;		/* torn or damaged, found when opening or reading */
	int file_err;			/* why the latest write to the files failed; 0: it did not */
};

/* -EBUSY: another collector has it open; else what the files said; the reason says it in words. */
int spool_open(const struct spool_conf *conf, struct spool **ret_spool, char reason[REASON_MAX]);
void spool_close(struct spool *s);	/* keeps the files; NULL: nothing */

/* From now on batches are for this aggregator. */
void spool_bind(struct spool *s, const char *aggregator);

int spool_put(struct spool *s, const struct batch *b);

/* The next whole frame to send, in *ret_frame.  1; 0: none, or FLIGHT_MAX are in flight. */
int spool_next(struct spool *s, struct bytes *ret_frame);

void spool_ack(struct spool *s, const struct ack *a);	/* an unknown name is ignored */
void spool_rewind(struct spool *s);			/* what is in flight comes out again */

struct spool_stats spool_stats(const struct spool *s);

#endif
