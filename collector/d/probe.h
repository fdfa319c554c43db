/* probe.h - lists the probes that there are, and finds those of a description.
 *
 *      "BEGIN", "dtrace:::END", "*:::E*", "1"  --d_probe_matches()-->  true or false per probe
 *
 * Shape   a description has up to four fields with globs; missing ones are empty, from the left; empty matches all.
 */
#ifndef HEATSCOPE_D_PROBE_H
#define HEATSCOPE_D_PROBE_H

#include <linux/types.h>
#include <stdbool.h>

enum { PROBE_BEGIN = 1, PROBE_END, PROBE_ERROR };

struct d_probe {
	__u32 id;
	const char *provider, *module, *function, *name;
};

const struct d_probe *d_probe_at(unsigned i);		/* NULL: past the last */
bool d_probe_matches(const struct d_probe *p, const char *description);
bool d_probe_is_description(const char *description);	/* false: it has more than four fields, or is too long */

#endif
