/* writer.h - writes JSON into a buffer, fast enough for payloads of many numbers.
 *
 * Texts   writer_text() always writes valid UTF-8: U+FFFD replaces a byte that is not.
 * Numbers from 2^63 on are written as real ones, 1.8446744073709552e+19: readers of JSON have 63 bits for whole numbers.
 * Times   writer_seconds() writes nanoseconds as decimal seconds without trailing zeros: 1700000000.25.
 * Errors  the buffer remembers the first one.
 */
#ifndef HEATSCOPE_WRITER_H
#define HEATSCOPE_WRITER_H

#include "collector/core/bytes.h"

void writer_raw(struct bytes *out, const char *text);		/* unchanged */
void writer_text(struct bytes *out, const char *text);		/* quoted */
void writer_number(struct bytes *out, __u64 n);
void writer_pair(struct bytes *out, __u64 a, __u64 b);		/* [a,b], after a comma unless it is the first
								 * element */
void writer_real(struct bytes *out, double x);			/* exact; not finite: null */
void writer_seconds(struct bytes *out, __s64 ns);

/* Each writes `,"name":` and the value, without the comma after an opening bracket. */
void writer_name(struct bytes *out, const char *name);
void writer_name_number(struct bytes *out, const char *name, __u64 n);
void writer_name_seconds(struct bytes *out, const char *name, __s64 ns);
void writer_name_real(struct bytes *out, const char *name, double x);
void writer_name_flag(struct bytes *out, const char *name, int is);	/* true or false */
void writer_name_text(struct bytes *out, const char *name, const char *text);

/* Writes a comma, unless just after an opening bracket. */
void writer_comma(struct bytes *out);

/* Begins an object or a list with `bracket` ("{", "["): the value of `name`, or, if that is NULL, the next element of a
 * list. */
void writer_open(struct bytes *out, const char *name, const char *bracket);

/* Returns the buffer as a NUL-terminated text, which the caller owns; NULL: an error. */
char *writer_take(struct bytes *out, size_t *ret_len);

#endif
