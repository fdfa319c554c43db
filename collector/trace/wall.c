#include "collector/trace/wall.h"

#include <stdint.h>

__s64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Uses the narrowest of a few brackets, because we may be interrupted between two readings. */
__s64 wall_offset(void)
{
	__s64 best = 0, width = INT64_MAX;
	int i;

	for (i = 0; i < 5; i++) {
		__s64 before = clock_ns(CLOCK_MONOTONIC), wall = clock_ns(CLOCK_REALTIME),
		      after = clock_ns(CLOCK_MONOTONIC);

		if (after - before < width) {
			width = after - before;
			best = wall - (before + width / 2);
		}
	}
	return best;
}
