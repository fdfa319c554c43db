#!/usr/sbin/heatscope-dtrace -s
/*
 * mysqld_pid_fslatency_slowlog.d - MySQL's and MariaDB's commands during which file reads and writes took long.
 *
 *	mysqld_pid_fslatency_slowlog.d PID
 *
 * The functions are those of MariaDB, then those of MySQL 8 and 9, whose names say their parameters, too.  Not all builds export
 * all of them: run it with -l to see which.
 */
#pragma D option quiet
#pragma D option zdefs

inline int MIN_FS_LATENCY_MS = 100;

BEGIN
{
	min_ns = MIN_FS_LATENCY_MS * 1000000;
	printf("Tracing... Ctrl-C to end.\n");
}

pid$1::*dispatch_command*:entry
{
	self->q_start = timestamp;
	self->io_count = 0;
	self->total_ns = 0;
}

pid$1::my_read:entry, pid$1::my_pread:entry, pid$1::*my_readi*:entry, pid$1::*my_preadi*:entry,
pid$1::*os_file_read_func*:entry, pid$1::my_write:entry, pid$1::my_pwrite:entry, pid$1::*my_writei*:entry,
pid$1::*my_pwritei*:entry, pid$1::*os_file_write_func*:entry
/self->q_start/
{
	self->fs_start = timestamp;
}

pid$1::my_read:return, pid$1::my_pread:return, pid$1::*my_readi*:return, pid$1::*my_preadi*:return,
pid$1::*os_file_read_func*:return, pid$1::my_write:return, pid$1::my_pwrite:return, pid$1::*my_writei*:return,
pid$1::*my_pwritei*:return, pid$1::*os_file_write_func*:return
/self->fs_start/
{
	self->total_ns += timestamp - self->fs_start;
	self->io_count++;
	self->fs_start = 0;
}

pid$1::*dispatch_command*:return
/self->q_start && (self->total_ns > min_ns)/
{
	this->query = (timestamp - self->q_start) / 1000000;
	printf("%Y filesystem I/O during query > %d ms: ", walltimestamp, MIN_FS_LATENCY_MS);
	printf("query %d ms, fs %d ms, %d I/O\n", this->query, self->total_ns / 1000000, self->io_count);
}

pid$1::*dispatch_command*:return
/self->q_start/
{
	self->q_start = 0;
	self->io_count = 0;
	self->total_ns = 0;
}
