/* views.h - what a stream of several grids is asked for: the parameter `views`, a JSON array.
 *
 *      [{"instrumentation": "1", "measure": "latency", "ncols": 300}, ...] -> (1, measure=latency ncols=300), ...
 *
 * Errors  -EINVAL with one sentence in `reason` (REASON_MAX bytes), -ENOMEM.  After them there is nothing to free.
 * Pure    whether there is such an instrumentation, and such a parameter, is not looked at.
 */
#ifndef HEATSCOPE_VIEWS_H
#define HEATSCOPE_VIEWS_H

#include "input.h"

#define VIEWS_MAX 32

struct views {
	size_t n;
	struct {
		__u64 inst;
		struct input in;	/* of one of a stream's own parameters each */
	} view[VIEWS_MAX];
};

int views_read(const char *text, struct views *ret_views, char *reason);
void views_fini(struct views *v);

#endif
