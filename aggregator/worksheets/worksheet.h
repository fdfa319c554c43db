/* worksheet.h - reads and checks a worksheet: maps of instrumentations, one above the other.
 *
 *      {"schema": "heatscope-worksheet", "version": 1, "name": "MySQL overview", "duration": 300, "yscale": "auto",
 *       "transfer": "log", "threshold": {"unit": "ns", "value": 1e7},
 *       "panels": [{"instrumentation": {"module": "mysql", "stat": "queries", "id": "1", ...}, "measure": "latency",
 *                   "weight": "io", "show": "map", "size": 1}, ...]}
 *
 * Panel   a panel has the request that makes its instrumentation, and perhaps its id.  So another server can find the
 *         instrumentation, or make it.  This module does not check whether it exists.
 * Shape   the result is complete: missing members get their defaults.
 * Errors  -EINVAL with a sentence in `reason` (REASON_MAX bytes), -ENOMEM.
 * Pure    no store, loop or clock.
 */
#ifndef HEATSCOPE_WORKSHEET_H
#define HEATSCOPE_WORKSHEET_H

#include "collector/core/instrumentation.h"

#define WORKSHEET_SCHEMA "heatscope-worksheet"
#define WORKSHEET_VERSION 1
#define WORKSHEET_PANELS_MAX 12
#define WORKSHEET_NAME_BYTES 120

/* Returns a new reference.  Ignores the members that a reply adds (id, uri, ready); refuses unknown ones. */
int worksheet_read(const json_t *given, json_t **ret_worksheet, char *reason);

/* Applies a request that names some of its properties. */
int worksheet_change(const json_t *worksheet, const json_t *changes, json_t **ret_worksheet, char *reason);

#endif
