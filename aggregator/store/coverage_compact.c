#include "aggregator/store/coverage_compact.h"

#include "collector/core/array.h"
#include "aggregator/store/tier.h"

#include <stdbool.h>

struct thinning {
	__s64 from, to, per;
	struct run *run;		/* done */
	size_t n, room;
	struct run open;		/* the tier's slot that is not complete yet; n = 0: none */
	int err;
};

struct run run_cut(const struct run *r, __s64 first, __s64 last)
{
	unsigned __int128 n = r->n;
	__u64 slots = run_slots(r), before, until;

	first = first > r->first ? first : r->first;
	last = last < r->last ? last : r->last;
	before = (__u64)(n * (__u64)(first - r->first) / slots);
	until = (__u64)(n * ((__u64)(last - r->first) + 1) / slots);
	return (struct run){ first, last, until - before };
}

static bool same_density(const struct run *a, const struct run *b)
{
	return (unsigned __int128)a->n * run_slots(b) == (unsigned __int128)b->n * run_slots(a);
}

static void emit_run(struct thinning *t, const struct run *r)
{
	struct run *end = t->n ? &t->run[t->n - 1] : NULL;

	if (!r->n || t->err)
		return;
	if (end && end->last + 1 == r->first && same_density(end, r)) {
		end->last = r->last;
		end->n += r->n;
		return;
	}
	t->err = array_grow(&t->run, t->n, &t->room, sizeof(*t->run));
	if (!t->err)
		t->run[t->n++] = *r;
}

static void emit_open(struct thinning *t)
{
	emit_run(t, &t->open);
	t->open.n = 0;
}

/* Adds a part of one slot of the tier. */
static void add_part(struct thinning *t, const struct run *part)
{
	__s64 first = tier_down(part->first, t->per);

	if (t->open.n && t->open.first != first)
		emit_open(t);
	if (!t->open.n)
		t->open = (struct run){ first, first + t->per - 1, 0 };
	t->open.n += part->n;
}

/* Adds a run within the window: its head, the slots of the tier that it fills, its tail. */
static void add_within(struct thinning *t, const struct run *r)
{
	__s64 first = tier_down(r->first + t->per - 1, t->per), end = tier_down(r->last + 1, t->per);
	struct run part;

	if (first > end) {		/* it lies within one slot of the tier */
		add_part(t, r);
		return;
	}
	if (r->first < first) {
		part = run_cut(r, r->first, first - 1);
		add_part(t, &part);
	}
	if (first < end) {
		emit_open(t);
		part = run_cut(r, first, end - 1);
		emit_run(t, &part);
	}
	if (r->last >= end) {
		part = run_cut(r, end, r->last);
		add_part(t, &part);
	}
}

static void add_run(struct thinning *t, const struct run *r)
{
	struct run part;

	if (r->first < t->from) {
		part = run_cut(r, r->first, t->from - 1);
		emit_run(t, &part);
	}
	if (r->first < t->to && r->last >= t->from) {
		part = run_cut(r, t->from, t->to - 1);
		add_within(t, &part);
	}
	if (r->last >= t->to) {
		emit_open(t);
		part = run_cut(r, t->to, r->last);
		emit_run(t, &part);
	}
}

int coverage_compact(const struct run *run, size_t n, __s64 from, __s64 to, __s64 per, struct run **ret_run, size_t *ret_n)
{
	struct thinning t = { .from = from, .to = to, .per = per };

	for (size_t i = 0; i < n; i++)
		add_run(&t, &run[i]);
	emit_open(&t);
	if (t.err) {
		free(t.run);
		return t.err;
	}
	*ret_run = t.run;
	*ret_n = t.n;
	return 0;
}
