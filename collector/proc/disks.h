/* disks.h - reads how busy each disk was and how much it transferred, from /proc/diskstats, for disk.disks.
 *
 *      254 0 vda 48319 7091 3176554 9295 880371 96860 19150536 86230 0 41980 116117 ...
 *                reads      sectors ms   writes       sectors  ms    now busy ms
 *
 * Disks     whole disks: a partition counts for its disk.  `kind` is physical or virtual (loop, device mapper, RAID,
 *           compressed memory).  Most data of a virtual disk goes through a physical one, too.  A virtual disk that was
 *           never used has no value.
 * busytime  percent of the time in which at least one request was in flight.
 * iops      reads and writes that ended per second; bytes: their bytes per second.
 */
#ifndef HEATSCOPE_DISKS_H
#define HEATSCOPE_DISKS_H

#include "collector/proc/counter_delta.h"
#include "collector/proc/words.h"

enum { DISKS_READS, DISKS_READ_SECTORS, DISKS_WRITES, DISKS_WRITE_SECTORS, DISKS_BUSY_MS, DISKS_VALUES };

/* Adds each disk and partition of the text; 0, -EBADMSG (a line with another format), -ENOMEM. */
int disks_parse(const void *text, size_t len, struct counter_delta *counters, struct words *words);

#endif
