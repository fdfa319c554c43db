/* fuzz_proc - reads any bytes as texts of /proc and /sys/fs/cgroup: the first byte chooses the file. */
#include "collector/proc/cgroups.h"
#include "collector/proc/cpus.h"
#include "collector/proc/disks.h"
#include "collector/proc/loadavg.h"
#include "collector/proc/nics.h"
#include "collector/proc/self.h"
#include "collector/core/slice.h"

/* Every row that was added has a name and values that can be read. */
static void values_read(struct counter_delta *g, struct words *w)
{
	char text[LABEL_MAX + 1];
	__u64 growth[COUNTER_DELTA_VALUES];

	for (size_t i = 0; i < g->now.n; i++) {
		words_text(w, g->now.thing[i].code, text);
		counter_delta_of(g, i, growth);
	}
}

static void try_things(int (*parse)(const void *, size_t, struct counter_delta *, struct words *), size_t n_values,
		       const void *data, size_t len)
{
	struct counter_delta g = { .n_values = n_values };
	struct words w = { 0 };

	for (int i = 0; i < 2; i++) {		/* twice: then all that was read has grown by 0 */
		counter_delta_begin(&g);
		parse(data, len, &g, &w);
		values_read(&g, &w);
	}
	counter_delta_fini(&g);
	words_fini(&w);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t len)
{
	static const char *const names[] = { "anon", "file", NULL, "usage_usec" };
	__u64 value[4] = { 0 };
	struct self_object object;
	char path[32];

	if (!len)
		return 0;
	switch (data[0]) {
	case 'c': try_things(cpus_parse, CPUS_VALUES, data + 1, len - 1); break;
	case 'd': try_things(disks_parse, DISKS_VALUES, data + 1, len - 1); break;
	case 'n': try_things(nics_parse, NICS_VALUES, data + 1, len - 1); break;
	case 'l': loadavg_parse(data + 1, len - 1, value); break;
	case 'f': self_parse_fdinfo(data + 1, len - 1, &object); break;
	case 'p': self_parse_statm(data + 1, len - 1, value); break;
	case 's': cgroups_stat(data + 1, len - 1, names, 4, value); break;
	default:
		cgroups_mount(data + 1, len - 1, NULL, path, sizeof(path));
		cgroups_mount(data + 1, len - 1, "memory", path, sizeof(path));
	}
	return 0;
}
