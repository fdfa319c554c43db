#include "aggregator/http/token.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static int secret_digest(const char *secret, size_t len, struct token *ret)
{
	return gnutls_hash_fast(GNUTLS_DIG_SHA256, secret, len, ret->digest) ? -EIO : 0;
}

static int file_check(int fd, const char *path, char *reason, size_t room)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return refuse_in(-EINVAL, reason, room, "%.200s is not a file", path);
	if (st.st_mode & 077)
		return refuse_in(-EPERM, reason, room, "%.200s has mode %03o, so other users can read the token: chmod "
			"600 it", path, st.st_mode & 0777);
	if (st.st_uid && st.st_uid != geteuid())
		return refuse_in(-EPERM, reason, room, "%.200s belongs to another user (%u), who can change the token",
			path, st.st_uid);
	return 0;
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
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err = fd < 0 ? -errno : 0, len = 0;
	char text[TOKEN_MAX + 8];
	ssize_t n = 0;

	reason[0] = 0;
	if (!err)
		err = file_check(fd, path, reason, room);
	if (!err) {
		n = read(fd, text, sizeof(text));
		err = n < 0 ? -errno : 0;
	}
	if (!err) {
		len = secret_take(text, (size_t)n);
		err = len < 0 ? len : 0;
	}
	if (fd >= 0)
		close(fd);
	if (!err)
		snprintf(ret_secret, TOKEN_MAX + 1, "%.*s", len, text);
	gnutls_memset(text, 0, sizeof(text));
	if (err && len == -EINVAL)
		snprintf(reason, room, "%.200s contains no token: it must be one line "
			"of %d to %d printable characters without "
			 "spaces (openssl rand -hex 24 makes one)", path, TOKEN_MIN, TOKEN_MAX);
	else if (err && !reason[0])
		snprintf(reason, room, "the token cannot be read from %.200s: %s", path, strerror(-err));
	return err;
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
