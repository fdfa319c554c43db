/* Attaches least.bpf.c, and says so, until it is killed.
 *
 *      least [parts [statement | digest] [reasons]]
 */
#include "least.skel.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Which of a program's constants a word sets; NULL: none. */
static int *constant(struct least_bpf__rodata *constants, const char *word)
{
	if (!strcmp(word, "parts"))
		return &constants->parts;
	if (!strcmp(word, "statement"))
		return &constants->statement;
	if (!strcmp(word, "digest"))
		return &constants->digest;
	return strcmp(word, "reasons") ? NULL : &constants->reasons;
}

int main(int argc, char **argv)
{
	struct least_bpf *bpf = least_bpf__open();
	int i;

	if (!bpf)
		return 1;
	for (i = 1; i < argc; i++) {
		int *set = constant(bpf->rodata, argv[i]);

		if (!set || strcmp(argv[1], "parts")) {
			fputs("usage: least [parts [statement | digest] [reasons]]\n", stderr);
			return 2;
		}
		*set = 1;
	}
	bpf_program__set_autoload(bpf->progs.left, bpf->rodata->reasons);
	if (least_bpf__load(bpf) || least_bpf__attach(bpf))
		return 1;
	puts("attached");
	fflush(stdout);
	pause();
	return 0;
}
