#include "aggregator/store/coverage.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void coverage_fini(struct coverage *c)
{
	for (size_t i = 0; i < c->n_sources; i++) {
		free(c->source[i].interval);
		free(c->source[i].sparse);
	}
	free(c->source);
	name_index_fini(&c->source_of);
	memset(c, 0, sizeof(*c));
}

static struct covered *source_of(struct coverage *c, const char *name)
{
	size_t place = name_index_find(&c->source_of, name);
	struct covered *s;

	if (place != NAME_INDEX_NONE)
		return &c->source[place];
	if (array_grow(&c->source, c->n_sources, &c->sources_room, sizeof(*c->source)))
		return NULL;
	s = &c->source[c->n_sources];
	*s = (struct covered){ .since = INT64_MAX };
	strncpy(s->source, name, SOURCE_MAX - 1);
	name_index_put(&c->source_of, s->source, c->n_sources++);
	return s;
}

int coverage_add(struct coverage *c, const char *source, __s64 first, __s64 last)
{
	struct covered *s = source_of(c, source);
	struct interval *end;

	if (!s)
		return -ENOMEM;
	end = s->n_intervals ? &s->interval[s->n_intervals - 1] : NULL;
	if (end && first >= end->first && first <= end->last + 1) {	/* the usual case: one after the other */
		end->last = last > end->last ? last : end->last;
		return 0;
	}
	if (array_grow(&s->interval, s->n_intervals, &s->room, sizeof(*s->interval)))
		return -ENOMEM;
	s->interval[s->n_intervals++] = (struct interval){ first, last };
	s->sorted = false;
	return 0;
}

int coverage_add_sparse(struct coverage *c, const char *source, const struct run *run)
{
	struct covered *s = source_of(c, source);
	int err = s ? array_grow(&s->sparse, s->n_sparse, &s->sparse_room, sizeof(*run)) : -ENOMEM;

	if (err)
		return err;
	s->sparse[s->n_sparse++] = *run;
	s->sorted = false;
	if (run->first < s->since)
		s->since = run->first;
	return 0;
}

int coverage_expect(struct coverage *c, const char *source, __s64 first)
{
	struct covered *s = source_of(c, source);

	if (!s)
		return -ENOMEM;
	if (first < s->since)
		s->since = first;
	return 0;
}

static int by_first(const void *a, const void *b)
{
	const struct interval *i = a, *j = b;

	return (i->first > j->first) - (i->first < j->first);
}

static int by_run(const void *a, const void *b)
{
	const struct run *r = a, *q = b;

	return (r->first > q->first) - (r->first < q->first);
}

static void sort_spans(struct covered *s)
{
	size_t n = 0;

	if (s->sorted)
		return;
	if (s->n_sparse)
		qsort(s->sparse, s->n_sparse, sizeof(*s->sparse), by_run);
	if (s->n_intervals)
		qsort(s->interval, s->n_intervals, sizeof(*s->interval), by_first);
	for (size_t i = 0; i < s->n_intervals; i++) {
		struct interval *end = n ? &s->interval[n - 1] : NULL, *next = &s->interval[i];

		if (!end || next->first > end->last + 1)
			s->interval[n++] = *next;
		else if (next->last > end->last)
			end->last = next->last;
	}
	s->n_intervals = n;
	s->sorted = true;
	if (n && s->interval[0].first < s->since)
		s->since = s->interval[0].first;
}

/* Index of the first interval that ends at `slot` or later. */
static size_t interval_at(const struct covered *s, __s64 slot)
{
	return array_place(s->n_intervals, at, s->interval[at].last < slot);
}

static __s64 span_within(__s64 first, __s64 last, __s64 low, __s64 high)
{
	first = first > low ? first : low;
	last = last < high ? last : high;
	return last >= first ? last - first + 1 : 0;
}

/* Index of the first run that ends at `slot` or later.  They do not overlap. */
static size_t sparse_at(const struct covered *s, __s64 slot)
{
	return array_place(s->n_sparse, at, s->sparse[at].last < slot);
}

/* Counts the slots of first..last that were reported, of runs that do not say which. */
static __u64 sparse_within(const struct covered *s, __s64 first, __s64 last)
{
	__u64 n = 0;

	for (size_t i = sparse_at(s, first); i < s->n_sparse && s->sparse[i].first <= last; i++)
		n += run_cut(&s->sparse[i], first, last).n;
	return n;
}

/* A year of tenths of a second in one column, times its sources, is more than 32 bits hold.  A smaller number stays as
 * it is. */
static __u32 at_most(__s64 n, __u32 most)
{
	return n < most ? (__u32)n : most;
}

void coverage_count(struct coverage *c, __s64 first, __s64 last, __s64 due, __u32 *ret_reported,
		    __u32 *ret_expected)
{
	__s64 reported = 0, expected = 0;

	for (size_t i = 0; i < c->n_sources; i++) {
		struct covered *s = &c->source[i];

		sort_spans(s);
		for (size_t j = interval_at(s, first); j < s->n_intervals && s->interval[j].first <= last; j++) {
			const struct interval *in = &s->interval[j];

			reported += span_within(in->first, in->last, first, last);
			expected += span_within(in->first, in->last, due + 1 > first ? due + 1 : first, last);
		}
		reported += (__s64)sparse_within(s, first, last);
		expected += span_within(s->since, due, first, last);
	}
	*ret_expected = at_most(expected, UINT32_MAX);
	*ret_reported = at_most(reported, reported < expected ? UINT32_MAX - 1 : UINT32_MAX);
}

/* Counts the sources that reported this slot, and finds the next slot where that may change. */
static __u32 reported_at(const struct coverage *c, __s64 slot, __s64 *ret_next)
{
	__u32 reported = 0;
	__s64 next = INT64_MAX;

	for (size_t i = 0; i < c->n_sources; i++) {
		const struct covered *s = &c->source[i];
		size_t at = interval_at(s, slot);
		__s64 change = INT64_MAX;

		if (at < s->n_intervals && s->interval[at].first <= slot) {
			reported++;
			change = s->interval[at].last + 1;
		} else if (at < s->n_intervals) {
			change = s->interval[at].first;
		}
		next = change < next ? change : next;
	}
	*ret_next = next;
	return reported;
}

__u32 coverage_fewest(struct coverage *c, __s64 first, __s64 last, __s64 due)
{
	__u32 fewest = ~(__u32)0, reported;
	__s64 next;

	for (size_t i = 0; i < c->n_sources; i++)
		sort_spans(&c->source[i]);
	for (__s64 slot = first; slot <= last && slot <= due; slot = next) {
		reported = reported_at(c, slot, &next);
		fewest = reported < fewest ? reported : fewest;
	}
	return fewest == ~(__u32)0 ? 0 : fewest;
}

/* Returns the last slot up to `last` before a run of any source begins or ends. */
static __s64 sparse_until(const struct coverage *c, __s64 slot, __s64 last)
{
	for (size_t i = 0; i < c->n_sources; i++)
		for (size_t j = sparse_at(&c->source[i], slot); j < c->source[i].n_sparse; j++) {
			const struct run *run = &c->source[i].sparse[j];
			__s64 edge = run->first > slot ? run->first - 1 : run->last;

			last = edge < last ? edge : last;
			if (run->first > slot)
				break;
		}
	return last;
}

/* Takes the source with the most, run by run, so that columns may be folded. */
static __u64 sparse_most(const struct coverage *c, __s64 first, __s64 last)
{
	__u64 sum = 0;
	__s64 end;

	for (; first <= last; first = end + 1) {
		__u64 most = 0;

		end = sparse_until(c, first, last);
		for (size_t i = 0; i < c->n_sources; i++) {
			__u64 n = sparse_within(&c->source[i], first, end);

			most = n > most ? n : most;
		}
		sum += most;
	}
	return sum;
}

__u64 coverage_seen(struct coverage *c, __s64 first, __s64 last)
{
	__u64 seen = 0;
	__s64 next;

	for (size_t i = 0; i < c->n_sources; i++)
		sort_spans(&c->source[i]);
	for (__s64 slot = first; slot <= last; slot = next) {
		bool reported = reported_at(c, slot, &next);
		__s64 end = next <= last ? next - 1 : last;

		seen += reported ? (__u64)(end - slot) + 1 : sparse_most(c, slot, end);
	}
	return seen;
}
