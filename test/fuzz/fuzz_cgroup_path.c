/* fuzz_cgroup_path - reads any bytes as a path of a control group, and as names of a kubelet's logs.
 *
 * Every user who may make containers on the host chooses such names. */
#include "collector/trace/cgroup_name.h"
#include "collector/trace/pod_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_part(struct cgroup_part part, __u32 n)
{
	must(part.n <= n && part.at <= n && part.at + part.n <= n);
}

/* Reads each part of the path as the kernel's side does. */
static void try_path(const char *path)
{
	int above = CGROUP_PLAIN;

	while (*path) {
		char name[CGROUP_NAME_ROOM] = "";
		__u32 n = strcspn(path, "/");

		if (n >= sizeof(name))
			return;
		memcpy(name, path, n);
		cgroup_is_unit(name, n);
		check_part(cgroup_container(name, n, above), n);
		check_part(cgroup_pod(name, n), n);
		above = cgroup_below(name, n);
		path += n + (path[n] == '/');
	}
}

static void try_name(int (*read_name)(const char *text, struct pod_name *ret), const char *text)
{
	struct pod_name name;

	if (read_name(text, &name))
		return;
	must(memchr(name.entry.name.text, 0, sizeof(name.entry.name.text)) != NULL);
	must(name.entry.name.text[0] && name.entry.code != CGROUP_UNKNOWN);
	for (const char *c = name.entry.name.text; *c; c++)
		must(*c > ' ' && *c <= 'z');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1);

	must(text != NULL);
	memcpy(text, data, len);
	text[len] = 0;
	try_path(text);
	try_name(pod_name_of_pod, text);
	try_name(pod_name_of_log, text);
	free(text);
	return 0;
}
