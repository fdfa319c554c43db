/* tcp.h - describes the fields and measures of tcp.accepts and tcp.connects, and which connections count as an event.
 *
 * tcp.accepts   One connection that another program opened to a listening socket of this host, when the handshake is
 *               complete.  The kernel has accepted it then; the program may not have called accept() yet.
 *      process  the one that called listen().  If we did not see the call: of the processes that had the socket open at
 *               our last scan of open files (every 2 s), the one with the lowest pid.  If no process has it open (the
 *               kernel's own): `unknown`, pid 0.
 *      latency  the handshake's round trip, from our SYN-ACK to the ACK, in whole us, as the kernel measured it.  0 if
 *               it did not (SYN cookies, a SYN-ACK that was sent again).
 *
 * tcp.connects  One connection that a program of this host began to open, when it is established or has failed.
 *      process  the one that called connect().
 *      latency  from the SYN to that end, in ns.
 *      outcome  `established`; the error's name; `closed`: given up before there was an answer, or no free port.
 *               A connect that fails before there is a SYN to send (no route) is not seen.
 *
 * Both          TCP over IPv4 and IPv6, in all network namespaces.  Over loopback both see the same connection.
 *               Subflows of MPTCP count one by one.  Connects under way when we attached are not counted.
 *
 * Fields after process.h's, codes in the kernel:
 *
 *      raddr      address.h      the other end
 *      rport      its port
 *      lport      our port
 *      outcome    of connects: 0 established, an error's number, or TCP_CLOSED
 */
#ifndef HEATSCOPE_TCP_H
#define HEATSCOPE_TCP_H

#include <linux/types.h>
#include "collector/trace/process.h"

enum tcp_field { TCP_RADDR = PROCESS_N_FIELDS, TCP_RPORT, TCP_LPORT, TCP_OUTCOME };
enum tcp_measure { TCP_LATENCY };

#define TCP_CLOSED 4096ull		/* beyond all errors */

#endif
