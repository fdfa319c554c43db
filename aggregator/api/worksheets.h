/* worksheets.h - /ca/worksheets: saved arrangements of maps (doc/api.md).
 *
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_API_WORKSHEETS_H
#define HEATSCOPE_API_WORKSHEETS_H

#include "aggregator/http/http.h"
#include "aggregator/worksheets/worksheets.h"

/* id: as in the path, up to its end or a slash. */
void api_worksheets_list(struct worksheets *worksheets, struct http_request *r);
void api_worksheets_show(struct worksheets *worksheets, struct http_request *r, const char *id);
void api_worksheets_add(struct worksheets *worksheets, struct http_request *r);
void api_worksheets_clone(struct worksheets *worksheets, struct http_request *r, const char *id);
void api_worksheets_change(struct worksheets *worksheets, struct http_request *r, const char *id);
void api_worksheets_remove(struct worksheets *worksheets, struct http_request *r, const char *id);

#endif
