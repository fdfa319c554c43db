/* predicate.h - holds the condition on an event's fields by which an instrumentation counts the event or not.
 *
 *      pred := {} | { op: [field, constant] } | { "and": [pred, pred, ...] } | { "or": [pred, pred, ...] }
 *      op   := eq | ne | lt | le | gt | ge
 *
 *      {"and": [{"eq": ["statement", "select"]}, {"gt": ["latency", 10000000]}]}
 *          term 0: statement = select ? term 1 : reject
 *          term 1: latency > 10000000 ? accept : reject
 *
 * Shape   the struct has the predicate in two forms.  `node` is the expression in prefix order: the JSON can be made
 *         from it again.  `term` is the decision: each term names a later term, accept or reject as its successor.  So
 *         a program evaluates each term at most once and needs no stack.
 * Fields  a numeric field is compared with a whole number in the field's unit (ns for times).  A discrete field is
 *         compared with a text, by eq and ne only.  {} accepts every event.
 * Range   PREDICATE_TERMS comparisons and {} together, PREDICATE_DEPTH levels, texts of LABEL_MAX bytes.
 * Errors  -EINVAL with one sentence in `reason` (REASON_MAX bytes), which begins with "predicate: ".
 * Memory  a plain value that may be copied.  All its bytes are set, so memcmp() compares it.  A struct of zeros is {}.
 */
#ifndef HEATSCOPE_PREDICATE_H
#define HEATSCOPE_PREDICATE_H

#include "collector/core/metric.h"
#include "collector/core/slice.h"
#include <jansson.h>

#define PREDICATE_TERMS 32
#define PREDICATE_NODES (2 * PREDICATE_TERMS)	/* and, or have at least two members */
#define PREDICATE_DEPTH 32

enum predicate_op { PREDICATE_EQ, PREDICATE_NE, PREDICATE_LT, PREDICATE_LE, PREDICATE_GT, PREDICATE_GE, PREDICATE_N_OPS };

/* The successor of a term: accept, reject, or the term `to - PREDICATE_TERM`. */
enum predicate_to { PREDICATE_ACCEPT, PREDICATE_REJECT, PREDICATE_TERM };

struct predicate_term {
	char field[NAME_MAX_LEN];
	__u8 op, is_text;
	__u8 yes, no;			/* enum predicate_to */
	__u32 pad;
	__u64 number;			/* the constant: a number, or a text */
	char text[LABEL_MAX + 1];
};

enum predicate_kind { PREDICATE_ANY, PREDICATE_COMPARE, PREDICATE_AND, PREDICATE_OR };

struct predicate_node {
	__u8 kind;			/* ANY stands for {} */
	__u8 n;				/* AND, OR: how many members follow; COMPARE: index of the term */
};

struct predicate {
	__u32 n_nodes;			/* 0: {} */
	__u32 n_terms;
	__u32 start;			/* enum predicate_to */
	__u32 pad;
	struct predicate_node node[PREDICATE_NODES];
	struct predicate_term term[PREDICATE_TERMS];
};

int predicate_from_json(const json_t *json, struct predicate *ret, char *reason);
json_t *predicate_to_json(const struct predicate *p);	/* NULL: no memory */

/* Reads the text of such JSON; "" is {}. */
int predicate_from_text(const char *text, struct predicate *ret, char *reason);

/* Checks that its fields belong to the metric or are those of every host (host_labels.h), and that its operators and
 * constants suit the fields. */
int predicate_check(const struct predicate *p, const struct metric *m, char *reason);

/* Returns 1 if the predicate accepts the event, 0 if it rejects it.  test() returns 1 if a term holds, 0 if it does
 * not; a negative result ends the decision and is returned. */
int predicate_decide(const struct predicate *p, int (*test)(void *arg, const struct predicate_term *t), void *arg);

/* Does a label have the term's relation to its constant? */
int predicate_holds_text(const struct predicate_term *t, const char *text);

/* Writes the predicate for people: "statement = select and latency > 10 ms", cut with an ellipsis if it does not fit;
 * "" for {}.  The metric gives the units; NULL: numbers have no unit. */
void predicate_title(const struct predicate *p, const struct metric *m, char *out, size_t room);

#endif
