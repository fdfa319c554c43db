#include "collector/ring/filter.h"
#include "collector/core/host_labels.h"
#include "collector/core/predicate.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <string.h>

/* A term of the predicate while the filter is made: where it leads once the terms that are decided here are left
 * out. */
struct making {
	__u8 entry;			/* enum predicate_to; its own term: it is needed */
	__u8 yes, no;
	__u8 measure, index, op;
	__u8 swap;			/* exchange yes and no */
	__u8 listed;			/* constant[] is in a list */
	__u8 reached;
	__u8 at;			/* its place in the filter */
	__u8 n;				/* number of constants */
	__u64 constant[FILTER_CODES];
};

static int refuse_field(char *reason, const struct predicate_term *t, const char *why)
{
	return refuse(reason, "predicate: field \"%s\" %s", t->field, why);
}

/* le and gt are lt and ge of the next number; ne, ge and gt are the opposites of eq, lt and le. */
static void number_make(const struct predicate_term *t, struct making *m)
{
	int next = t->op == PREDICATE_LE || t->op == PREDICATE_GT;

	m->op = t->op <= PREDICATE_NE ? FILTER_EQUAL : FILTER_BELOW;
	m->swap = t->op == PREDICATE_NE || t->op == PREDICATE_GE || t->op == PREDICATE_GT;
	m->constant[0] = t->number + (next && t->number != ~0ull);
	m->n = 1;
}

static int codes_of(const struct predicate_term *t, const struct filter_names *names, unsigned index, __u64 *ret_code,
		    size_t max)
{
	return names->codes ? names->codes(names->arg, index, t->text, ret_code, max) : -EOPNOTSUPP;
}

static int codes_make(const struct predicate_term *t, const struct filter_names *names, struct making *m, char *reason)
{
	int listed = (names->moving & WANTED_FIELD(m->index)) != 0;
	int n = codes_of(t, names, m->index, m->constant, listed ? FILTER_LIST : FILTER_CODES);

	if (n == -E2BIG)
		return refuse_field(reason, t, "has too many values with that label on this host");
	if (n < 0)
		return refuse_field(reason, t, "cannot be compared in the kernel of this host");
	m->listed = listed;
	m->n = listed ? 1 : (__u8)n;
	m->op = listed ? FILTER_LISTED : FILTER_EQUAL;
	m->swap = t->op == PREDICATE_NE;
	return 0;
}

/* Finds the field and the constants.  *ret_known: the answer if it is known already, else -1. */
static int term_make(const struct predicate_term *t, const struct filter_names *names, struct making *m, int *ret_known,
		     char *reason)
{
	int index, err = 0;

	*ret_known = -1;
	if (t->is_text && host_field_is(t->field)) {
		*ret_known = predicate_holds_text(t, host_field_value(t->field, names->hostname, names->labels));
		return 0;
	}
	index = metric_index(names->metric, t->field, t->is_text ? FIELD_DISCRETE : FIELD_NUMERIC);
	if (index < 0 || index >= (t->is_text ? EVENT_FIELDS : EVENT_MEASURES))
		return refuse_field(reason, t, "is not known here");
	m->measure = !t->is_text;
	m->index = (__u8)index;
	if (t->is_text)
		err = codes_make(t, names, m, reason);
	else
		number_make(t, m);
	if (!err && !m->n)
		*ret_known = m->swap;
	return err;
}

static __u8 entry_of(const struct making *m, __u8 to)
{
	return to < PREDICATE_TERM ? to : m[to - PREDICATE_TERM].entry;
}

/* Works from the last term to the first, because each leads only to later ones. */
static int making_fill(const struct predicate *p, const struct filter_names *names, struct making *m, char *reason)
{
	int err = 0, known;

	for (__u32 i = p->n_terms; i-- && !err;) {
		m[i].yes = entry_of(m, p->term[i].yes);
		m[i].no = entry_of(m, p->term[i].no);
		err = term_make(&p->term[i], names, &m[i], &known, reason);
		if (known >= 0)
			m[i].entry = known ? m[i].yes : m[i].no;
		else
			m[i].entry = m[i].yes == m[i].no ? m[i].yes : (__u8)(PREDICATE_TERM + i);
	}
	return err;
}

static void reach(struct making *m, __u8 to)
{
	if (to >= PREDICATE_TERM)
		m[to - PREDICATE_TERM].reached = 1;
}

/* Gives a place to each term that can be reached. */
static __u32 making_place(struct making *m, __u32 n, __u8 start)
{
	__u32 at = 0;

	reach(m, start);
	for (__u32 i = 0; i < n; i++) {
		if (!m[i].reached)
			continue;
		reach(m, m[i].yes);
		reach(m, m[i].no);
		m[i].at = (__u8)at;
		at += m[i].n;
	}
	return at;
}

static __u8 place_of(const struct making *m, __u8 to)
{
	return to == PREDICATE_ACCEPT ? FILTER_ACCEPT : to == PREDICATE_REJECT ? FILTER_REJECT :
	       (__u8)(FILTER_TERM + m[to - PREDICATE_TERM].at);
}

/* Puts one term for each constant: the first that holds decides. */
static void terms_put(const struct making *all, const struct making *m, struct filter *f)
{
	__u8 yes = place_of(all, m->swap ? m->no : m->yes), no = place_of(all, m->swap ? m->yes : m->no), i;

	for (i = 0; i < m->n; i++)
		f->term[m->at + i] = (struct filter_term){
			.constant = m->constant[i], .measure = m->measure, .index = m->index, .op = m->op,
			.yes = yes, .no = i + 1 < m->n ? (__u8)(FILTER_TERM + m->at + i + 1) : no,
		};
}

/* Gives a list to each term that needs one. */
static int lists_give(const struct predicate *p, struct making *m, struct filter *f, char *reason)
{
	for (__u32 i = 0; i < p->n_terms; i++) {
		if (!m[i].reached || !m[i].listed)
			continue;
		if (f->n_lists == FILTER_LISTS)
			return refuse(reason, "predicate: fields like \"%s\" can be compared at most %d times",
				 p->term[i].field, FILTER_LISTS);
		m[i].constant[0] = f->n_lists;
		f->listed[f->n_lists++] = (__u8)i;
	}
	return 0;
}

int filter_compile(const struct predicate *p, const struct filter_names *names, struct filter *ret, char *reason)
{
	struct making m[PREDICATE_TERMS];
	struct filter f;
	__u32 n_terms;
	__u8 start;
	int err;

	memset(m, 0, sizeof(m));
	memset(&f, 0, sizeof(f));
	err = making_fill(p, names, m, reason);
	if (err)
		return err;
	start = entry_of(m, (__u8)p->start);
	n_terms = making_place(m, p->n_terms, start);
	if (n_terms > FILTER_TERMS)
		return refuse(reason, "predicate: its labels match %u values on this host; at most %d can be "
			"compared",
			 n_terms, FILTER_TERMS);
	err = lists_give(p, m, &f, reason);
	if (err)
		return err;
	f.n_terms = (__u16)n_terms;
	for (__u32 i = 0; i < p->n_terms; i++)
		if (m[i].reached)
			terms_put(m, &m[i], &f);
	f.start = place_of(m, start);
	*ret = f;
	return 0;
}

static int listed(const __u64 *list, __u64 code)
{
	for (unsigned i = 0; i < FILTER_LIST; i++)
		if (list[i] == code)
			return 1;
	return 0;
}

/* Puts new codes into empty places, then into those of codes that no longer exist.  The others keep their places,
 * because programs are reading them. */
static int list_update(__u64 *list, const __u64 *now)
{
	int changed = 0;

	for (unsigned i = 0; i < FILTER_LIST; i++)
		for (unsigned j = 0; now[i] && !listed(list, now[i]) && j < FILTER_LIST; j++)
			if (!list[j] || (!listed(list, 0) && !listed(now, list[j]))) {
				*(volatile __u64 *)&list[j] = now[i];
				changed = 1;
			}
	return changed;
}

int filter_refresh(const struct filter *f, const struct predicate *p, const struct filter_names *names,
		struct filter_lists *lists)
{
	int changed = 0;

	for (unsigned i = 0; i < f->n_lists; i++) {
		const struct predicate_term *t = &p->term[f->listed[i]];
		__u64 now[FILTER_LIST] = { 0 };
		int index = metric_index(names->metric, t->field, FIELD_DISCRETE);

		if (index >= 0 && codes_of(t, names, (unsigned)index, now, FILTER_LIST) >= 0)
			changed |= list_update(lists->code[i], now);
	}
	return changed;
}

__u64 filter_wanted(const struct filter *f)
{
	__u64 wanted = 0;

	for (__u32 i = 0; i < f->n_terms; i++)
		wanted |= f->term[i].measure ? WANTED_MEASURE(f->term[i].index) : WANTED_FIELD(f->term[i].index);
	return wanted;
}
