/* worksheet.h - a worksheet as it is given, kept and exported: maps of instrumentations, one above the other.
 *
 *      {"schema": "heatscope-worksheet", "version": 1, "name": "MySQL overview", "duration": 300, "yscale": "auto",
 *       "transfer": "log", "threshold": {"unit": "ns", "value": 1e7},
 *       "panels": [{"instrumentation": {"module": "mysql", "stat": "queries", "id": "1", ...}, "measure": "latency",
 *                   "weight": "io", "show": "map", "size": 1}, ...]}
 *
 * Panel   its instrumentation is what would be asked for to make such a one, and maybe the id of one: so it is found
 *         again, or can be made, on another server.  Whether there is one is not looked at here.
 * Shape   what is not said has its default in what comes out: a worksheet that went through here is whole.
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

/* A new reference.  What comes along in a reply (id, uri, ready) is ignored, what a worksheet does not have is refused. */
int worksheet_read(const json_t *given, json_t **ret_worksheet, char *reason);

/* One as it becomes by a request that names some of its properties. */
int worksheet_change(const json_t *worksheet, const json_t *changes, json_t **ret_worksheet, char *reason);

#endif
