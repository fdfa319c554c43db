#include "aggregator/query/composition.h"

#include <errno.h>

static __u64 common_ruler(const struct hist *const *by, size_t n_by, __u64 ruler)
{
	for (size_t i = 0; i < n_by && ruler; i++)
		if (by[i] && by[i]->count)
			ruler = ruler_common(ruler, by[i]->ruler);
	return ruler;
}

/* Sums the cells first..last of a coarser ruler. */
static __u64 sum_within(const struct hist *h, __u64 ruler, __u32 first, __u32 last)
{
	__u64 sum = 0;

	for (__u32 i = 0; h && i < ruler_cells(h->ruler); i++) {
		__u32 at = h->cell[i] ? ruler_fold(h->ruler, ruler, i) : 0;

		if (h->cell[i] && at >= first && at <= last)
			sum = sum + h->cell[i] < sum ? ~(__u64)0 : sum + h->cell[i];
	}
	return sum;
}

int composition_make(const struct hist *const *by, size_t n_by, __u64 ruler, __u64 min, __u64 max,
		     struct composition *ret_composition)
{
	struct composition c = { 0 };
	__u64 common = common_ruler(by, n_by, ruler);
	__u32 first, last;

	if (!common || n_by < 2 || n_by - 2 > MEASURES_MAX || (max && max <= min))
		return -EINVAL;
	first = ruler_cell(common, min);
	last = max ? ruler_cell(common, max - 1) : ruler_cells(common) - 1;
	c.first = ruler_first(common, first);
	c.last = ruler_last(common, last);
	c.count = sum_within(by[0], common, first, last);
	c.sum = c.rest = sum_within(by[1], common, first, last);
	for (size_t i = 2; i < n_by; i++) {
		c.part[i - 2] = sum_within(by[i], common, first, last);
		c.rest -= c.part[i - 2] < c.rest ? c.part[i - 2] : c.rest;
	}
	if (by[0] && by[0]->count > (by[1] ? by[1]->count : 0))
		c.unweighed = by[0]->count - (by[1] ? by[1]->count : 0);
	*ret_composition = c;
	return 0;
}
