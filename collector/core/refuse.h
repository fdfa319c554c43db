/* refuse.h - why something that somebody gave us is not taken, as one sentence.
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

/* Writes the sentence, cut to REASON_MAX bytes; its value is -EINVAL, which the compiler sees in a macro only. */
#define refuse(reason, ...) (refuse_because(reason, __VA_ARGS__), -EINVAL)

void refuse_because(char reason[REASON_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
