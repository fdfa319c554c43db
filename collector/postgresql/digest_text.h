/* digest_text.h - server/digest_text.h, as PostgreSQL reads a text; see digest.h.
 *
 *      postgresql_digest_text("SELECT  $1::int", 15, 1, out) -> out "select ? :: int", its code
 */
#ifndef HEATSCOPE_POSTGRESQL_DIGEST_TEXT_H
#define HEATSCOPE_POSTGRESQL_DIGEST_TEXT_H

#include "collector/server/digest_text.h"

__u64 postgresql_digest_text(const char *sql, size_t len, int whole, char *out);
void postgresql_digest_label(__u64 code, const struct specimen *tokens, char *out);
int postgresql_digest_codes(const char *text, __u64 *ret_code, size_t max);

#endif
