/* amount.h - a value as people write it -> a whole number of its unit.
 *
 *      "10ms", "1.5 ms" of UNIT_NS -> 10000000, 1500000
 *
 * Units   times ns, us, ms, s; sizes B, KiB, MiB, GiB (1024) and kB, MB, GB (1000), per second with /s.  They are needed, but for 0:
 *         a bare number would be one of nanoseconds or bytes, which nobody means.  Percentages may have %, rates /s, other numbers none.
 * Range   0 to 2^63 - 1; decimals are exact, and what is no whole number of the smallest unit is refused.
 * Errors  -EINVAL with a sentence in `reason`; *ret_at is where in the text it is wrong.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_AMOUNT_H
#define HEATSCOPE_AMOUNT_H

#include "collector/core/quantize.h"

#include <stddef.h>

#define AMOUNT_REASON 160

/* name: whose value it is, for sentences.  ret_at may be NULL. */
int amount_parse(const char *text, size_t len, enum ruler_unit unit, const char *name, __u64 *ret, const char **ret_at,
		 char reason[AMOUNT_REASON]);

/* The name of a unit in replies: "ns", "bytes", "%", "/s", "bytes/s"; "" of UNIT_NONE and of what is no unit. */
const char *amount_unit_name(enum ruler_unit unit);

/* The unit by that name; of anything else UNIT_NONE. */
enum ruler_unit amount_unit(const char *name);

#endif
