/* alerts.h - /ca/alerts: rules with their states, listed, made and removed.
 *
 * Errors  as everywhere under /ca: doc/api.md.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_API_ALERTS_H
#define HEATSCOPE_API_ALERTS_H

#include "aggregator/notify/alerts.h"
#include "aggregator/http/http.h"

void api_alerts_list(struct alerts *alerts, struct http_request *r);
void api_alerts_add(struct alerts *alerts, struct http_request *r);
void api_alerts_show(struct alerts *alerts, struct http_request *r, __u64 id);
void api_alerts_remove(struct alerts *alerts, struct http_request *r, __u64 id);

#endif
