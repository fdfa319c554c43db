/* postgresql.bpf.c - the events of postgresql.queries.
 *
 * What is counted, and why, is told in postgresql.h, postgresql_parse.h and turn.h; how it is seen, in server.bpf.h.
 */
#include <linux/bpf.h>
#include "postgresql_receives.bpf.h"
#include "postgresql_sends.bpf.h"
#include "server.bpf.h"
