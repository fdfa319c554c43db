#!/usr/sbin/heatscope-dtrace -s
/*
 * postgresql_qsnoop.d - PostgreSQL's queries one by one, as they end: time of the start, process, duration, text.
 *
 *	postgresql_qsnoop.d
 */
#pragma D option quiet
#pragma D option switchrate=10hz

BEGIN
{
	printf("Tracing, begun... Hit Ctrl-C to end.\n");
	printf("%-8s %-8s %-8s %s\n", "TIME(ms)", "PID", "ms", "QUERY");
	start = timestamp;
}

postgresql*:::query-start
{
	self->query = copyinstr(arg0);
	self->start = timestamp;
}

postgresql*:::query-done
/self->start/
{
	this->ms = (timestamp - self->start) / 1000000;
	printf("%-8d %-8d %-8d %s\n", (self->start - start) / 1000000, pid, this->ms, self->query);
	self->query = 0;
	self->start = 0;
}
