/* digest_text.h - makes the digest of a whole PostgreSQL statement on the host; see digest.h.
 *
 *      postgresql_digest_read("SELECT  $1::int", 15, 1, &tokens) -> the code of "select ? :: int"
 */
#ifndef HEATSCOPE_POSTGRESQL_DIGEST_TEXT_H
#define HEATSCOPE_POSTGRESQL_DIGEST_TEXT_H

#include "collector/server/digest_text.h"

/* Is a digest_reader: returns the code that the kernel makes of the same bytes. */
__u64 postgresql_digest_read(const char *sql, size_t len, int whole, struct digest_sample *ret_tokens);

#endif
