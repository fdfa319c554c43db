/* user_bytes.bpf.h - reads the bytes of a receive or send from the memory of the process that asked for it.
 *
 * In the socket tracepoints the data is already (or still) in the caller's buffer, whose address is
 * an argument of the system call.  It reads x86-64 system calls and refuses others (io_uring).
 */
#ifndef HEATSCOPE_USER_BYTES_BPF_H
#define HEATSCOPE_USER_BYTES_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "collector/trace/vm.h"

enum { SYS_READ = 0, SYS_WRITE = 1, SYS_READV = 19, SYS_WRITEV = 20, SYS_SENDTO = 44, SYS_RECVFROM = 45,
       SYS_SENDMSG = 46, SYS_RECVMSG = 47 };

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
	switch (regs->orig_ax) {
	case SYS_READ:
	case SYS_WRITE:
	case SYS_RECVFROM:
	case SYS_SENDTO:
		src->at = (const char *)regs->si;
		src->len = total;
		return 0;
	case SYS_READV:
	case SYS_WRITEV:
		src->iov = (const char *)regs->si;
		src->n_iov = 16;
		return source_next(src);
	case SYS_RECVMSG:
	case SYS_SENDMSG:
		if (bpf_probe_read_user(&msg, sizeof(msg), (const void *)regs->si))
			return -1;
		src->iov = msg.iov;
		src->n_iov = msg.n_iov;
		return source_next(src);
	}
	return -1;
}

#endif
