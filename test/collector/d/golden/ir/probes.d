tick-1s
{
	trace(id);
}

syscall::read:entry, syscall::write:entry
{
	self->t = timestamp;
}

syscall::read:return
/self->t && arg0 > 0/
{
	@[probefunc, execname] = quantize(timestamp - self->t);
	trace(probefunc);
	x = strjoin(probefunc, "!");
}

syscall::write:entry
{
	trace(arg2);
}
