/* fields.h - lists the fields of the metric http.requests in the order of http.h, and names their codes.
 *
 * Thread  any; constant.
 */
#ifndef HEATSCOPE_HTTP_FIELDS_H
#define HEATSCOPE_HTTP_FIELDS_H

#include "collector/core/field_codes.h"
#include "collector/core/metric.h"

extern const struct metric http_metric;
extern const struct field_codes http_method_codes, http_status_codes, http_class_codes;

#endif
