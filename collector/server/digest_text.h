/* digest_text.h - turns the tokens of a statement into a text for people, on the host, for any dialect; see digest.h.
 *
 * Memory  out is LABEL_MAX + 1 bytes, the caller's.  The text is always UTF-8 without control characters.
 * Pure    no errors.  Thread: any.
 */
#ifndef HEATSCOPE_DIGEST_TEXT_H
#define HEATSCOPE_DIGEST_TEXT_H

#include "collector/server/digest_sample.h"

#include <stddef.h>

/* A dialect's reader: returns the code and the first tokens.  `whole` 0: the text goes on, but we do not have the
 * rest. */
typedef __u64 digest_reader(const char *sql, size_t len, int whole, struct digest_sample *ret_tokens);

/* Returns the same code as the kernel for the same bytes.
 * A label that does not read as itself (longer than LABEL_MAX bytes, a name of odd characters) ends with " #" and
 * the code; the label of a text that we have only in part ends with " … #" and the code.  A text without tokens is
 * "empty". */
__u64 digest_text_by(digest_reader *read, const char *sql, size_t len, int whole, char *out);

/* Writes the label of a code from its first tokens: it is the same for every statement with that code. */
void digest_label_by(digest_reader *read, __u64 code, const struct digest_sample *tokens, char *out);

/* Finds the codes that are shown as `text`, for predicates: 1, or -E2BIG if max is 0. */
int digest_codes_by(digest_reader *read, const char *text, __u64 *ret_code, size_t max);

void digest_label_unseen(__u64 code, char *out);	/* of a code whose statement is not known */

#endif
