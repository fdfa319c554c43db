/* digest_text.h - the tokens of a statement as a text for people, on the host, of any dialect; see digest.h.
 *
 * Memory  out is LABEL_MAX + 1 bytes, the caller's: UTF-8 and no control characters, whatever the statement had.
 * Pure    no errors.  Thread: any.
 */
#ifndef HEATSCOPE_DIGEST_TEXT_H
#define HEATSCOPE_DIGEST_TEXT_H

#include "collector/server/digest_sample.h"

#include <stddef.h>

/* A dialect: the code, and the first tokens.  `whole` 0: more followed that is not known. */
typedef __u64 digest_reader(const char *sql, size_t len, int whole, struct specimen *ret_tokens);

/* Gives the code that the kernel gives of the same bytes.
 * A label that does not read as itself (of more than LABEL_MAX bytes, a name of odd characters) ends with " #" and the code; that of
 * a text of which not all is known with " … #" and the code.  A text without tokens is "empty". */
__u64 digest_text_by(digest_reader *read, const char *sql, size_t len, int whole, char *out);

/* The label of a code, from its first tokens: the same for every statement with that code. */
void digest_label_by(digest_reader *read, __u64 code, const struct specimen *tokens, char *out);

/* The codes that are shown as `text`, for predicates: 1, or -E2BIG if max is 0. */
int digest_codes_by(digest_reader *read, const char *text, __u64 *ret_code, size_t max);

void digest_label_unseen(__u64 code, char *out);	/* of a code whose statement is not known */

#endif
