/* net.h - net.packets: what its fields and measures are, and what we count as an event.
 *
 * Event   One packet at one network device, as the stack has it: going out, when it is put into the device's queue; coming
 *         in, when it is taken from the device.  Large sends are cut, and small receives were joined, beyond that place
 *         (segmentation and receive offload): `packets` says how many it is on the wire.
 * Device  Every one that a packet passes: over a bridge or a veth pair it is an event at each; over loopback it goes out
 *         and comes in.  What a network card or an XDP program drops or answers by itself is not seen.
 * Slot    of that moment.
 *
 * Measures:
 *
 *      size       bytes from the IP header on (of other protocols: behind the Ethernet header); a header that each piece
 *                 of a packet gets when it is cut later counts once
 *      packets    on the wire
 *
 * Process where it is known, else pid 0 and `unknown`: of a packet of UDP (or a raw socket) that goes out, who sends it.
 *         Of TCP, who connected, or who listens, or as of our last look (every 2 s) who has the socket open, the one with
 *         the lowest pid.  Of a packet that comes in, the process of what went out between the same ends before.  Of
 *         packets that are forwarded, nobody.
 *
 * Fields after process.h's, codes in the kernel:
 *
 *      direction  enum net_direction
 *      protocol   IP's number of it, or NET_ETHERTYPE | the Ethernet type
 *      laddr, raddr, lport, rport   address.h; of this host and of the other end, by the direction: of what is
 *                 forwarded, of where it comes from when it goes out, and the other way round.  0 where there are none:
 *                 other protocols, fragments but the first (no ports), IPv6 headers beyond the first (no ports)
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
