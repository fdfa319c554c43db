/* self_report.h - says what the collector itself uses and has lost, for a STATE to the aggregator.
 *
 *      {"started": ns since 1970, "cpu": ns, "resident": bytes, "spool": bytes that wait, "in_flight": batches,
 *       "dropped_batches": n, "dropped_events": n, "programs": BPF programs, "maps": bytes of kernel memory}
 *
 * All but spool, in_flight, resident, programs and maps grow from the start of the process on.  A value that cannot be read is left out.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_SELF_REPORT_H
#define HEATSCOPE_SELF_REPORT_H

#include "collector/spool.h"

#include <jansson.h>

json_t *self_report_json(const struct spool_stats *spool, __s64 started_ns);	/* NULL: no memory */

#endif
