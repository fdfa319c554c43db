/* token.h - reads the secret that admits a request, and checks the secret of a request.
 *
 *      file (a line of 16 to 256 printable characters; only its owner may read it) -> digest
 *      "Authorization: Bearer SECRET" --token_admits()--> yes or no
 *
 * Users   requests to us, and ours to webhooks.
 * Safety  Of the secret for requests to us we keep only a digest (SHA-256).  Digests are compared in constant time, so
 *         the time of a reply reveals nothing about the secret, not even its length.
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

/* Reads the secret and keeps its digest.  -EPERM: others than the file's owner may read or write it, or the owner is
 * neither us nor root; -EINVAL: not a token. */
int token_read(const char *path, struct token *ret_token, char *reason, size_t room);

/* Reads the secret itself, to send it to a webhook. */
int token_secret(const char *path, char ret_secret[TOKEN_MAX + 1], char *reason, size_t room);

/* Does the header have the secret?  authorization: the header's value; NULL: there is no header. */
bool token_admits(const struct token *t, const char *authorization);

#endif
