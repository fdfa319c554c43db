/* exchange_label.h - turns the codes of the fields that all exchanges share into texts for people, and back.
 *
 * Memory  out is LABEL_MAX + 1 bytes, the caller's.
 * Errors  the way back returns how many codes have the text as their label, or -E2BIG.
 * Pure    thread: any.
 */
#ifndef HEATSCOPE_EXCHANGE_LABEL_H
#define HEATSCOPE_EXCHANGE_LABEL_H

#include "collector/core/field_codes.h"
#include "collector/server/name.h"

extern const struct field_codes turn_blocked_in;

void turn_label_name(__u64 code, const struct name *name, char *out);	/* name NULL: it is not known */
int turn_codes_name(const char *text, __u64 *ret_code, size_t max);

#endif
