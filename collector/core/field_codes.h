/* field_codes.h - turns the codes of a discrete field into labels, and a label back into codes: one row per field.
 *
 *      a tracer's codes[field] --codes_label()--> "write"        "write" --codes_find()--> 1
 *
 * Row     a row has one of these forms; its other members are 0:
 *           names, n, other        a code is an index into a table of n names; any other code is shown as names[other]
 *           named, n, other        the same, but each name stands in the table with its code
 *           label, n               a function of the code alone; the way back tries the codes below n
 *           label, codes           two functions, one for each direction
 *           label_of, codes_of     two functions that ask the tracer (self); without codes_of there is no way back
 *
 * Shape   out is LABEL_MAX + 1 bytes.
 * Errors  codes_find() returns how many codes have the label (0 or more).  -E2BIG: more than max.  -EOPNOTSUPP: the
 *         field has no way back.
 * Thread  the tracer's thread; rows are constant.
 */
#ifndef HEATSCOPE_FIELD_CODES_H
#define HEATSCOPE_FIELD_CODES_H

#include <linux/types.h>
#include <stddef.h>

struct code_name {
	const char *name;
	__u64 code;
};

struct field_codes {
	const char *const *names;
	const struct code_name *named;
	__u32 n, other;
	void (*label)(__u64 code, char *out);
	int (*codes)(const char *text, __u64 *ret_code, size_t max);
	void (*label_of)(void *self, unsigned field, __u64 code, char *out);
	int (*codes_of)(void *self, unsigned field, const char *text, __u64 *ret_code, size_t max);
};

#define CODES_N(table) (sizeof(table) / sizeof(*(table)))
#define CODES_NAMES(table, otherwise) { .names = (table), .n = CODES_N(table), .other = (otherwise) }
#define CODES_NAMED(table, otherwise) { .named = (table), .n = CODES_N(table), .other = (otherwise) }

void codes_label(const struct field_codes *c, void *self, unsigned field, __u64 code, char *out);
int codes_find(const struct field_codes *c, void *self, unsigned field, const char *text, __u64 *ret_code, size_t max);

/* Returns the result of a way back that found exactly one code. */
int codes_one(__u64 code, __u64 *ret_code, size_t max);

/* A code whose text is no longer known (intern.bpf.h) is shown as "#" and 16 hexadecimal digits.  codes_hash_find()
 * returns 1 if the text is such a label. */
void codes_hash_label(__u64 code, char *out);
int codes_hash_find(const char *text, __u64 *ret_code);

extern const struct field_codes codes_number;	/* shows a code as a decimal number */

#endif
