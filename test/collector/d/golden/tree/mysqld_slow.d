/* As in F4 of the seeds: queries slower than $1 ms. */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz

dtrace:::BEGIN
/$1 == 0/
{
	printf("USAGE: %s -p PID min_ms\n\n", $$0);
	exit(1);
}

dtrace:::BEGIN
{
	min_ns = $1 * 1000000;
	printf("%-20s %8s %8s %s\n", "TIME", "ms", "CPU", "QUERY");
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
	printf("%Y %8d %8d %S\n", walltimestamp, this->time, this->vtime, self->query);
}

pid$target::*dispatch_command*:return
{
	self->query = 0; self->start = 0; self->vstart = 0;
}
