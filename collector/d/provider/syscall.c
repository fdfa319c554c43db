/* The system calls that the build found in the system's headers, each with entry and return. */
#include "collector/d/provider/provider.h"
#include "collector/metrics/syscall_label.h"

#include <errno.h>

#define MODULE "vmlinux"
#define NUMBERS 1024

static int syscall_add(struct d_probes *all, const struct d_description *d, char *reason)
{
	(void)reason;
	if (all->has_syscalls || !d_glob_matches(d->field[FIELD_PROVIDER], "syscall") ||
	    (!d_glob_matches(d->field[FIELD_NAME], "entry") && !d_glob_matches(d->field[FIELD_NAME], "return")))
		return 0;
	for (unsigned n = 0; n < NUMBERS; n++) {
		const char *name = syscall_name(n);
		struct d_probe entry = { .context = CONTEXT_SYSCALL_ENTRY, .field = { "syscall", MODULE, name, "entry" }, .detail = n };
		struct d_probe returns = { .context = CONTEXT_SYSCALL_RETURN, .field = { "syscall", MODULE, name, "return" }, .detail = n };

		if (name && (!d_probes_add(all, &entry) || !d_probes_add(all, &returns)))
			return -ENOMEM;
	}
	all->has_syscalls = true;
	return 0;
}

const struct d_provider d_provider_syscall = { "syscall", syscall_add };
