#!/usr/sbin/heatscope-dtrace -s
/*
 * mysqld_pid_slow.d - MySQL's and MariaDB's commands that take longer, and how much of it is CPU time.
 *
 *	mysqld_pid_slow.d -p PID MIN_MS
 *
 * MariaDB gives dispatch_command() the command's number and, third, its text.  MySQL (since 5.7) gives it an address first,
 * then that of a structure which begins with the text's address if the third argument says COM_QUERY.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=2hz

inline int COM_QUERY = 3;

BEGIN
/$1 == 0/
{
	printf("USAGE: %s -p PID MIN_MS\n\n\teg: %s -p 12345 100\n", $$0, $$0);
	exit(1);
}

BEGIN
{
	min_ns = $1 * 1000000;
	printf("Tracing... Min query time: %d ns.\n\n", min_ns);
	printf(" %-8s %-8s %s\n", "TIME(ms)", "CPU(ms)", "QUERY");
}

pid$target::*dispatch_command*:entry
{
	self->query = arg0 < 256 ? copyinstr(arg2) : arg2 == COM_QUERY ? copyinstr(*(uintptr_t *)copyin(arg1, 8)) : "";
	self->start = timestamp;
	self->vstart = vtimestamp;
}

pid$target::*dispatch_command*:return
/self->start && (timestamp - self->start) > min_ns/
{
	this->time = (timestamp - self->start) / 1000000;
	this->vtime = (vtimestamp - self->vstart) / 1000000;
	printf(" %-8d %-8d %S\n", this->time, this->vtime, self->query);
}

pid$target::*dispatch_command*:return
/self->start/
{
	self->query = 0;
	self->start = 0;
	self->vstart = 0;
}
