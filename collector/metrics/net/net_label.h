/* net_label.h - the names of directions and protocols, and what they are the names of.
 *
 * Shape   out is LABEL_MAX + 1 bytes (slice.h).  A protocol without a name is "IP protocol N" or "ethertype 0xXXXX".
 */
#ifndef HEATSCOPE_NET_LABEL_H
#define HEATSCOPE_NET_LABEL_H

#include <linux/types.h>
#include <stddef.h>

void net_label_direction(__u64 code, char *out);
void net_label_protocol(__u64 code, char *out);

/* The codes that are shown so: how many, 0 or 1, or -E2BIG. */
int net_codes_direction(const char *text, __u64 *ret_code, size_t max);
int net_codes_protocol(const char *text, __u64 *ret_code, size_t max);

#endif
