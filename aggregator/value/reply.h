/* reply.h - what all kinds of value replies begin and end with.
 *
 *      reply_begin() -> what the kind has to say -> reply_end(): the value's data, or reply_fail(): its status and reason
 *
 * Errors  0 or -errno; what writes into bytes keeps its error there.
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_REPLY_H
#define HEATSCOPE_VALUE_REPLY_H

#include "aggregator/value/value.h"

/* Sets what a picture of it is called, and the unit of its counts. */
void reply_title(struct value *v, const struct catalog_inst *ci);

/* The opening brace and the head. */
void reply_begin(struct value *v, struct bytes *out);

/* A rectangle's values: whole buckets, first..last, and what was asked for. */
void reply_edges(const struct value *v, struct bytes *out, __u64 first, __u64 last);

/* What was lost, and how much was looked at, of a grid of one column; of a fold that has no slices.  -ENOMEM. */
void reply_losses(struct bytes *out, const struct grid *g);
int reply_honesty(struct bytes *out, struct fold *f, bool *ret_dropped);

/* The closing brace; the text becomes the value's data.  -ENOMEM. */
int reply_end(struct value *v, struct bytes *out);

/* Instead: status and code, and a reason unless there is one. */
void reply_fail(struct value *v, int err);

const char *reply_measure(const struct value *v, int axis);

/* A measure as people call it: "on-CPU" of cputime. */
const char *reply_measure_title(const char *measure);

/* "image/png" of FORMAT_PNG. */
const char *reply_type(enum value_format format);

#endif
