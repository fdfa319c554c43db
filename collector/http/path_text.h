/* path_text.h - reads a whole path on the host, as path.h does in the kernel, for labels and predicates.
 *
 * Pure    no errors.  Thread: any.
 */
#ifndef HEATSCOPE_HTTP_PATH_TEXT_H
#define HEATSCOPE_HTTP_PATH_TEXT_H

#include "collector/server/digest_text.h"

/* Is a digest_reader: returns the code of a path, or of a pattern. */
__u64 http_path_read(const char *path, size_t len, int whole, struct digest_sample *ret_tokens);

#endif
