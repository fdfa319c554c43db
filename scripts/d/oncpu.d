#!/usr/sbin/heatscope-dtrace -s
/*
 * oncpu.d - what a process computes: its stacks at 997 moments per second and CPU.
 *
 *	oncpu.d -p PID
 */
#pragma D option quiet

profile-997
/pid == $target && arg1/
{
	@[ustack(8)] = count();
}

END
{
	trunc(@, 10);
	printa("%k%@d\n", @);
}
