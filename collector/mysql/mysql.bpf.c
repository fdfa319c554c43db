/* mysql.bpf.c - defines the event programs of mysql.queries.
 *
 * mysql.h, parse.h, reply.h and server/exchange.h say which events there are, and why.  server/protocol.bpf.h lists the
 * parts of a protocol.  The programs are in server.bpf.h:
 *
 *      sock_recv               a receive: a request begins; calls received() in receives.bpf.h
 *      sock_send               a send: a reply, perhaps its end; calls sent() in sends.bpf.h
 *      call_ends               sys_exit, in place of both where the kernel lacks the socket tracepoints (before 6.3)
 *      closes, dies            inet_sock_set_state, sched_process_exit: a connection ends; see conn_end.bpf.h
 *      flush*                  an iterator over the connections: events that no receive or send has ended for 5 s
 *      running*                an iterator over the connections: requests in flight
 *      data_ready              sk_data_ready, while an instrumentation asks for arrivals
 *      left                    sched_switch, while an instrumentation asks why threads were blocked
 *      file_begins, file_ends  sys_enter, sys_exit, while an instrumentation asks for calls on files
 *      switched, woken         sched_switch, sched_wakeup, where the kernel keeps no such clocks
 *
 * The collector loads one flush* and one running*: those over which the kernel can iterate (server_tracer.c).
 */
#include <linux/bpf.h>
#include "collector/mysql/receives.bpf.h"
#include "collector/mysql/sends.bpf.h"
#include "collector/server/server.bpf.h"
