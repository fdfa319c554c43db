/* digest_text.h - makes the label of a digest from its sample, and the digest of a text, on the host.
 *
 *      digest_label_by(mysql_digest_read, code, sample, out) -> "select ?"
 *      digest_codes_by(mysql_digest_read, "select 5", ...)   -> the same code
 *
 * A label is the sample's text.  If the label does not have the code of its own text, because it is longer than
 * LABEL_MAX bytes or a name has odd characters, it ends with " #" and the code.  The label of a statement that was read
 * in part ends with " … #" and the code, and that of a statement without tokens is "empty".
 *
 * Memory  out is LABEL_MAX + 1 bytes, the caller's.  The label is UTF-8 without control characters.
 * Pure    no errors but -E2BIG.  Thread: any.
 */
#ifndef HEATSCOPE_DIGEST_TEXT_H
#define HEATSCOPE_DIGEST_TEXT_H

#include "collector/server/digest_sample.h"

#include <stddef.h>

/* A dialect's reader: returns the code that the kernel makes of these bytes, and the sample.  whole 0: the statement is
 * longer than these bytes. */
typedef __u64 digest_reader(const char *sql, size_t len, int whole, struct digest_sample *ret_tokens);

/* Writes the label of a code from its sample.  It is the same for every statement with that code. */
void digest_label_by(digest_reader *read, __u64 code, const struct digest_sample *tokens, char *out);

/* Finds the code of the statements whose label is `text`, for predicates.  Any statement may stand for its digest.
 * Returns 1; -E2BIG: max is 0. */
int digest_codes_by(digest_reader *read, const char *text, __u64 *ret_code, size_t max);

void digest_label_unseen(__u64 code, char *out);	/* the label of a code without a sample */

#endif
