BEGIN
/execname == "sshd"/
{
	self->name = strjoin(probename, "x");
	a[pid, self->name] = strlen(self->name);
	trace(a[1, "y"] ? self->name : "none");
	a[pid, "z"] = 0;
	trace(*(int *)16);
}
