/* clean.h - bytes from outside as a label: UTF-8 without control characters, and the code behind what does not read as itself.
 *
 *      "caf\xe9", its code -> "caf? #0123456789abcdef"
 *
 * Memory  out has room + 1 bytes, or LABEL_MAX + 1; it ends with NUL.
 * Pure    no errors.  Thread: any.
 */
#ifndef HEATSCOPE_CLEAN_H
#define HEATSCOPE_CLEAN_H

#include <linux/types.h>
#include <stddef.h>

/* At most `room` bytes of it, whole characters; returns whether all of it is there as it was. */
int clean_copy(const char *text, size_t len, char *out, size_t room);

/* The same with the code behind it. */
void clean_label(__u64 code, const char *text, size_t len, char *out);

/* The code behind a label: 1, or 0 if there is none. */
int clean_code(const char *label, __u64 *ret_code);

/* Does a label say something that is no text of anybody's: none, unknown, shed ...? */
int clean_is_special(const char *label);

#endif
