/* refuse.h - writes one sentence that says why an input is refused; refuse() has the value -EINVAL.
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

/* Each writes the sentence, cut to `room` or REASON_MAX bytes.  Its value is err; only in a macro can the compiler see
 * that. */
#define refuse_in(err, reason, room, ...) (refuse_because(reason, room, __VA_ARGS__), err)
#define refuse_as(err, reason, ...) refuse_in(err, reason, REASON_MAX, __VA_ARGS__)
#define refuse(reason, ...) refuse_as(-EINVAL, reason, __VA_ARGS__)
#define no_memory(reason) refuse_as(-ENOMEM, reason, "no memory")

void refuse_because(char *reason, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
