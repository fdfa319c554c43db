/* file_socket.bpf.h - finds the socket of a file, in an iterator over open files. */
#ifndef HEATSCOPE_FILE_SOCKET_BPF_H
#define HEATSCOPE_FILE_SOCKET_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/trace/vm.h"

/* Returns the socket; NULL: the file is not a socket; at its end the iterator has no file.  Several files may be one
 * socket. */
static __always_inline struct sock *file_socket(const struct bpf_iter__task_file *ctx)
{
	struct file *file = ctx->file;
	struct socket *socket = file ? bpf_sock_from_file(file) : 0;

	return socket ? socket->sk : 0;
}

#endif
