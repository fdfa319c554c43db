/* fuzz_main.c - runs a fuzz target over files instead of under a fuzzer.
 *
 * Files are the arguments; without any, those of test/fuzz/corpus/x for a program called fuzz_x.  Prints
 * TAP; a file that crashes the target ends it, which is the failure. */
#include "test/kit/leaks.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

const int fuzz_corpus = 1;		/* under a fuzzer there is none: targets do there in part what takes long */

static int n_run;

static int run(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t room = 16u << 20, len;
	uint8_t *data = malloc(room);

	if (!file || !data) {
		printf("Bail out! %s cannot be read\n", path);
		return 1;
	}
	len = fread(data, 1, room, file);
	fclose(file);
	printf("# %s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, len);
	printf("ok %d - %s\n", ++n_run, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	free(data);
	return 0;
}

static int run_corpus(const char *program)
{
	const char *source = getenv("srcdir"), *name = strstr(program, "fuzz_");
	char dir[1024], path[2048];
	struct dirent *entry;
	int err = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/test/fuzz/corpus/%s", source ? source : ".", name ? name + 5 : "");
	d = opendir(dir);
	if (!d) {
		printf("Bail out! no corpus in %s\n", dir);
		return 1;
	}
	while ((entry = readdir(d)) && !err) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		err = run(path);
	}
	closedir(d);
	return err;
}

int main(int argc, char **argv)
{
	int err = 0;

	for (int i = 1; i < argc && !err; i++)
		err = run(argv[i]);
	if (argc < 2)
		err = run_corpus(strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0]);
	printf("1..%d\n", n_run);
	return err;
}
