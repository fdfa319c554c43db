#include "aggregator/http/token.h"

#include "collector/core/secret_file.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int secret_digest(const char *secret, size_t len, struct token *ret)
{
	return gnutls_hash_fast(GNUTLS_DIG_SHA256, secret, len, ret->digest) ? -EIO : 0;
}

/* Takes the first line; returns its length, or -EINVAL. */
static int secret_take(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] > ' ' && text[n] <= '~')
		n++;
	if (n < TOKEN_MIN || n > TOKEN_MAX)
		return -EINVAL;
	return n == len || (n + 1 == len && text[n] == '\n') ? (int)n : -EINVAL;
}

int token_secret(const char *path, char ret_secret[TOKEN_MAX + 1], char *reason, size_t room)
{
	char text[TOKEN_MAX + 8];
	size_t n = 0;
	int err = secret_file_read(path, "token", text, sizeof(text) - 1, &n, reason, room), len = err ? 0 : secret_take(text, n);

	if (!err && len > 0)
		snprintf(ret_secret, TOKEN_MAX + 1, "%.*s", len, text);
	gnutls_memset(text, 0, sizeof(text));
	if (err && err != -E2BIG)
		return err;
	if (!err && len > 0)
		return 0;
	return refuse_in(-EINVAL, reason, room, "%.200s contains no token: it must be one line of %d to %d printable characters "
		"without spaces (openssl rand -hex 24 makes one)", path, TOKEN_MIN, TOKEN_MAX);
}

int token_read(const char *path, struct token *ret_token, char *reason, size_t room)
{
	char secret[TOKEN_MAX + 1];
	struct token t;
	int err = token_secret(path, secret, reason, room);

	if (!err) {
		err = secret_digest(secret, strlen(secret), &t);
		if (err)
			snprintf(reason, room, "the token cannot be read from %.200s: %s", path, strerror(-err));
	}
	gnutls_memset(secret, 0, sizeof(secret));
	if (!err)
		*ret_token = t;
	return err;
}

bool token_admits(const struct token *t, const char *authorization)
{
	struct token other;

	if (!authorization || strncasecmp(authorization, "Bearer ", 7))
		return false;
	authorization += 7;
	return !secret_digest(authorization, strlen(authorization), &other) &&
	       !gnutls_memcmp(t->digest, other.digest, sizeof(other.digest));
}
