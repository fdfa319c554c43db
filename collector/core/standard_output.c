#include "collector/core/standard_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The reason is lost if an earlier write failed and this one has nothing left to write. */
static void check_output(int status, void *program)
{
	int had_failed = ferror(stdout), err = fflush(stdout) ? errno : 0;

	if (status || (!had_failed && !err))
		return;
	if (err != EPIPE)
		fprintf(stderr, "%s: standard output cannot be written%s%s\n", (const char *)program, err ? ": " : "", err ? strerror(err) : "");
	_exit(1);
}

void standard_output_guard(const char *program)
{
	on_exit(check_output, (void *)program);
}
