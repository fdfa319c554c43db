#include "collector/probe/self_stats.h"

static struct self_stats_tick tick[SELF_STATS_TICKS];
static __u64 n_ticks;			/* since the start */
static __u64 late_ns;
static struct self_stats_spool spool;

void self_stats_put(const struct self_stats_tick *t)
{
	tick[n_ticks++ % SELF_STATS_TICKS] = *t;
}

void self_stats_late(__u64 ns)
{
	late_ns = ns;
}

__u64 self_stats_lateness(void)
{
	return late_ns;
}

int self_stats_next(__u64 *at, struct self_stats_tick *ret_tick)
{
	if (*at >= n_ticks)
		return 0;
	if (n_ticks - *at > SELF_STATS_TICKS)
		*at = n_ticks - SELF_STATS_TICKS;
	*ret_tick = tick[(*at)++ % SELF_STATS_TICKS];
	return 1;
}

__u64 self_stats_now(void)
{
	return n_ticks;
}

void self_stats_spool_set(const struct self_stats_spool *s)
{
	spool = *s;
}

struct self_stats_spool self_stats_spool_get(void)
{
	return spool;
}
