#!/usr/sbin/heatscope-dtrace -s
/*
 * offcpu.d - where a process waits: the stacks of its threads when they leave the CPU, and for how long, in us.
 *
 *	offcpu.d -p PID
 */
#pragma D option quiet

sched:::off-cpu
/pid == $target/
{
	self->start = timestamp;
}

sched:::on-cpu
/self->start/
{
	@["off-cpu (us)", ustack(8)] = quantize((timestamp - self->start) / 1000);
	self->start = 0;
}

END
{
	trunc(@, 5);
	printa(@);
}
