#include "collector/trace/process.h"
#include "collector/core/field_codes.h"
#include "collector/core/key.h"
#include "collector/core/slice.h"
#include "collector/ring/clean.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_cgroups(unsigned field)
{
	return field >= PROCESS_CGROUP && field <= PROCESS_CONTAINER_NAME;
}

void process_label(const struct process_texts *t, unsigned field, __u64 code, char *out)
{
	if (field == PROCESS_PID || field == PROCESS_PPID)
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
	else if (is_cgroups(field))
		cgroup_label(t->texts_fd, t->paths_fd, code, out);
	else if (code == PROCESS_UNKNOWN || code == PROCESS_NONE)
		snprintf(out, LABEL_MAX + 1, "%s", code == PROCESS_NONE ? "none" : "unknown");
	else
		text_label(t->texts_fd, code, out);
}

/* Cuts longer texts, as the kernel does. */
static __u64 code_of_args(const char *text)
{
	char cut[TEXT_MAX] = "";
	__u64 hash = HASH_SEED;

	strncpy(cut, text, TEXT_MAX - 1);
	text_cut(cut);
	for (size_t i = 0; i < TEXT_MAX && cut[i]; i++)
		hash = hash_byte(hash, cut[i]);
	return hash;
}

static int code_of_number(const char *text, __u64 *ret_code)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n > 0x7fffffff)
		return 0;		/* no process can have that name */
	*ret_code = n;
	return 1;
}

int process_codes(unsigned field, const char *text, __u64 *ret_code, size_t max)
{
	if (!max)
		return -E2BIG;
	if (field == PROCESS_PID || field == PROCESS_PPID)
		return code_of_number(text, ret_code);
	if (field == PROCESS_UNIT || field == PROCESS_CONTAINER)
		*ret_code = cgroup_part_code(text);
	else
		*ret_code = is_cgroups(field) ? cgroup_code(text) : code_of_args(text);
	return max > 1 && clean_code(text, &ret_code[1]) ? 2 : 1;
}
