#!/usr/sbin/dtrace -s
#pragma D option quiet
#pragma D option switchrate=10hz
#pragma ident "@(#)clauses.d"

/* a comment */
BEGIN, END
{
	printf("hello %d\n", 6 * 7);	// to the end of the line
	exit(0)
}

syscall::*read*:entry, syscall::write:
/execname == "sshd" && arg0 / 2 > 1/
{
	self->start = timestamp;
	@sizes[execname, probefunc] = quantize(arg2);
}

tick-$1, pid$target:libc.so.6:[a-c]*:entry
{
	;
	trace(x++);;
}
ERROR {}
