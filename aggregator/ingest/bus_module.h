/* bus_module.h - loads the module heatscoped-bus.so: all that needs libnats.  Only heatscoped with --bus does so.
 *
 *      program --bus_module_load()--> struct bus_functions, of bus_ingest.h and bus_group.h
 *      module --> functions of catalog, intake, store queue and libcore, which the program exports (Makefile.am)
 *
 * The program calls the module by this struct alone.  The module calls about 40 functions of the program by their names:
 * a second struct would list them all.
 */
#ifndef HEATSCOPE_BUS_MODULE_H
#define HEATSCOPE_BUS_MODULE_H

#include "aggregator/ingest/bus_ingest.h"

struct bus_functions {			/* as the functions bus_ingest_NAME() */
	int (*new)(uv_loop_t *loop, const struct bus_ingest_conf *conf, struct catalog *catalog, struct intake *intake,
		   struct bus_ingest **ret_ingest, char reason[REASON_MAX]);
	void (*stop)(struct bus_ingest *in);
	void (*close)(struct bus_ingest *in);
	json_t *(*json)(const struct bus_ingest *in);
	__s64 (*stream_created_ns)(const struct bus_ingest *in);
	struct bus_group *(*group)(struct bus_ingest *in);
	struct bus_group_functions {	/* as the functions bus_group_NAME() */
		bool (*leads)(const struct bus_group *g);
		__u64 (*leads_until_ms)(const struct bus_group *g);
		void (*ready)(struct bus_group *g);
		void (*yield)(struct bus_group *g);
		void (*follow_again)(struct bus_group *g);
		int (*ask)(struct bus_group *g, const char *head, const void *body, size_t len, bus_question_answered done,
			   void *arg);
		int (*answer)(struct bus_group *g, const char *reply, const char *head, const void *body, size_t len);
	} of_group;
};

extern const struct bus_functions bus_functions;	/* in the module */

/* Errors as those of module_load(). */
int bus_module_load(const struct bus_functions **ret_functions, char reason[REASON_MAX]);

#endif
