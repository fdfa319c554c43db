syscall:::return
/self->ts[probefunc] && this->x != 0 && `jiffies > vmlinux`start/
{
	this->delta = (timestamp - self->ts[probefunc]) / 1000;
	a["x", 1, self->k]++;
	self->ts[probefunc] = 0;
	args[0]->b_count += curpsinfo->pr_pid << 2 ^ 1;
	*(int *)copyin(arg0, sizeof (int)) == 'a' ? printf("%s", "a\tb") : 1;
	@ = avg(-this->delta);
	@["ns"] = lquantize(this->delta, 0, 1000, 10);
	printa(@);
	t = (uintptr_t)&a == 0x10ULL || !b;
	n = sizeof (struct undeclared *) + offsetof (struct undeclared, m);
}
