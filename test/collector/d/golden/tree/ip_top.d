#pragma D option quiet
#pragma D option defaultargs

BEGIN { ts = timestamp; }
ip:::send { @bytes[args[2]->ip_daddr, probename] = sum(args[2]->ip_plength); }
ip:::receive { @bytes[args[2]->ip_saddr, probename] = sum(args[2]->ip_plength); }
tick-$1
{
	trunc(@bytes, $9);
	normalize(@bytes, (timestamp - ts) / 1000000000);
	printf("%Y\n", walltimestamp);
	printa("%-15s %-10s %@15d\n", @bytes);
	ts = timestamp;
	setopt("aggsortkey", true);
}
