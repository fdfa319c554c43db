/* reply.h - writes the begin and the end of every value's reply.
 *
 *      reply_begin() -> the kind's own members -> reply_end(): the value's data, or reply_fail(): its status and reason
 *
 * Errors  0 or -errno; functions that write into bytes keep their error there.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_REPLY_H
#define HEATSCOPE_VALUE_REPLY_H

#include "aggregator/value/value.h"

/* Sets the title of its pictures, and the unit of its counts. */
void reply_title(struct value *v, const struct catalog_inst *ci);

/* Writes the opening brace and the head. */
void reply_begin(struct value *v, struct bytes *out);

/* Writes the values of a rectangle: the whole buckets, first..last, and the requested range. */
void reply_edges(const struct value *v, struct bytes *out, __u64 first, __u64 last);

/* Write the losses and the coverage: of a grid with one column; of a fold without slices.  -ENOMEM. */
void reply_losses(struct bytes *out, const struct grid *g);
int reply_honesty(struct bytes *out, struct fold *f, bool *ret_dropped);

/* Writes the closing brace; the text becomes the value's data.  -ENOMEM. */
int reply_end(struct value *v, struct bytes *out);

/* Replies an error instead: status and code, and a reason unless it is set. */
void reply_fail(struct value *v, int err);

const char *reply_measure(const struct value *v, int axis);

/* Returns a measure's name for people: "time on the CPU" of cputime. */
const char *reply_measure_title(const char *measure);

/* Returns "image/png" for FORMAT_PNG. */
const char *reply_type(enum value_format format);

#endif
