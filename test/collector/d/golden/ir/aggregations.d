BEGIN
{
	@n[pid, execname] = count();
	@n[1, "a longer name than that"] = count();
	@a = avg(pid);
	@b = min(pid);
	@c = max(pid);
	@d = stddev(pid);
	@e = lquantize(pid, 0, 100, 10);
	normalize(@n, pid);
}
