/* viewer.h - runs the program `heatscope` to create the instrumentations of a script's metrics, and to show the first of them.
 *
 *      d_viewer_start()       a process: heatscope create METRIC ..., for each; then, if it shows, heatscope watch ID
 *      d_viewer_has_ended()   it failed, or a person has closed the map: the script is to end
 *      d_viewer_stop()        closes the map
 *
 * The metrics are offered only once heatscoped has our hello, so the process tries for some seconds.  It prints the address of
 * each map on stderr.
 * Errors  0 or -errno.
 */
#ifndef HEATSCOPE_D_VIEWER_H
#define HEATSCOPE_D_VIEWER_H

#include "collector/core/metric.h"

#include <stdbool.h>
#include <sys/types.h>

struct d_viewer {
	const char *url;		/* heatscoped's; NULL: that of `heatscope` */
	bool shows;			/* in this terminal */
	pid_t pid;			/* 0: it has ended */
	bool failed;
};

int d_viewer_start(struct d_viewer *v, const struct metric *metrics, size_t n);
bool d_viewer_has_ended(struct d_viewer *v);
void d_viewer_stop(struct d_viewer *v);

#endif
