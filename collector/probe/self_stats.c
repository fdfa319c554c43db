#include "collector/probe/self_stats.h"

static struct pulse_tick tick[PULSE_TICKS];
static __u64 n_ticks;			/* since the start */
static __u64 late_ns;
static struct pulse_spool spool;

void pulse_put(const struct pulse_tick *t)
{
	tick[n_ticks++ % PULSE_TICKS] = *t;
}

void pulse_late(__u64 ns)
{
	late_ns = ns;
}

__u64 pulse_lateness(void)
{
	return late_ns;
}

int pulse_next(__u64 *at, struct pulse_tick *ret_tick)
{
	if (*at >= n_ticks)
		return 0;
	if (n_ticks - *at > PULSE_TICKS)
		*at = n_ticks - PULSE_TICKS;
	*ret_tick = tick[(*at)++ % PULSE_TICKS];
	return 1;
}

__u64 pulse_now(void)
{
	return n_ticks;
}

void pulse_spool_set(const struct pulse_spool *s)
{
	spool = *s;
}

struct pulse_spool pulse_spool_get(void)
{
	return spool;
}
