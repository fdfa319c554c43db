/* services.h - the parts of heatscoped that values, streams, reports and requests work with.
 *
 * aggregator.c makes the parts and fills this in; who needs several of them gets a pointer to it instead of the whole aggregator.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_SERVICES_H
#define HEATSCOPE_SERVICES_H

#include "aggregator/base/admission.h"

#include <uv.h>

struct catalog;
struct cube;
struct store_queue;
struct annotations;
struct value;

struct services {
	uv_loop_t *loop;
	struct cube *cube;		/* the newest slots, read on the loop */
	struct store_queue *store_queue;		/* the store's queue */
	struct catalog *catalog;
	struct annotations *annotations;	/* annotations */
	struct admission admission;	/* of values to be read and made, for all servers */
	struct making {
		unsigned n;		/* that workers make now; */
		struct value *first, *last;	/* those that wait for a worker */
	} making[MADE_CLASSES];		/* by value_class() */
	bool keep;			/* no data grow too old: for showing recordings */
	bool stopping;			/* heatscoped ends: no part begins anything more */
};

#endif
