#include "collector/trace/block_reason.h"

#include <asm/unistd.h>

static const __u8 table[REASON_CALLS] = {
	[__NR_read] = REASON_BY_FILE, [__NR_write] = REASON_BY_FILE, [__NR_readv] = REASON_BY_FILE, [__NR_writev] = REASON_BY_FILE,

	[__NR_pread64] = REASON_IO, [__NR_pwrite64] = REASON_IO, [__NR_preadv] = REASON_IO, [__NR_pwritev] = REASON_IO,
	[__NR_preadv2] = REASON_IO, [__NR_pwritev2] = REASON_IO, [__NR_sendfile] = REASON_IO, [__NR_copy_file_range] = REASON_IO,
	[__NR_splice] = REASON_IO, [__NR_vmsplice] = REASON_IO, [__NR_tee] = REASON_IO,
	[__NR_fsync] = REASON_IO, [__NR_fdatasync] = REASON_IO, [__NR_sync] = REASON_IO, [__NR_syncfs] = REASON_IO,
	[__NR_sync_file_range] = REASON_IO, [__NR_msync] = REASON_IO,
	[__NR_openat] = REASON_IO, [__NR_openat2] = REASON_IO, [__NR_close] = REASON_IO,
	[__NR_close_range] = REASON_IO, [__NR_fstat] = REASON_IO,
	[__NR_newfstatat] = REASON_IO, [__NR_statx] = REASON_IO, [__NR_statfs] = REASON_IO, [__NR_fstatfs] = REASON_IO,
	[__NR_faccessat] = REASON_IO, [__NR_faccessat2] = REASON_IO,
	[__NR_getdents64] = REASON_IO, [__NR_readlinkat] = REASON_IO,
	[__NR_renameat] = REASON_IO, [__NR_renameat2] = REASON_IO, [__NR_linkat] = REASON_IO,
	[__NR_symlinkat] = REASON_IO, [__NR_unlinkat] = REASON_IO,
	[__NR_mkdirat] = REASON_IO, [__NR_truncate] = REASON_IO,
	[__NR_ftruncate] = REASON_IO, [__NR_fallocate] = REASON_IO, [__NR_fadvise64] = REASON_IO, [__NR_readahead] = REASON_IO,
	[__NR_flock] = REASON_IO, [__NR_io_getevents] = REASON_IO, [__NR_io_pgetevents] = REASON_IO, [__NR_io_submit] = REASON_IO,
	[__NR_io_uring_enter] = REASON_IO,

	[__NR_futex] = REASON_FUTEX, [449] = REASON_FUTEX /* futex_waitv, since Linux 5.16 */, [455] = REASON_FUTEX /* futex_wait, 6.7 */,

	[__NR_recvfrom] = REASON_NET, [__NR_sendto] = REASON_NET, [__NR_recvmsg] = REASON_NET, [__NR_sendmsg] = REASON_NET,
	[__NR_recvmmsg] = REASON_NET, [__NR_sendmmsg] = REASON_NET, [__NR_accept] = REASON_NET, [__NR_accept4] = REASON_NET,
	[__NR_connect] = REASON_NET, [__NR_shutdown] = REASON_NET, [__NR_ppoll] = REASON_NET,
	[__NR_pselect6] = REASON_NET, [__NR_epoll_pwait] = REASON_NET,
	[__NR_epoll_pwait2] = REASON_NET,

	[__NR_nanosleep] = REASON_SLEEP, [__NR_clock_nanosleep] = REASON_SLEEP,

#ifdef __NR_open	/* older calls, which newer processors do not have */
	[__NR_open] = REASON_IO, [__NR_creat] = REASON_IO, [__NR_stat] = REASON_IO, [__NR_lstat] = REASON_IO,
	[__NR_access] = REASON_IO, [__NR_getdents] = REASON_IO, [__NR_readlink] = REASON_IO,
	[__NR_rename] = REASON_IO, [__NR_link] = REASON_IO, [__NR_symlink] = REASON_IO,
	[__NR_unlink] = REASON_IO, [__NR_mkdir] = REASON_IO, [__NR_rmdir] = REASON_IO,
	[__NR_poll] = REASON_NET, [__NR_select] = REASON_NET, [__NR_epoll_wait] = REASON_NET,
#endif
};

const __u8 *reason_table(void)
{
	return table;
}
