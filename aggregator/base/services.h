/* services.h - lists the parts of heatscoped that several rooms use: loop, cube, store queue, catalog, annotations.
 *
 * aggregator.c makes the parts and fills this struct.  A part that needs several others gets a pointer to the struct.
 * It also has the limits on values that are being made, and the flags `keep` and `stopping`.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_SERVICES_H
#define HEATSCOPE_SERVICES_H

#include "aggregator/base/making.h"

#include <uv.h>

struct catalog;
struct cube;
struct store_queue;
struct annotations;

struct services {
	uv_loop_t *loop;
	struct cube *cube;		/* the newest slots, read on the loop */
	struct store_queue *store_queue;		/* queue of jobs for the store */
	struct catalog *catalog;
	struct annotations *annotations;	/* notes and alert firings */
	struct admission admission;	/* of values to be read and made, for all servers */
	struct making making[MADE_CLASSES];	/* replies that workers make of what was read */
	bool keep;			/* no data expire: for showing recordings */
	bool stopping;			/* heatscoped ends: no part begins new work */
};

#endif
