#include "collector/trace/process.h"
#include "collector/core/field_codes.h"
#include "collector/core/key.h"
#include "collector/core/slice.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(PATH_MAX_LEN == LABEL_MAX, "a path is a label");

static void label_path(int paths_fd, __u64 code, char *out)
{
	struct path path;

	if (bpf_map_lookup_elem(paths_fd, &code, &path))
		codes_hash_label(code, out);
	else
		snprintf(out, LABEL_MAX + 1, "%.*s", PATH_MAX_LEN, path.text);
}

void process_label(const struct process_texts *t, unsigned field, __u64 code, char *out)
{
	if (field == PROCESS_PID || field == PROCESS_PPID)
		snprintf(out, LABEL_MAX + 1, "%llu", (unsigned long long)code);
	else if (code == PROCESS_UNKNOWN || code == PROCESS_NONE)
		snprintf(out, LABEL_MAX + 1, "%s", code == PROCESS_NONE ? "none" : "unknown");
	else if (field == PROCESS_CGROUP)
		label_path(t->paths_fd, code, out);
	else
		text_label(t->texts_fd, code, out);
}

static __u64 code_of(const char *text, size_t most)
{
	__u64 hash = HASH_SEED;

	for (size_t i = 0; i < most && text[i]; i++)
		hash = hash_byte(hash, text[i]);
	return hash;
}

/* Cuts longer texts, as the kernel does. */
static __u64 code_of_args(const char *text)
{
	char cut[TEXT_MAX] = "";

	strncpy(cut, text, TEXT_MAX - 1);
	text_cut(cut);
	return code_of(cut, TEXT_MAX);
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
	if (!strcmp(text, "none") && (field == PROCESS_UNIT || field == PROCESS_CONTAINER))
		*ret_code = PROCESS_NONE;
	else if (field == PROCESS_CGROUP)
		*ret_code = code_of(text, PATH_MAX_LEN);
	else
		*ret_code = code_of_args(text);
	return 1;
}
