/* stopwatch - how long a thread was blocked in each system call.
 *
 *      stopwatch THREAD        says `ready`; at the end of its input prints "NUMBER NS" per call: its number on this machine
 *
 * stopwatch.bpf.c tells how. */
#include "test/stopwatch.skel.h"

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
		if (bpf->bss->blocked_ns[i])
			printf("%zu %llu\n", i, (unsigned long long)bpf->bss->blocked_ns[i]);
	stopwatch_bpf__destroy(bpf);
	return 0;
}
