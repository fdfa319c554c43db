#include "collector/trace/cgroup.h"
#include "collector/core/field_codes.h"
#include "collector/core/key.h"
#include "collector/core/slice.h"
#include "collector/trace/text.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>

_Static_assert(PATH_MAX_LEN == LABEL_MAX, "a path is a label");

void cgroup_label(int texts_fd, int paths_fd, __u64 code, char *out)
{
	struct path path;

	if (code == CGROUP_UNKNOWN || code == CGROUP_NONE)
		snprintf(out, LABEL_MAX + 1, "%s", code == CGROUP_NONE ? "none" : "unknown");
	else if (!bpf_map_lookup_elem(paths_fd, &code, &path))
		snprintf(out, LABEL_MAX + 1, "%.*s", PATH_MAX_LEN, path.text);
	else
		text_label(texts_fd, code, out);
}

/* Cuts longer texts, as the kernel does. */
static __u64 code_of(const char *text, size_t most)
{
	__u64 hash = HASH_SEED;

	if (!strcmp(text, "none"))
		return CGROUP_NONE;
	for (size_t i = 0; i < most && text[i]; i++)
		hash = hash_byte(hash, text[i]);
	return hash;
}

__u64 cgroup_code(const char *text)
{
	return code_of(text, PATH_MAX_LEN);
}

__u64 cgroup_part_code(const char *text)
{
	return code_of(text, TEXT_MAX - 1);
}
