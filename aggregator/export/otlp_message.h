/* otlp_message.h - the request of OTLP as protobuf-c has it in memory (otlp.proto), and its form as JSON.
 *
 *      otlp_points.c --Otlp__ExportRequest--> otlp_json_write() --> {"resourceMetrics":[{"resource":{"attributes":[...]},...}]}
 *
 * Shape   that of protobuf's JSON mapping, as OTLP wants it: names in camel case, 64-bit integers as texts, enumerations as
 *         numbers.
 * Errors  the buffer remembers the first one.
 * Thread  any.
 */
#ifndef HEATSCOPE_EXPORT_OTLP_MESSAGE_H
#define HEATSCOPE_EXPORT_OTLP_MESSAGE_H

#include "aggregator/export/otlp.pb-c.h"
#include "collector/core/bytes.h"

void otlp_json_write(const Otlp__ExportRequest *request, struct bytes *out);

#endif
