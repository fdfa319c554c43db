/* provider.h - lists where probes come from.
 *
 *      a description --add()--> the probes that it may name, which are not in the list so far
 *
 * A provider adds what a description names; the list's own matching then chooses.  d_session_attach() attaches a probe by its
 * context, not by its provider.
 * Errors  -EINVAL: a description that this provider cannot have; reason says why in one sentence.  -ENOMEM.
 *         0, and reason is not empty: what add() could not look into.
 */
#ifndef HEATSCOPE_PROVIDER_PROVIDER_H
#define HEATSCOPE_PROVIDER_PROVIDER_H

#include "collector/d/tree/probe.h"

#define D_PROVIDER_REASON_MAX 240

struct d_provider {
	const char *name;
	int (*add)(struct d_probes *all, const struct d_description *d, char *reason);		/* *reason: 0 before */
};

const struct d_provider *d_provider_at(size_t i);		/* NULL: past the last */

extern const struct d_provider d_provider_profile, d_provider_syscall, d_provider_pid, d_provider_static, d_provider_sched;

#endif
