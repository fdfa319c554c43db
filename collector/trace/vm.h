/* vm.h - declares the few kernel fields that we read, in place of a vmlinux.h.
 *
 * When libbpf loads a program, it looks up each offset in the running kernel's BTF (preserve_access_index).  So a build
 * needs no BTF, and one object fits every kernel.  For members that a kernel may lack, programs ask
 * bpf_core_field_exists().
 */
#ifndef HEATSCOPE_VM_H
#define HEATSCOPE_VM_H

#include <linux/types.h>
#include "collector/trace/machine.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rq {
	__u64 clock, clock_task;
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
	__u64 exec_start, sum_exec_runtime;
};

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay, last_arrival, last_queued;
};

struct rw_semaphore {
	int owner;			/* only its offset matters */
};

struct mm_struct {
	unsigned long arg_start, arg_end;
	struct rw_semaphore mmap_lock;
};

struct kernfs_node {
	const char *name;
	__u64 id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup *ancestors[];
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct file_system_type {
	const char *name;
};

struct super_block {
	struct file_system_type *s_type;
	unsigned long s_flags;
};

#define S_IFMT 0170000			/* i_mode: include/uapi/linux/stat.h */
#define S_IFSOCK 0140000
#define S_IFREG 0100000
#define S_IFDIR 0040000
#define S_IFIFO 0010000

struct inode {
	__u16 i_mode;
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct path___file {			/* the kernel's `path`; process.h has one, too */
	void *mnt, *dentry;
};

struct file {
	__u32 f_mode;
	void *private_data;
	struct inode *f_inode;
	struct path___file f_path;
};

#define VM_EXEC 4			/* vm_flags: include/linux/mm.h */

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags, vm_pgoff;
	struct file *vm_file;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
	unsigned int flags;
	int group_exit_code;
};

#define PF_EXITING 4			/* flags: include/linux/sched.h */
#define PF_KTHREAD 0x200000

struct task_struct {
	struct thread_info thread_info;
	struct thread_struct thread;
	unsigned int __state, flags;
	unsigned long nvcsw;
	struct sched_entity se;
	struct sched_info sched_info;
	int pid, tgid;
	struct task_struct *real_parent, *group_leader;
	struct css_set *cgroups;
	struct files_struct *files;
	struct mm_struct *mm;
	struct signal_struct *signal;
	__u64 self_exec_id, start_time;
	int exit_code;
	char comm[16];
};

struct in6_addr {
	__u8 bytes[16];
};

struct sock_common {
	unsigned short skc_family;
	volatile unsigned char skc_state;
	__u16 skc_num, skc_dport;
	__u32 skc_daddr, skc_rcv_saddr;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct socket;

struct sk_buff_head {
	__u32 qlen;
};

struct sock {
	struct sock_common __sk_common;
	struct sk_buff_head sk_receive_queue;
	__u16 sk_type, sk_protocol;
	int sk_err;
	struct socket *sk_socket;
	void *sk_bpf_storage;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct bpf_local_storage {		/* of a socket, for all maps; since Linux 5.10 */
	struct hlist_head list;
};

struct bpf_local_storage_data {
	void *smap;			/* the map */
	__u8 data[];
};

struct bpf_local_storage_elem {
	struct hlist_node snode;	/* in the list */
	struct bpf_local_storage_data sdata;
};

struct inet_sock {
	__u16 inet_sport;
};

struct tcp_sock {
	__u32 srtt_us, rcv_nxt, copied_seq;
	__u64 bytes_received, bytes_sent;
};

struct socket {
	struct file *file;
	struct sock *sk;
};

struct net_device {
	char name[16];
};

struct skb_shared_info {
	__u16 gso_segs;
};

struct sk_buff {
	struct sock *sk;
	struct net_device *dev;
	unsigned int len, data_len, end;
	__u16 protocol, network_header;
	unsigned char *head, *data;
};

struct sockaddr_un {
	__u16 sun_family;
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[];
};

struct unix_sock {
	struct unix_address *addr;
};

struct gendisk {
	char disk_name[32];
};

struct request_queue {
	unsigned long queue_flags;
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	__u32 cmd_flags, rq_flags;
	unsigned int __data_len;
	__u64 __sector;
	__u64 start_time_ns, io_start_time_ns;
};

struct seq_file;
struct bpf_map;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	void *key;
	void *value;
};

struct bpf_iter__bpf_sk_storage_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
	struct sock *sk;
	void *value;
};

struct file;

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};

struct bpf_iter__task_vma {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct vm_area_struct *vma;
};

#pragma clang attribute pop

#endif
