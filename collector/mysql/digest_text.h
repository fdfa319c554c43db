/* digest_text.h - the tokens of a statement as a text for people, on the host; see digest.h.
 *
 *      digest_text("SELECT  5", 9, 1, out) -> out "select ?", its code
 *
 * Memory  out is LABEL_MAX + 1 bytes, the caller's: UTF-8 and no control characters, whatever the statement had.
 * Pure    no errors.  Thread: any.
 */
#ifndef HEATSCOPE_MYSQL_DIGEST_TEXT_H
#define HEATSCOPE_MYSQL_DIGEST_TEXT_H

#include "collector/server/digest_text.h"

/* Gives the code that digest.h gives of the same bytes.  `whole` 0: more followed that is not known.
 * Labels as in server/digest_text.h. */
__u64 digest_text(const char *sql, size_t len, int whole, char *out);

/* The label of a code, from its first tokens. */
void digest_label(__u64 code, const struct specimen *tokens, char *out);

/* The codes that are shown as `text`, for predicates: 1, or -E2BIG if max is 0. */
int digest_codes(const char *text, __u64 *ret_code, size_t max);

#endif
