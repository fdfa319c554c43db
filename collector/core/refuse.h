/* refuse.h - writes in one sentence why we do not accept an input.
 *
 *      if (n > MAX)
 *              return refuse(reason, "there are %d of them already, which is the limit", MAX);
 *
 * Thread  any.
 */
#ifndef HEATSCOPE_REFUSE_H
#define HEATSCOPE_REFUSE_H

#include "collector/core/metric.h"

#include <errno.h>

/* Writes the sentence, cut to REASON_MAX bytes.  Its value is err; only in a macro can the compiler see that. */
#define refuse_as(err, reason, ...) (refuse_because(reason, __VA_ARGS__), err)
#define refuse(reason, ...) refuse_as(-EINVAL, reason, __VA_ARGS__)
#define no_memory(reason) refuse_as(-ENOMEM, reason, "no memory")

void refuse_because(char reason[REASON_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
