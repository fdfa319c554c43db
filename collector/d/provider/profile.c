/* profile-N and tick-N: a probe is made for each rate that a description names. */
#include "collector/d/provider/provider.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_MIN_NS 200000
#define PERIOD_MAX_NS (1000ull * 86400 * 1000000000)

static const struct {
	const char *name;
	__u64 ns;			/* 0: per second */
} units[] = {
	{ "", 0 }, { "hz", 0 }, { "ns", 1 }, { "nsec", 1 }, { "us", 1000 }, { "usec", 1000 }, { "ms", 1000000 }, { "msec", 1000000 },
	{ "s", 1000000000 }, { "sec", 1000000000 }, { "m", 60000000000 }, { "min", 60000000000 }, { "h", 3600000000000 }, { "hour", 3600000000000 },
	{ "d", 86400000000000 }, { "day", 86400000000000 },
};

/* "10ms" to nanoseconds; 0: it is no rate. */
static __u64 period(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (end == text || !n || n > 1000000000000ull)
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].name))
			return !units[i].ns ? 1000000000 / n : n <= PERIOD_MAX_NS / units[i].ns ? n * units[i].ns : 0;
	return 0;
}

static int profile_add(struct d_probes *all, const struct d_description *d, char *reason)
{
	const char *name = d->field[FIELD_NAME];
	bool is_tick = !strncmp(name, "tick-", 5), is_profile = !strncmp(name, "profile-", 8);
	__u64 ns;

	if (!d_glob_matches(d->field[FIELD_PROVIDER], "profile") || (!is_tick && !is_profile) || *d->field[FIELD_MODULE] ||
	    *d->field[FIELD_FUNCTION] || strpbrk(name, "*?["))
		return 0;
	ns = period(name + (is_tick ? 5 : 8));
	if (!ns || ns < PERIOD_MIN_NS) {
		snprintf(reason, D_PROVIDER_REASON_MAX, "%s: a rate is a number with hz, ns, us, ms, s, m, h or d, of at least 200us, as in tick-1s", name);
		return -EINVAL;
	}
	return d_probes_add(all, &(struct d_probe){ .context = is_tick ? CONTEXT_TICK : CONTEXT_PROFILE,
						    .field = { "profile", "", "", name }, .detail = ns }) ? 0 : -ENOMEM;
}

const struct d_provider d_provider_profile = { "profile", profile_add };
