/* refusals.h - remembers which refusals were logged lately, so that a collector that tries again for ever is logged once.
 *
 *      if (refusals_logs(&r, line, now_ms, &before))
 *              log_warning(...)                "before" says how often it was kept out of the log
 *
 * Shape   the REFUSALS_MAX latest lines, by hash; a further one takes the place of the one that has not come for the longest time.
 * Pure    no errors.
 * Thread  one at a time.
 */
#ifndef HEATSCOPE_REFUSALS_H
#define HEATSCOPE_REFUSALS_H

#include <linux/types.h>
#include <stdbool.h>

#define REFUSALS_MAX 32
#define REFUSALS_AGAIN_MS 600000	/* a line is logged again so long after it was logged */

struct refusals {
	struct refusal {
		__u64 hash, logged_ms, last_ms;
		unsigned long n_kept;	/* out of the log since then */
	} of[REFUSALS_MAX];
};

/* Is the line to be logged now?  If so, *ret_before is how often it was not, since it was logged last. */
bool refusals_logs(struct refusals *r, const char *line, __u64 now_ms, unsigned long *ret_before);

#endif
