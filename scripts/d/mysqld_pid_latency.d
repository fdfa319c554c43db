#!/usr/sbin/heatscope-dtrace -s
/*
 * mysqld_pid_latency.d - latency of MySQL's and MariaDB's commands, as distributions.
 *
 *	mysqld_pid_latency.d -p PID
 */
#pragma D option quiet

BEGIN
{
	printf("Tracing PID %d... Hit Ctrl-C to end.\n", $target);
}

pid$target::*dispatch_command*:entry
{
	self->start = timestamp;
}

pid$target::*dispatch_command*:return
/self->start/
{
	@time = quantize(timestamp - self->start);
	@num = count();
	self->start = 0;
}

END
{
	printa("MySQL queries: %@d; latency (ns):\n", @num);
	printa("%@d", @time);
	clear(@num);
	clear(@time);
}
