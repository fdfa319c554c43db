/* conns.bpf.h - keeps the state of each of the servers' connections, as long as its socket lives.
 *
 *      conn_at(socket) -> its connection; NULL: a protocol may call conn_make()
 *
 * The protocol's struct server_conn comes before; see protocol.bpf.h.
 */
#ifndef HEATSCOPE_CONNS_BPF_H
#define HEATSCOPE_CONNS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/trace/address.bpf.h"
#include "collector/server/name.h"
#include "collector/trace/text.bpf.h"
#include "collector/server/exchange.bpf.h"
#include "collector/trace/vm.h"
#include "collector/trace/intern.bpf.h"

#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1

__u64 flush_before = 0;			/* CLOCK_MONOTONIC: pending events that ended earlier are flushed */
const volatile __u32 by_call = 0;	/* this kernel lacks the socket tracepoints */
__u64 last_conn = 0;			/* id of the connection made last; ids begin at 1 */

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct server_conn);
} conns SEC(".maps");

/* The same by the inode of the socket's file, which is unique: a system call knows no pointer that the map conns
 * accepts. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CALL_CONNS_MAX);
	__type(key, __u64);
	__type(value, struct server_conn);
} call_conns SEC(".maps");

struct {				/* initial value of an entry of call_conns */
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct server_conn);
} no_conn SEC(".maps");

INTERNED(names, struct name, NAMES_MAX);

struct {				/* filled by the collector, see servers.h */
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct server_listener);
	__type(value, __u32);
} listeners SEC(".maps");

static __always_inline void name_remember(const struct name *name, __u64 code)
{
	if (code > NAME_ENCRYPTED)
		intern(&names, &code, name);
}

/* Marks a name as used, so that the map does not evict it. */
static __always_inline __u64 name_used(__u32 field, __u64 code)
{
	if (wanted & WANTED_FIELD(field))
		bpf_map_lookup_elem(&names, &code);
	return code;
}

/* Returns the code of the client's address. */
static __always_inline __u64 conn_client(struct sock *sk)
{
	__u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);

	if (family == AF_UNIX)
		return CLIENT_LOCAL;
	return family == AF_INET ? address_of_v4(&sk->__sk_common.skc_daddr) :
				   address_of_v6(&sk->__sk_common.skc_v6_daddr);
}

static __always_inline __u64 client_used(const struct turn *n)
{
	__u64 client = n->client;

	if (client & ADDRESS_V6)
		bpf_map_lookup_elem(&addresses, &client);
	return client;
}

/* Returns the code of the path that the server listens at; 0 for an outbound connection, which has no name.  An
 * abstract name does not end with NUL: the memory after it is not ours. */
static __always_inline __u64 unix_instance(struct sock *sk)
{
	struct unix_sock *u = (struct unix_sock *)sk;
	struct unix_address *addr = BPF_CORE_READ(u, addr);
	struct text text = { { 0 } };
	__u32 n;

	if (!addr)
		return 0;
	n = BPF_CORE_READ(addr, len) - sizeof(addr->name[0].sun_family);
	if (n > sizeof(text))
		n = sizeof(text);
	barrier_var(n);
	bpf_probe_read_kernel(&text, n & 127, &addr->name[0].sun_path);
	text.text[TEXT_MAX - 1] = 0;
	return text_remember(&text, INSTANCE_UNIX);
}

/* Returns the code of the address at which the connection was accepted; 0: it is not a client's connection. */
static __always_inline __u64 conn_instance(struct sock *sk, __u32 pid, int greeted)
{
	__u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);
	struct server_listener key = { .pid = pid, .port = BPF_CORE_READ(sk, __sk_common.skc_num) };

	if (BPF_CORE_READ(sk, sk_type) != SOCK_STREAM)
		return 0;
	if (family == AF_UNIX)
		return unix_instance(sk);
	if (family != AF_INET && family != AF_INET6)
		return 0;
	if (!bpf_map_lookup_elem(&listeners, &key)) {
		if (!greeted)
			return 0;
		count(&counts.unlisted);
	}
	return (__u64)pid << 16 | key.port;
}

/* Returns the socket of a file, and its inode; 0: the file is no socket. */
static __always_inline struct sock *socket_of_file(struct file *file, __u64 *ret_inode)
{
	struct socket *socket;

	if (file_type(file) != S_IFSOCK)
		return 0;
	*ret_inode = BPF_CORE_READ(file, f_inode, i_ino);
	socket = BPF_CORE_READ(file, private_data);
	return socket ? BPF_CORE_READ(socket, sk) : 0;
}

/* Returns the connection of a socket; NULL: it has none.  Most sockets of a machine have no storage, which is quick to
 * see. */
static __always_inline struct server_conn *conn_at(struct sock *sk)
{
	return sk->sk_bpf_storage ? bpf_sk_storage_get(&conns, sk, 0, 0) : 0;
}

static __always_inline struct server_conn *conn_new(struct sock *sk, __u64 inode)
{
	const __u32 zero = 0;
	struct server_conn *empty;

	if (!inode)
		return bpf_sk_storage_get(&conns, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	empty = bpf_map_lookup_elem(&no_conn, &zero);
	if (!empty || bpf_map_update_elem(&call_conns, &inode, empty, BPF_ANY))
		return 0;
	return bpf_map_lookup_elem(&call_conns, &inode);
}

/* Makes the connection of a socket; NULL: it is not a client's, or no memory.  inode: of the socket's file; 0: the
 * socket tracepoints report it. */
static __noinline struct server_conn *conn_make(struct sock *sk, __u64 inode, struct task_struct *t, int greeted)
{
	__u64 instance = conn_instance(sk, listening_pid(t), greeted);
	struct text text = { { 0 } };
	struct server_conn *s;

	if (!instance)
		return 0;
	s = conn_new(sk, inode);
	if (!s)
		return 0;
	s->turn.instance = instance;
	s->turn.client = conn_client(sk);
	s->turn.pid = t->tgid;
	bpf_probe_read_kernel(&text, 16, &t->group_leader->comm);
	text.text[15] = 0;
	s->turn.execname = text_remember(&text, 0);
	s->turn.id = __sync_fetch_and_add(&last_conn, 1) + 1;
	conn_init(s, greeted);
	count(&counts.connections);
	return s;
}

#endif
