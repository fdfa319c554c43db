/* private.h - declares the functions that answer the routes under /ca.  Only the files of api/ include it.
 *
 * Errors  as in doc/api.md.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_API_PRIVATE_H
#define HEATSCOPE_API_PRIVATE_H

#include "aggregator/api/api.h"
#include "aggregator/live/stream.h"
#include "aggregator/promql/promql.h"
#include "aggregator/value/series.h"

struct api {
	struct api_parts parts;
	struct catalog *catalog;
	struct streams streams;
	struct all_series series;
	struct promql promql;
};

#define WORD_MAX 48

struct where {				/* the result of parsing a path */
	char word[WORD_MAX];		/* the piece that has no fixed name; "": none, or too long */
	__u64 id;			/* that piece as a number; 0: it is not a number */
	enum value_kind_id kind;
	const struct catalog_inst *inst;	/* of :id */
};

/* A handler replies to the request exactly once, now or later. */
typedef void api_handler(struct api *api, struct http_request *r, const struct where *w);

api_handler api_instrumentations_list, api_instrumentations_show, api_instrumentations_create, api_instrumentations_clone,
	    api_instrumentations_change, api_instrumentations_erase;
api_handler api_measuring_show, api_measuring_switch;	/* turns all measuring off and on */
api_handler api_annotations_list, api_annotations_show, api_annotations_add, api_annotations_remove;
api_handler api_alerts_list, api_alerts_show, api_alerts_add, api_alerts_remove;
api_handler api_worksheets_list, api_worksheets_show, api_worksheets_add, api_worksheets_clone, api_worksheets_change,
	    api_worksheets_remove;

extern const char openapi_text[];	/* doc/openapi.json, which describes the interface */

#endif
