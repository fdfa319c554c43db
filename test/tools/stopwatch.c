/* stopwatch - measures how long a thread was blocked in each system call, how long it was in it, and what these
 * returned.
 *
 *      stopwatch THREAD        says `ready`; at the end of its input prints "NUMBER BLOCKED_NS NS SUM" per call: its number on this machine
 *
 * stopwatch.bpf.c says how. */
#include "test/tools/stopwatch.skel.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct stopwatch_bpf *bpf = argc == 2 ? stopwatch_bpf__open() : NULL;
	size_t i;

	if (!bpf)
		return 2;
	bpf->bss->thread = atoi(argv[1]);
	if (stopwatch_bpf__load(bpf) || stopwatch_bpf__attach(bpf))
		return 1;
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	for (i = 0; i < sizeof(bpf->bss->blocked_ns) / sizeof(*bpf->bss->blocked_ns); i++)
		if (bpf->bss->blocked_ns[i] || bpf->bss->whole_ns[i])
			printf("%zu %llu %llu %llu\n", i, (unsigned long long)bpf->bss->blocked_ns[i],
			       (unsigned long long)bpf->bss->whole_ns[i], (unsigned long long)bpf->bss->returned[i]);
	stopwatch_bpf__destroy(bpf);
	return 0;
}
