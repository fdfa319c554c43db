/* http.bpf.c - defines the event programs of http.requests.
 *
 * http.h, parse.h, reply.h and server/exchange.h say which events there are, and why.  server/protocol.bpf.h lists the
 * parts of a protocol.
 * The programs are in server.bpf.h, and mysql.bpf.c lists them.  Here sock_recv calls received() in receives.bpf.h, and
 * sock_send calls sent() in sends.bpf.h. 
 */
#include <linux/bpf.h>
#include "collector/http/receives.bpf.h"
#include "collector/http/sends.bpf.h"
#include "collector/server/statement_text.bpf.h"
#include "collector/server/server.bpf.h"
