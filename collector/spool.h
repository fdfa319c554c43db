/* spool.h - queues the batches that the aggregator has not acknowledged, in two files.
 *
 *      put -> | newer segment | older segment | -> next -> in flight -> ack
 *
 * Order   batches come out in the order in which they were put, also after a restart.
 * Restart the files keep the batches.  A crash at any byte leaves a torn frame at most, which its CRC shows and
 *         spool_open() cuts.  Batches that were sent or acknowledged shortly before the end may come out once more: the
 *         aggregator recognises them by their names.
 * Limit   each segment has half of the limit.  When both are full, the spool drops the unacknowledged batches of the
 *         older one.  It also drops a batch that is longer than a segment.
 * Loss    the spool counts the events of dropped batches, and queues them as losses: a batch per source,
 *         instrumentation and slot length, without slices, with a seq of LOSS_SEQ or more, which no probe uses.  The
 *         losses of a dropped batch are counted again.  So, while the files return their bytes and the aggregator stays
 *         the same, events put = events out + losses out.  Events of a batch that arrived are also counted as lost if
 *         the spool drops the batch before its acknowledgement comes.
 * Files   path.0 and path.1, locked (segment.h).  First a FRAME_HELLO with {"aggregator", "segment"}, then
 *         FRAME_BATCHes and FRAME_ACKs {u64 segment, u64 offset}: all batches before this place are acknowledged.  The
 *         spool truncates a file as soon as all its batches are acknowledged, so usually nothing reaches the disk.  It
 *         never calls fsync(): a power cut may lose the unwritten end.
 * Memory  while a file cannot be written, or without a path, a segment keeps up to SEGMENT_MEMORY in memory.  A restart
 *         loses these bytes.
 * Ids     instrumentations have the ids of one aggregator: spool_bind() drops the batches for another one.
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
	__u64 waiting;			/* bytes that are not acknowledged, from the oldest such batch on */
	__u64 in_flight;		/* batches sent and not acknowledged */
	__u64 dropped_batches, dropped_events;
	__u64 foreign_batches;		/* dropped, because they were for another aggregator */
	__u64 cut_bytes;		/* torn or damaged bytes, which the spool dropped when it opened or read a
					 * file */
	int file_err;			/* -errno of the newer file's latest write; 0: it did not fail */
};

/* Opens the files, or makes them.  -EBUSY: another collector has them open; else an error of the files.  The reason
 * says it in words. */
int spool_open(const struct spool_conf *conf, struct spool **ret_spool, char reason[REASON_MAX]);
void spool_close(struct spool *s);	/* keeps the files; NULL is fine */

/* Says for which aggregator the batches are, by its UUID; drops those in the spool if they are for another one. */
void spool_bind(struct spool *s, const char *aggregator);

int spool_put(struct spool *s, const struct batch *b);

/* Copies the frame of the next batch to *ret_frame; the batch is in flight from now on.  Returns 1; 0: there is no
 * further batch, or FLIGHT_MAX are in flight. */
int spool_next(struct spool *s, struct bytes *ret_frame);

void spool_ack(struct spool *s, const struct ack *a);	/* ignores a batch that is not in flight */
void spool_rewind(struct spool *s);			/* those in flight come out again, oldest first */

struct spool_stats spool_stats(const struct spool *s);

#endif
