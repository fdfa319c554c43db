#!/usr/sbin/heatscope-dtrace -s
/*
 * mysqld_pid_fslatency.d - latency of MySQL's and MariaDB's file reads and writes, as distributions.
 *
 *	mysqld_pid_fslatency.d -p PID
 *
 * The functions whose names begin with os_ are not exported by all builds, so run it with -Z if there are none.
 */
#pragma D option quiet
#pragma D option zdefs

BEGIN
{
	printf("Tracing PID %d... Hit Ctrl-C to end.\n", $target);
}

pid$target::os_file_read:entry, pid$target::os_file_write:entry, pid$target::my_read:entry, pid$target::my_write:entry,
pid$target::my_pread:entry, pid$target::my_pwrite:entry
{
	self->start = timestamp;
}

pid$target::os_file_read:return, pid$target::my_read:return, pid$target::my_pread:return
{
	this->dir = "read";
}

pid$target::os_file_write:return, pid$target::my_write:return, pid$target::my_pwrite:return
{
	this->dir = "write";
}

pid$target::os_file_read:return, pid$target::os_file_write:return, pid$target::my_read:return, pid$target::my_write:return,
pid$target::my_pread:return, pid$target::my_pwrite:return
/self->start/
{
	@time[this->dir] = quantize(timestamp - self->start);
	@num = count();
	self->start = 0;
}

END
{
	printa("MySQL filesystem I/O: %@d; latency (ns):\n", @num);
	printa(@time);
	clear(@time);
	clear(@num);
}
