#include "ui/cli/base/distribution.h"
#include "collector/core/show.h"

#include <inttypes.h>

#define BAR "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
#define BAR_LEN ((int)sizeof(BAR) - 1)

static int row_of(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

void distribution_add(struct distribution *d, uint64_t value, uint64_t n)
{
	d->n[row_of(value)] += n;
}

static void row_print(const struct distribution *d, int row, double total, FILE *out)
{
	int bar = (int)((double)d->n[row] * BAR_LEN / total + 0.5);

	show_print(out, "%16" PRIu64 " |%-*.*s %-9" PRIu64 "\n", row ? UINT64_C(1) << (row - 1) : 0, BAR_LEN, bar, BAR, d->n[row]);
}

void distribution_print(const struct distribution *d, const char *name, FILE *out)
{
	int row, first = DISTRIBUTION_ROWS, last = -1;
	double total = 0;

	for (row = 0; row < DISTRIBUTION_ROWS; row++) {
		if (!d->n[row])
			continue;
		total += (double)d->n[row];
		last = row;
		if (first > row)
			first = row;
	}
	show_print(out, "\n  %-50s\n", name);
	show_print(out, "%16s %41s %-9s\n", "value", "------------- Distribution -------------", "count");
	for (row = first > 0 ? first - 1 : 0; row <= last + 1 && row < DISTRIBUTION_ROWS && last >= 0; row++)
		row_print(d, row, total, out);
}
