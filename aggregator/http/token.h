/* token.h - the secret that a request brings to be let in: one brought to us, or by us to a webhook.
 *
 *      file (a line of 16 to 256 printable characters; nobody but its owner may read it) -> digest
 *      "Authorization: Bearer SECRET" --token_admits()--> yes or no
 *
 * Of what lets others in only a digest (SHA-256) is kept, and digests are compared in constant time, so that a reply's time
 * tells nothing about the secret, not even its length.
 * Errors  0 or -errno, with one sentence in `reason` (room bytes) that names the file.
 */
#ifndef HEATSCOPE_TOKEN_H
#define HEATSCOPE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#define TOKEN_MIN 16
#define TOKEN_MAX 256

struct token {
	unsigned char digest[32];
};

/* -EPERM: others than its owner may read or write it, or the owner is neither us nor root; -EINVAL: not a token. */
int token_read(const char *path, struct token *ret_token, char *reason, size_t room);

/* The secret itself, to be brought along. */
int token_secret(const char *path, char ret_secret[TOKEN_MAX + 1], char *reason, size_t room);

/* authorization: the header's value, NULL: none. */
bool token_admits(const struct token *t, const char *authorization);

#endif
