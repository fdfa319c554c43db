/* api_worksheets.h - /ca/worksheets: saved arrangements of maps (doc/api.md).
 *
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_API_WORKSHEETS_H
#define HEATSCOPE_API_WORKSHEETS_H

#include "aggregator.h"
#include "http.h"

/* id: as in the path, up to its end or a slash. */
void api_worksheets_list(struct aggregator *a, struct http_request *r);
void api_worksheets_show(struct aggregator *a, struct http_request *r, const char *id);
void api_worksheets_add(struct aggregator *a, struct http_request *r);
void api_worksheets_clone(struct aggregator *a, struct http_request *r, const char *id);
void api_worksheets_change(struct aggregator *a, struct http_request *r, const char *id);
void api_worksheets_remove(struct aggregator *a, struct http_request *r, const char *id);

#endif
