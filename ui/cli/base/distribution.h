/* distribution.h - prints counts by powers of two, as DTrace prints a quantize().
 *
 *           value  ------------- Distribution ------------- count
 *             512 |                                         0
 *            1024 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           6
 *            2048 |@@@@@@@@@@                               2
 *            4096 |                                         0
 *
 * Shape   the value of a row is the lowest value that it counts: 0, then powers of two.  One empty row precedes the
 *         first count, and one follows the last.  Without counts there are no rows.
 * Bars    40 characters stand for all events; each bar is rounded by itself.
 */
#ifndef HEATSCOPE_DISTRIBUTION_H
#define HEATSCOPE_DISTRIBUTION_H

#include <stdint.h>
#include <stdio.h>

#define DISTRIBUTION_ROWS 65

struct distribution {
	uint64_t n[DISTRIBUTION_ROWS];	/* of values 0, 1, 2 to 3, 4 to 7, ... */
};

void distribution_add(struct distribution *d, uint64_t value, uint64_t n);
void distribution_print(const struct distribution *d, const char *name, FILE *out);

#endif
