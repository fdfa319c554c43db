/* source_name.h - checks the name of a source, which is a label of keys and is shown everywhere.
 *
 *      --source NAME, the host's name --source_name_check()--> HELLO --source_name_check()--> catalog
 *
 * Names   1 to 63 bytes of UTF-8 without blanks, control characters, / and , : keys and lists of selected keys contain
 *         them.
 * Errors  -EINVAL with one sentence in `reason` (REASON_MAX bytes), which shows the beginning of the name, escaped.
 * Thread  any.
 */
#ifndef HEATSCOPE_SOURCE_NAME_H
#define HEATSCOPE_SOURCE_NAME_H

#include "collector/core/metric.h"

int source_name_check(const char *name, char *reason);	/* NULL is not a name */

#endif
