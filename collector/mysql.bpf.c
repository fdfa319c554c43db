/* mysql.bpf.c - the events of mysql.queries.
 *
 * What is counted, and why, is told in mysql.h, mysql_parse.h, mysql_reply.h and turn.h; how it is seen, in server.bpf.h.
 */
#include <linux/bpf.h>
#include "mysql_receives.bpf.h"
#include "mysql_sends.bpf.h"
#include "mysql_thd.bpf.h"
#include "server.bpf.h"
