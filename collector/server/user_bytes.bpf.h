/* user_bytes.bpf.h - reads the bytes of a receive or send from the memory of the process that asked for it.
 *
 * At a socket tracepoint, received bytes are already in the caller's buffer, sent bytes still.  The buffer's address is
 * an argument of the system call.  source_open() knows the calls that it lists and refuses others (io_uring).
 */
#ifndef HEATSCOPE_USER_BYTES_BPF_H
#define HEATSCOPE_USER_BYTES_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <asm/unistd.h>
#include "collector/trace/vm.h"

struct source {				/* of a receive or send */
	const char *at;			/* the current piece; its bytes begin at offset `from` */
	__u64 from, len;
	const char *iov;		/* further pieces */
	__u64 n_iov;
};

struct iov {
	const char *at;
	__u64 len;
};

struct message {			/* struct user_msghdr */
	__u64 name, name_len;
	const char *iov;
	__u64 n_iov;
};

static __always_inline int source_next(struct source *src)
{
	struct iov iov;

	if (!src->n_iov || bpf_probe_read_user(&iov, sizeof(iov), src->iov))
		return -1;
	src->from += src->len;
	src->at = iov.at;
	src->len = iov.len;
	src->iov += sizeof(iov);
	src->n_iov--;
	return 0;
}

static __always_inline int source_open(struct source *src, struct task_struct *t, int total)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	struct message msg = { 0 };

	__builtin_memset(src, 0, sizeof(*src));
	switch (call_number(regs)) {
	case __NR_read:
	case __NR_write:
	case __NR_recvfrom:
	case __NR_sendto:
		src->at = (const char *)call_argument(regs, 1);
		src->len = total;
		return 0;
	case __NR_readv:
	case __NR_writev:
		src->iov = (const char *)call_argument(regs, 1);
		src->n_iov = call_argument(regs, 2);
		return source_next(src);
	case __NR_recvmsg:
	case __NR_sendmsg:
		if (bpf_probe_read_user(&msg, sizeof(msg), (const void *)call_argument(regs, 1)))
			return -1;
		src->iov = msg.iov;
		src->n_iov = msg.n_iov;
		return source_next(src);
	}
	return -1;
}

#endif
