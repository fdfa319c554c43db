#include "aggregator/base/clock.h"

#include <time.h>

static __s64 clock_read_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (__s64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

__s64 now_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

__s64 boot_ns(void)
{
	return clock_read_ns(CLOCK_BOOTTIME);
}
