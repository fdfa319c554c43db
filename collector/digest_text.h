/* digest_text.h - the tokens of a statement as a text for people, on the host, of any dialect; see digest.h.
 *
 * Memory  out is LABEL_MAX + 1 bytes, the caller's: UTF-8 and no control characters, whatever the statement had.
 * Pure    no errors.  Thread: any.
 */
#ifndef HEATSCOPE_DIGEST_TEXT_H
#define HEATSCOPE_DIGEST_TEXT_H

#include <linux/types.h>
#include <stddef.h>

/* A dialect: the code; the tokens are in out, room + 1 bytes.  `whole` 0: more followed that is not known. */
typedef __u64 digest_reader(const char *sql, size_t len, int whole, char *out, size_t room, size_t *ret_len);

/* Gives the code that the kernel gives of the same bytes.
 * What does not read as itself (cut at LABEL_MAX bytes, a name of odd characters) ends with " #" and its code. */
__u64 digest_text_by(digest_reader *read, const char *sql, size_t len, int whole, char *out);

/* The label of a code, from the first bytes of a statement that has it; they may be too few to give the code again. */
void digest_label_by(digest_reader *read, __u64 code, const char *sql, size_t len, int whole, char *out);

/* The codes that are shown as `text`, for predicates: 1, or -E2BIG if max is 0. */
int digest_codes_by(digest_reader *read, const char *text, __u64 *ret_code, size_t max);

void digest_label_unseen(__u64 code, char *out);	/* of a code whose statement is not known */

#endif
