/* annotations.h - /ca/annotations: notes and firings, listed, made and removed.
 *
 * Errors  as everywhere under /ca: doc/api.md.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_API_JOURNAL_H
#define HEATSCOPE_API_JOURNAL_H

#include "aggregator/http/http.h"
#include "aggregator/base/services.h"

void api_journal_list(struct services *services, struct http_request *r);
void api_journal_add(struct services *services, struct http_request *r);
void api_journal_show(struct services *services, struct http_request *r, __u64 id);
void api_journal_remove(struct services *services, struct http_request *r, __u64 id);

#endif
