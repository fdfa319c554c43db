/* disks.h - disk.disks: how busy each disk was, and what went through it, from /proc/diskstats.
 *
 *      254 0 vda 48319 7091 3176554 9295 880371 96860 19150536 86230 0 41980 116117 ...
 *                reads      sectors ms   writes       sectors  ms    now busy ms
 *
 * Disks     whole ones: partitions are parts of theirs.  `kind` tells physical ones from virtual ones
 *           (loop, device mapper, RAID, compressed memory): what goes through those mostly goes through
 *           a physical one, too.  A virtual one that was never used has no value.
 * busytime  percent of the time in which at least one request was under way.
 * iops      reads and writes that ended per second; bytes: of them, per second.
 */
#ifndef HEATSCOPE_DISKS_H
#define HEATSCOPE_DISKS_H

#include "collector/proc/counter_delta.h"
#include "collector/proc/words.h"

enum { DISKS_READS, DISKS_READ_SECTORS, DISKS_WRITES, DISKS_WRITE_SECTORS, DISKS_BUSY_MS, DISKS_VALUES };

/* Adds each disk and partition of the text; 0, -EBADMSG (a line that is none), -ENOMEM. */
int disks_parse(const void *text, size_t len, struct growth *counters, struct words *words);

#endif
