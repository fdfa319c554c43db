/* secret_file.h - reads a small file that holds a secret, and refuses one that others can read or change.
 *
 * Errors  -EPERM: others than the file's owner may read or write it, or the owner is neither us nor root; -E2BIG: it does not
 *         fit; another -errno.  `reason` (room bytes) gets one sentence that names the file.
 * Memory  the caller clears the text when it is not needed any more.
 * Thread  any.
 */
#ifndef HEATSCOPE_SECRET_FILE_H
#define HEATSCOPE_SECRET_FILE_H

#include <stddef.h>

/* Only checks its owner and mode: for a file that a library reads, as libnats does. */
int secret_file_check(const char *path, const char *what, char *reason, size_t room);

/* Reads the file into text[most + 1], with a NUL after it.  what: "token", the word for the secret. */
int secret_file_read(const char *path, const char *what, char *text, size_t most, size_t *ret_len, char *reason, size_t room);

#endif
