#!/usr/sbin/heatscope-dtrace -s
/*
 * mysqld_pid_slow.d - MySQL's and MariaDB's commands that take longer, and how much of it is CPU time.
 *
 *	mysqld_pid_slow.d -p PID MIN_MS
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=2hz

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
	self->query = copyinstr(arg2);
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
