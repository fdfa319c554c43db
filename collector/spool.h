/* spool.h - queues the batches that the aggregator has not acknowledged; the queue survives a restart of the collector.
 *
 *      put -> | newer segment | older segment | -> next -> in flight -> ack
 *
 * Laws    Batches come out in the order in which they were put.  This holds after a crash at any byte, too: a batch is
 *         written before it is sent, and its CRC shows a torn end, which is cut.  A batch that was sent or acknowledged
 *         just before a crash may come out once more; the aggregator recognises its name.  After a clean end only
 *         unacknowledged batches come out.
 * Limit   Two segments, each half of the limit.  When both are full, the spool drops the older one and counts its
 *         events as lost.
 * Loss    One batch per source and instrumentation reports them: without slices, with a loss, and with a seq of
 *         LOSS_SEQ or more, which no probe uses.  A dropped loss is counted again, so events put = events out + losses
 *         out.  A batch counts as lost although it arrived only if its acknowledgement was under way, or a crash cut it
 *         off.
 * Files   path.0 and path.1, locked (segment.h).  First a FRAME_HELLO with {"aggregator", "segment"}, then
 *         FRAME_BATCHes and FRAME_ACK {u64 segment, u64 offset}: acknowledged up to here.  A file is truncated as soon
 *         as all of it is acknowledged, so usually nothing reaches the disk.  No fsync: a power cut may lose the
 *         unwritten end.
 * Memory  While a file cannot be written, or without a path, a segment keeps up to SEGMENT_MEMORY in memory.
 * Ids     belong to one aggregator; spool_bind() drops the batches for another one.
 * Errors  0 or -errno.
 * Thread  one thread.
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
	__u64 incarnation;		/* of the batches that report losses */
};

struct spool_stats {
	__u64 waiting;			/* bytes not yet acknowledged */
	__u64 in_flight;		/* batches sent and not acknowledged */
	__u64 dropped_batches, dropped_events;
	__u64 foreign_batches;		/* dropped, because they were for another aggregator */
	__u64 cut_bytes;		/* torn or damaged bytes, found when opening or reading */
	int file_err;			/* why the latest write to the files failed; 0: it did not */
};

/* -EBUSY: another collector has it open; other errors come from the files; the reason says it in words. */
int spool_open(const struct spool_conf *conf, struct spool **ret_spool, char reason[REASON_MAX]);
void spool_close(struct spool *s);	/* keeps the files; NULL: nothing */

/* From now on, batches are for this aggregator. */
void spool_bind(struct spool *s, const char *aggregator);

int spool_put(struct spool *s, const struct batch *b);

/* Copies the next complete frame to send to *ret_frame.  1; 0: no frame, or FLIGHT_MAX batches are in flight. */
int spool_next(struct spool *s, struct bytes *ret_frame);

void spool_ack(struct spool *s, const struct ack *a);	/* ignores an unknown name */
void spool_rewind(struct spool *s);			/* batches in flight come out again */

struct spool_stats spool_stats(const struct spool *s);

#endif
