/* net.h - describes the fields and measures of net.packets, and which packets count as an event.
 *
 * Event   One packet at one network device, as the stack has it: outgoing, when the device's queue gets it; incoming,
 *         when the stack gets it.  Between there and the wire large sends are cut and small receives are joined
 *         (segmentation and receive offload): `packets` is the number on the wire.
 * Device  Every device that a packet passes: over a bridge or a veth pair it is an event at each; over loopback it is
 *         outgoing and incoming.  Packets that a network card or an XDP program drops or answers by itself are not
 *         seen.
 * Slot    the slot of the moment.
 *
 * Measures:
 *
 *      size       bytes from the IP header on (of other protocols: after the Ethernet header).  If a packet is cut
 *                 later, the header that each piece gets counts once
 *      packets    on the wire
 *
 * Process An outgoing packet of UDP (or a raw socket) has its sender.  A packet of TCP has the process that connected
 *         or listens.  If we did not see that: of the processes that had the socket open at our last scan of open files
 *         (every 2 s), the one with the lowest pid.  An incoming packet has the process of earlier outgoing packets
 *         between the same ends.  Otherwise, and for forwarded packets, the process is `unknown`, pid 0.
 *
 * Fields after process.h's, codes in the kernel:
 *
 *      direction  enum net_direction
 *      protocol   IP's number of it, or NET_ETHERTYPE | the Ethernet type
 *      laddr, raddr, lport, rport   address.h; of this host and of the other end.  By the direction: the origin of a
 *                 forwarded outgoing packet counts as this host, and so does the destination of an incoming one.
 *                 0 if there is none: other protocols, fragments but the first (no ports), IPv6 headers beyond the
 *                 first (no ports)
 *      nic        hash of the device's name
 */
#ifndef HEATSCOPE_NET_H
#define HEATSCOPE_NET_H

#include <linux/types.h>
#include "collector/trace/process.h"

enum net_field { NET_DIRECTION = PROCESS_N_FIELDS, NET_PROTOCOL, NET_LADDR, NET_RADDR, NET_LPORT, NET_RPORT, NET_NIC };
enum net_measure { NET_SIZE, NET_PACKETS };
enum net_direction { NET_IN, NET_OUT };

#define NET_ETHERTYPE (1ull << 32)

#endif
