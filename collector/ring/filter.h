/* filter.h - turns a predicate into comparisons of an event's numbers with constants, for record programs.
 *
 *      struct predicate --filter_compile()--> struct filter --in the plan--> record.bpf.c, reader.c
 *
 *      term[0]: field[1] == code of "select" ? term 1 : reject
 *      term[1]: measure[0] < 10000001        ? reject : accept
 *
 * Form    Decision form as in predicate.h: `yes` and `no` lead forward, so one pass decides.  Two operators are enough:
 *         each other operator is one of them with yes and no exchanged, or with a constant one higher.  A filter of
 *         zeros accepts every event.
 * Texts   Codes replace texts; a text with several codes becomes several terms.  filter_compile() decides terms whose
 *         answer is the same for every event of this host (fields of the host, texts without a code).
 * Lists   Some codes change while programs run: a server that starts again has another process id.  A term for such
 *         codes looks into a list in memory that the kernel shares; filter_refresh() fills the list.
 * When    A record program applies the filter first.  An event that does not match is not counted, is no loss, and
 *         never enters the queue of late events.  Events that were lost before they were parsed have unknown fields, so
 *         they count as losses of every instrumentation.
 * Cost    The filter is constant in a record program: the verifier follows only the terms that exist, compares with
 *         their constants, and removes the rest.  Without a filter only a test or two remain.
 */
#ifndef HEATSCOPE_FILTER_H
#define HEATSCOPE_FILTER_H

#include "collector/ring/event.h"

#define FILTER_TERMS 48			/* the number of steps in filter_accepts() */
#define FILTER_LISTS 4
#define FILTER_LIST 8			/* codes in one list */

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
	__u8 listed[FILTER_LISTS];	/* the term of the predicate that each list belongs to */
	__u32 pad2;
};

struct filter_lists {			/* the host writes it code by code while programs read it */
	__u64 code[FILTER_LISTS][FILTER_LIST];	/* 0: empty */
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

/* Not a loop: each term has its own instructions, which the verifier can keep or remove. */
#define FILTER_STEP(i)                                                                                  \
	if (to == FILTER_TERM + (i))                                                                    \
		to = filter_term_holds(&f->term[i], e, lists) ? f->term[i].yes : f->term[i].no;
#define FILTER_STEP_4(i) FILTER_STEP(i) FILTER_STEP((i) + 1) FILTER_STEP((i) + 2) FILTER_STEP((i) + 3)
#define FILTER_STEP_16(i) FILTER_STEP_4(i) FILTER_STEP_4((i) + 4) FILTER_STEP_4((i) + 8) FILTER_STEP_4((i) + 12)

/* Does the filter accept the event?  lists may be NULL if f->n_lists is 0. */
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

/* record.bpf.c shares with the host what is above; the rest is the host's. */
#ifndef __bpf__
#include <stddef.h>

#define FILTER_CODES 16			/* codes of one text, if they do not change */

struct host_labels;
struct metric;
struct predicate;

/* Functions that turn names and texts into numbers. */
struct filter_names {
	const struct metric *metric;
	const char *hostname;

	/* Finds the codes that a text has in a field of events.  Returns how many, 0 or more; -E2BIG: more than `max`;
	 * -EOPNOTSUPP: texts of this field have no codes.  NULL: no field's texts have codes. */
	int (*codes)(void *arg, unsigned field, const char *text, __u64 *ret_code, size_t max);
	void *arg;
	__u64 moving;			/* WANTED_FIELD() of the fields whose codes change */
	const struct host_labels *labels;	/* NULL: none */
};

/* Compiles a predicate.  -EINVAL with the reason (REASON_MAX bytes): this host cannot evaluate it. */
int filter_compile(const struct predicate *p, const struct filter_names *names, struct filter *ret, char *reason);

/* Adds the current codes to the lists; 1: some were new.  A code that no longer exists stays until its place is needed.
 * A text that has too many codes keeps those it had. */
int filter_refresh(const struct filter *f, const struct predicate *p, const struct filter_names *names,
		struct filter_lists *lists);

__u64 filter_wanted(const struct filter *f);	/* WANTED_FIELD(), WANTED_MEASURE() of what it compares */
#endif

#endif
