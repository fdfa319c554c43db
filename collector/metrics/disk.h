/* disk.h - describes the fields and measures of disk.physio_ops, and which requests count as an event.
 *
 * Event   One request that a disk has finished, with success or not.  A request that is finished in parts, or issued
 *         again, is one event, at its last part.
 * Disk    Any device with a request queue: a loop device and the disk below it are two.  A device without one (device
 *         mapper, md, zram) is not seen, but the disks below it are.
 * Flush   A flush is an event of its own.  A file system's write that asks for flushes appears as the write and as the
 *         flushes that the disk received.  Several waiting writes may share one flush.
 * Ignored a request that was refused before it was issued to the device.
 * Attach  Requests under way are events: the kernel noted when they began (exceptions: below).
 * Slot    the slot of the completion.
 *
 * Measures, the times in ns:
 *
 *      latency = queue + service       exactly, for every event
 *
 *      latency  from the creation of the request (or the begin of the batch it was plugged into, as iostat
 *               has it) to its completion
 *      queue    until it was issued to the device, the last time
 *      service  from then on
 *      size     bytes;  offset: bytes from the disk's begin.  Both 0 for a flush
 *
 *         The kernel itself notes both times, with two exceptions.
 *         If /sys/block/X/queue/iostats is 0, it does not note the creation.  Then latency begins at the issue, and
 *         queue is 0.
 *         For commands from user space, and if no part of the kernel needs it (no writeback throttling), it does not
 *         note the issue.  Then this program does, and reports requests that were under way when it attached as lost.
 *
 * Fields, codes in the kernel:
 *
 *      disk        hash of the whole disk's name
 *      optype      enum req_op of the kernel
 *      flags       DISK_SYNC ...
 *
 * Process is not a field: a request ends in the context of any running task, and writeback issues requests for other
 *         processes.  So no process name would be correct.
 */
#ifndef HEATSCOPE_DISK_H
#define HEATSCOPE_DISK_H

#include <linux/types.h>

enum disk_field { DISK_DISK, DISK_OPTYPE, DISK_FLAGS, DISK_N_FIELDS };
enum disk_measure { DISK_LATENCY, DISK_QUEUE, DISK_SERVICE, DISK_SIZE, DISK_OFFSET, DISK_N_MEASURES };

#define DISK_NONE 0			/* the code of a request without a disk */

enum disk_op {
	OP_READ = 0, OP_WRITE = 1, OP_FLUSH = 2, OP_DISCARD = 3, OP_SECURE_ERASE = 5, OP_ZONE_APPEND = 7,
	OP_WRITE_ZEROES = 9, OP_ZONE_FIRST = 10, OP_ZONE_LAST = 19,	/* opens, closes, finishes and resets */
	OP_DRIVER_IN = 34, OP_DRIVER_OUT = 35,				/* commands from user space or the driver */
	OP_N = 256,
};

enum disk_flag { DISK_SYNC = 1, DISK_META = 2, DISK_AHEAD = 4, DISK_FUA = 8, DISK_BACKGROUND = 16 };

struct disk_counts {
	__u64 parts;			/* completions of a part */
	__u64 noted;			/* events whose issue this program had to note */
	__u64 unmade;			/* events without a known creation time: latency begins at the issue */
	__u64 untimed;			/* reported as lost: their issue was not noted */
};

#endif
