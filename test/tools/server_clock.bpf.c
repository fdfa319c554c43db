/* server_clock.bpf.c - records when a MariaDB thread receives a command, reads its clock for the log, and has sent
 * the reply.
 *
 * For one connection, and with very little work: the time of these programs is in the latencies of every program that
 * watches the same tracepoints after them.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "test/tools/server_clock.h"

char LICENSE[] SEC("license") = "GPL";

#define HEADER_BYTES 4		/* of a packet; MariaDB receives it alone */

const volatile __u32 server = 0;
struct statement statement[STATEMENTS_MAX] = { 0 };
__u32 n_statements = 0;		/* the one now running; may pass STATEMENTS_MAX: those are not kept */
__u64 connection = 0;		/* its thread */

static __always_inline struct statement *running(void)
{
	__u32 n = n_statements;

	return n < STATEMENTS_MAX && bpf_get_current_pid_tgid() == connection ? &statement[n] : 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(received, void *sk, int ret, int flags)
{
	__u64 thread = bpf_get_current_pid_tgid();
	struct statement *s;

	if (thread >> 32 != server || ret != HEADER_BYTES)
		return 0;
	connection = thread;
	s = running();
	if (s) {
		s->received_ns = bpf_ktime_get_ns();
		s->first_ns = 0;
	}
	return 0;
}

SEC("uprobe")
int read_clock(void *ctx)
{
	struct statement *s = running();

	if (!s)
		return 0;
	s->last_ns = bpf_ktime_get_ns();
	if (!s->first_ns)
		s->first_ns = s->last_ns;
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(sent, void *sk, int ret, int flags)
{
	struct statement *s = running();

	if (s && s->first_ns) {
		s->sent_ns = bpf_ktime_get_ns();
		n_statements++;
	}
	return 0;
}
