/* Attaches least.bpf.c and says so, until it is killed. */
#include "least.skel.h"

#include <stdio.h>
#include <unistd.h>

int main(void)
{
	struct least_bpf *bpf = least_bpf__open_and_load();

	if (!bpf || least_bpf__attach(bpf))
		return 1;
	puts("attached");
	fflush(stdout);
	pause();
	return 0;
}
