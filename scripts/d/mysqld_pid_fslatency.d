#!/usr/sbin/heatscope-dtrace -s
/*
 * mysqld_pid_fslatency.d - latency of MySQL's and MariaDB's file reads and writes, as distributions.
 *
 *	mysqld_pid_fslatency.d -p PID
 *
 * The functions are those of MariaDB, then those of MySQL 8 and 9, whose names say their parameters, too.  Not all builds export
 * all of them: run it with -l to see which.
 */
#pragma D option quiet
#pragma D option zdefs

BEGIN
{
	printf("Tracing PID %d... Hit Ctrl-C to end.\n", $target);
}

pid$target::my_read:entry, pid$target::my_pread:entry, pid$target::*my_readi*:entry, pid$target::*my_preadi*:entry,
pid$target::*os_file_read_func*:entry, pid$target::my_write:entry, pid$target::my_pwrite:entry,
pid$target::*my_writei*:entry, pid$target::*my_pwritei*:entry, pid$target::*os_file_write_func*:entry
{
	self->start = timestamp;
}

pid$target::my_read:return, pid$target::my_pread:return, pid$target::*my_readi*:return, pid$target::*my_preadi*:return,
pid$target::*os_file_read_func*:return
{
	this->dir = "read";
}

pid$target::my_write:return, pid$target::my_pwrite:return, pid$target::*my_writei*:return,
pid$target::*my_pwritei*:return, pid$target::*os_file_write_func*:return
{
	this->dir = "write";
}

pid$target::my_read:return, pid$target::my_pread:return, pid$target::*my_readi*:return, pid$target::*my_preadi*:return,
pid$target::*os_file_read_func*:return, pid$target::my_write:return, pid$target::my_pwrite:return,
pid$target::*my_writei*:return, pid$target::*my_pwritei*:return, pid$target::*os_file_write_func*:return
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
