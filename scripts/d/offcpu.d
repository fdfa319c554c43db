#!/usr/sbin/heatscope-dtrace -s
/*
 * offcpu.d - where a process leaves the CPU: stacks of its threads in the kernel, and how long they were away, in us.
 *
 *	offcpu.d -p PID
 */
#pragma D option quiet

sched:::off-cpu
/pid == $target/
{
	self->start = timestamp;
	@calls[ustack(8)] = count();
}

sched:::on-cpu
/self->start/
{
	@["off-cpu (us)", stack(8)] = quantize((timestamp - self->start) / 1000);
	self->start = 0;
}

END
{
	trunc(@calls, 5);
	trunc(@, 5);
	printa("%k%@d\n", @calls);
	printa(@);
}
