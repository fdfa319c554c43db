/* amount.h - turns a value as people write it into a whole number of its unit.
 *
 *      "10ms", "1.5 ms" of UNIT_NS -> 10000000, 1500000
 *
 * Units   times ns, us, ms, s; sizes B, KiB, MiB, GiB (1024) and kB, MB, GB (1000), per second with /s.  A time or a
 *         size must have a unit, unless it is 0.  A percentage may have %, a rate may have /s.  Other numbers have no
 *         unit.
 * Range   0 to 2^63 - 1.  Decimals are exact.  The parser refuses a value that is not a whole number of the smallest
 *         unit.
 * Errors  -EINVAL with a sentence in `reason`; *ret_at is the place of the error in the text.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_AMOUNT_H
#define HEATSCOPE_AMOUNT_H

#include "collector/core/quantize.h"

#include <stddef.h>

#define AMOUNT_REASON 160

/* Parses a value.  name: the field that has it, for the sentences.  ret_at may be NULL. */
int amount_parse(const char *text, size_t len, enum ruler_unit unit, const char *name, __u64 *ret, const char **ret_at,
		 char reason[AMOUNT_REASON]);

/* Returns the name of a unit in replies: "ns", "bytes", "%", "/s", "bytes/s"; "" for UNIT_NONE and unknown units. */
const char *amount_unit_name(enum ruler_unit unit);

/* Returns the unit of that name; UNIT_NONE if there is no such unit. */
enum ruler_unit amount_unit(const char *name);

#endif
