/* digest_text.h - makes the digest of a MySQL statement as a text, on the host; see digest.h.
 *
 *      digest_text_by(mysql_digest_read, "SELECT  5", 9, 1, out) -> out "select ?", its code
 */
#ifndef HEATSCOPE_MYSQL_DIGEST_TEXT_H
#define HEATSCOPE_MYSQL_DIGEST_TEXT_H

#include "collector/server/digest_text.h"

/* Returns the same code as digest.h in the kernel for the same bytes. */
__u64 mysql_digest_read(const char *sql, size_t len, int whole, struct digest_sample *ret_tokens);

#endif
