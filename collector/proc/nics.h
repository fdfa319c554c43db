/* nics.h - reads how much went through each network interface, from /proc/net/dev, for nic.nics.
 *
 *       face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs ...
 *       eth0: 652138890   21156    0    0    0     0          0         0  1026797   12861    0 ...
 *
 * Interfaces  of the collector's network namespace.  `kind` is physical, virtual (bridges, veth, bonds) or loopback.
 *             Traffic of a virtual one may go through a physical one, too.
 * Rates       per second. _in and _read came in, _out and _write went out (the words of Cloud Analytics).
 */
#ifndef HEATSCOPE_NICS_H
#define HEATSCOPE_NICS_H

#include "collector/proc/counter_delta.h"
#include "collector/proc/words.h"

enum { NICS_BYTES_IN, NICS_PACKETS_IN, NICS_BYTES_OUT, NICS_PACKETS_OUT, NICS_VALUES };

/* Adds each interface of the text; 0, -EBADMSG (a line with another format), -ENOMEM. */
int nics_parse(const void *text, size_t len, struct counter_delta *counters, struct words *words);

#endif
