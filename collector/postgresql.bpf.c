/* postgresql.bpf.c - the events of postgresql.queries.
 *
 * What is counted, and why: postgresql.h, postgresql_parse.h and turn.h.  What a protocol consists of: protocol.bpf.h.
 * The programs of this object are those of server.bpf.h, which mysql.bpf.c lists: sock_recv calls received() in
 * postgresql_receives.bpf.h, sock_send calls sent() in postgresql_sends.bpf.h.
 */
#include <linux/bpf.h>
#include "postgresql_receives.bpf.h"
#include "postgresql_sends.bpf.h"
#include "server.bpf.h"
