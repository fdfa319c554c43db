/* Attaches least.bpf.c, with `parts`, or `parts` and `statement` or `digest`, if told so, and says so, until it is killed. */
#include "least.skel.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct least_bpf *bpf = least_bpf__open();

	if (!bpf)
		return 1;
	bpf->rodata->parts = argc > 1 && !strcmp(argv[1], "parts");
	bpf->rodata->statement = argc > 2 && !strcmp(argv[2], "statement");
	bpf->rodata->digest = argc > 2 && !strcmp(argv[2], "digest");
	if (least_bpf__load(bpf) || least_bpf__attach(bpf))
		return 1;
	puts("attached");
	fflush(stdout);
	pause();
	return 0;
}
