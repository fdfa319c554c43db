/* views.h - parses the request for a stream of several grids: the parameter `views`, a JSON array.
 *
 *      [{"instrumentation": "1", "measure": "latency", "ncols": 300}, ...] -> (1, measure=latency ncols=300), ...
 *      another parameter of the request (theme=dark)     -> of all views that do not have it themselves
 *
 * Errors  -EINVAL with one sentence in `reason` (REASON_MAX bytes), -ENOMEM.  After them there is nothing to free.
 * Pure    it does not check whether the instrumentation and the parameters exist.
 */
#ifndef HEATSCOPE_VIEWS_H
#define HEATSCOPE_VIEWS_H

#include "aggregator/http/input.h"

#define VIEWS_MAX 128

struct views {
	size_t n;
	struct {
		__u64 inst;
		struct input in;
	} view[VIEWS_MAX];
};

/* param: all parameters of the request; `views` is one of them. */
int views_read(const struct http_param *param, size_t n_params, struct views *ret_views, char *reason);
void views_fini(struct views *v);

#endif
