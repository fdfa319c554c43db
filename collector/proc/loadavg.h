/* loadavg.h - reads the kernel's load average over a minute from /proc/loadavg, for cpu.loadavg1.
 *
 *      1.03 1.25 1.32 1/128 9236        -> 103: hundredths of a runnable or blocked thread
 */
#ifndef HEATSCOPE_LOADAVG_H
#define HEATSCOPE_LOADAVG_H

#include <linux/types.h>
#include <stddef.h>

/* Reads the text of /proc/loadavg.  -EBADMSG: another format. */
int loadavg_parse(const void *text, size_t len, __u64 *ret_hundredths);

#endif
