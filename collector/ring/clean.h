/* clean.h - makes a label of bytes from outside: it replaces control characters and bytes that are not UTF-8.
 *
 *      "caf\xe9", its code -> "caf? #0123456789abcdef"      the code keeps such labels distinct
 *
 * Memory  `out` takes room + 1 bytes, or LABEL_MAX + 1; it ends with NUL.
 * Pure    no errors.  Thread: any.
 */
#ifndef HEATSCOPE_CLEAN_H
#define HEATSCOPE_CLEAN_H

#include <linux/types.h>
#include <stddef.h>

/* Copies at most `room` bytes, in whole characters.  Returns 1 if out is the whole text, unchanged. */
int clean_copy(const char *text, size_t len, char *out, size_t room);

/* Copies a text as a label, with the code at the end if the text was cut or changed. */
void clean_label(__u64 code, const char *text, size_t len, char *out);

/* Finds the code at the end of a label: 1, or 0 if there is none. */
int clean_code(const char *label, __u64 *ret_code);

/* Is the label one of our own words (none, unknown, encrypted, other, or the shed label), not a text from outside? */
int clean_is_special(const char *label);

#endif
