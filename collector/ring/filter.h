/* filter.h - a predicate as record programs evaluate it: comparisons of an event's numbers with constants.
 *
 *      struct predicate --filter_compile()--> struct filter --in the plan--> record.bpf.c, reader.c
 *
 *      term[0]: field[1] == code of "select" ? term 1 : reject
 *      term[1]: measure[0] < 10000001        ? reject : accept
 *
 * Form    decision form as in predicate.h: `yes` and `no` lead forward, so one pass decides.  Two
 *         operators are enough, the others are these with yes and no exchanged, or a constant one higher.
 *         All zero accepts every event.
 * Texts   are codes here; a text that is several codes is several terms.  What no event of this host can
 *         answer otherwise (hostname, texts without a code) has been decided when the filter was made.
 * Lists   Codes that come and go while programs run (a server that is started again has another process
 *         id) are not constants: their term looks into a list, which filter_look() fills, in memory that
 *         the kernel shares.
 * When    the first thing that is done with an event: one that does not match is not counted, is no
 *         loss when its slot is overrun, and is not put into the queue of late events.
 *         Events that were lost before they were parsed cannot be filtered: nobody knows their fields.
 *         They are told as losses of every instrumentation.
 * Cost    the filter is constant in a record program: the verifier follows only the terms there are,
 *         compares with their constants, and removes the rest.  None: nothing is left but a test or two.
 */
#ifndef HEATSCOPE_FILTER_H
#define HEATSCOPE_FILTER_H

#include "collector/ring/event.h"

#define FILTER_TERMS 48			/* as many as filter_accepts() has steps */
#define FILTER_LISTS 4
#define FILTER_LIST 8			/* codes in one */

enum filter_to { FILTER_ACCEPT, FILTER_REJECT, FILTER_TERM };	/* FILTER_TERM + i: term i */
enum filter_op { FILTER_EQUAL, FILTER_BELOW, FILTER_LISTED };	/* LISTED: in the list `constant` */

struct filter_term {
	__u64 constant;
	__u8 measure;			/* 1: of event.measure[], 0: of event.field[] */
	__u8 index;
	__u8 op;
	__u8 yes, no;			/* enum filter_to */
	__u8 pad[3];
};

struct filter {
	struct filter_term term[FILTER_TERMS];
	__u32 start;			/* enum filter_to */
	__u16 n_terms;
	__u8 n_lists;
	__u8 pad;
	__u8 listed[FILTER_LISTS];	/* which term of the predicate a list is of */
	__u32 pad2;
};

struct filter_lists {			/* written by the host while programs read it, code by code */
	__u64 code[FILTER_LISTS][FILTER_LIST];	/* 0: none */
};

static inline int filter_listed(const struct filter_lists *lists, __u64 list, __u64 value)
{
	__u32 i, found = 0;

	for (i = 0; i < FILTER_LIST; i++)
		found |= value == *(const volatile __u64 *)&lists->code[list & (FILTER_LISTS - 1)][i];
	return found && value;
}

static inline int filter_term_holds(const volatile struct filter_term *t, const struct event *e,
				    const struct filter_lists *lists)
{
	__u64 value = t->measure ? e->measure[t->index & (EVENT_MEASURES - 1)] : e->field[t->index & (EVENT_FIELDS - 1)];

	if (t->op == FILTER_LISTED)
		return lists && filter_listed(lists, t->constant, value);
	return t->op == FILTER_BELOW ? value < t->constant : value == t->constant;
}

/* Without a loop: each term has instructions of its own, which the verifier can keep or remove. */
#define FILTER_STEP(i)                                                                                  \
	if (to == FILTER_TERM + (i))                                                                    \
		to = filter_term_holds(&f->term[i], e, lists) ? f->term[i].yes : f->term[i].no;
#define FILTER_STEP_4(i) FILTER_STEP(i) FILTER_STEP((i) + 1) FILTER_STEP((i) + 2) FILTER_STEP((i) + 3)
#define FILTER_STEP_16(i) FILTER_STEP_4(i) FILTER_STEP_4((i) + 4) FILTER_STEP_4((i) + 8) FILTER_STEP_4((i) + 12)

/* lists may be NULL where f->n_lists is 0. */
static inline int filter_accepts(const volatile struct filter *f, const struct event *e,
				 const struct filter_lists *lists)
{
	__u32 to = f->start;

	if (to < FILTER_TERM)
		return to == FILTER_ACCEPT;
	FILTER_STEP_16(0)
	FILTER_STEP_16(16)
	FILTER_STEP_16(32)
	return to == FILTER_ACCEPT;
}

/* What record.bpf.c shares with the host ends here. */
#ifndef __bpf__
#include <stddef.h>

#define FILTER_CODES 16			/* of one text, where they do not change */

struct metric;
struct predicate;

/* What it takes to make numbers of names and texts. */
struct filter_names {
	const struct metric *metric;
	const char *hostname;

	/* The codes a text stands for in a field of events, 0 or more; -E2BIG: more than `max`; -EOPNOTSUPP:
	 * such a field's texts have no codes.  NULL: no field's have. */
	int (*codes)(void *arg, unsigned field, const char *text, __u64 *ret_code, size_t max);
	void *arg;
	__u64 moving;			/* WANTED_FIELD() of those whose codes come and go */
};

/* -EINVAL with the reason (REASON_MAX bytes): it cannot be evaluated here. */
int filter_compile(const struct predicate *p, const struct filter_names *names, struct filter *ret, char *reason);

/* Adds to the lists the codes as they are now; 1: there were new ones.  What is no more stays while there is
 * room; a text that has become too many things keeps what it had. */
int filter_look(const struct filter *f, const struct predicate *p, const struct filter_names *names,
		struct filter_lists *lists);

__u64 filter_wanted(const struct filter *f);	/* WANTED_FIELD() and WANTED_MEASURE() of what it looks at */
#endif

#endif
