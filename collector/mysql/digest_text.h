/* digest_text.h - makes the digest of a whole MySQL statement on the host; see digest.h.
 *
 *      mysql_digest_read("SELECT  5", 9, 1, &tokens) -> the code of "select ?"
 */
#ifndef HEATSCOPE_MYSQL_DIGEST_TEXT_H
#define HEATSCOPE_MYSQL_DIGEST_TEXT_H

#include "collector/server/digest_text.h"

/* Is a digest_reader: returns the code that the kernel makes of the same bytes. */
__u64 mysql_digest_read(const char *sql, size_t len, int whole, struct digest_sample *ret_tokens);

#endif
