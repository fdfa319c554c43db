/* sched:::off-cpu and sched:::on-cpu: the scheduler takes a thread off a CPU, or puts it on one. */
#include "collector/d/provider/provider.h"

#include <errno.h>

static int sched_add(struct d_probes *all, const struct d_description *d, char *reason)
{
	static const struct d_probe probes[] = {
		{ .context = CONTEXT_OFF_CPU, .field = { "sched", "vmlinux", "", "off-cpu" } },
		{ .context = CONTEXT_ON_CPU, .field = { "sched", "vmlinux", "", "on-cpu" } },
	};

	(void)reason;
	for (unsigned i = 0; i < 2 && d_glob_matches(d->field[FIELD_PROVIDER], "sched"); i++)
		if (d_glob_matches(d->field[FIELD_NAME], probes[i].field[FIELD_NAME]) && !d_probes_add(all, &probes[i]))
			return -ENOMEM;
	return 0;
}

const struct d_provider d_provider_sched = { "sched", sched_add };
