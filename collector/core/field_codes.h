/* field_codes.h - how the codes of a discrete field are shown, and which codes a text stands for: one row per field.
 *
 *      a tracer's codes[field] --codes_label()--> "write"        "write" --codes_find()--> 1
 *
 * Row     one of these; what is not named is 0:
 *           names, n, other        a code is a place in a table of n names; any other code is shown as names[other]
 *           named, n, other        the same, where each name has its code with it
 *           label, n               a function of the code alone; the way back tries the codes below n
 *           label, codes           two functions, both ways
 *           label_of, codes_of     two functions that ask the tracer (self); without codes_of there is no way back
 *
 * Shape   out is LABEL_MAX + 1 bytes.
 * Errors  the way back returns how many codes are shown as the text (0 or more); -E2BIG: more than max;
 *         -EOPNOTSUPP: the field has no way back.
 * Thread  that of the tracer; rows are constant.
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

/* The result of a way back that knows one code. */
int codes_one(__u64 code, __u64 *ret_code, size_t max);

/* A code whose text is not known any more (intern.bpf.h) is shown as "#" and 16 hexadecimal digits.  codes_hash_find() returns 1
 * if the text is such a label. */
void codes_hash_label(__u64 code, char *out);
int codes_hash_find(const char *text, __u64 *ret_code);

extern const struct field_codes codes_number;	/* a code is shown as a decimal number */

#endif
