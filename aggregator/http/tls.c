#include "aggregator/http/tls.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (1u << 20)

struct tls {
	gnutls_datum_t certificate, key;
	gnutls_x509_crt_t first;	/* the first of the chain: our certificate */
};

/* Reads a file's text and adds a NUL. */
static int file_read(const char *path, bool secret, gnutls_datum_t *ret, char *reason, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err = fd < 0 ? -errno : 0;
	struct stat st;
	ssize_t n = 0;

	if (!err && fstat(fd, &st))
		err = -errno;
	if (!err && (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX))
		err = -EINVAL;
	if (!err && secret && st.st_mode & 07)
		err = refuse_in(-EPERM, reason, room, "%.200s has mode %03o, so every user of this machine can read "
			"the key: chmod 600 it", path, st.st_mode & 0777);
	if (!err) {
		ret->data = calloc(1, (size_t)st.st_size + 1);
		err = ret->data ? 0 : -ENOMEM;
	}
	if (!err) {
		n = read(fd, ret->data, (size_t)st.st_size);
		err = n < 0 ? -errno : 0;
		ret->size = n > 0 ? (unsigned)n : 0;
	}
	if (fd >= 0)
		close(fd);
	if (err && !reason[0])
		snprintf(reason, room, "%.200s cannot be read: %s", path, strerror(-err));
	return err;
}

/* Checks that they belong together. */
static int pair_check(struct tls *t, const char *certificate, const char *key, char *reason, size_t room)
{
	gnutls_certificate_credentials_t pair = NULL;
	int bad = gnutls_x509_crt_init(&t->first);

	if (!bad) {
		bad = gnutls_x509_crt_import(t->first, &t->certificate, GNUTLS_X509_FMT_PEM);
		if (bad)
			snprintf(reason, room, "%.200s contains no certificate in PEM form: %s",
				certificate, gnutls_strerror(bad));
	}
	if (!bad)
		bad = gnutls_certificate_allocate_credentials(&pair);
	if (!bad)
		bad = gnutls_certificate_set_x509_key_mem(pair, &t->certificate, &t->key, GNUTLS_X509_FMT_PEM);
	if (bad && !reason[0])
		snprintf(reason, room, "%.200s is not the key of the certificate in %.200s: %s", key, certificate,
			 gnutls_strerror(bad));
	if (pair)
		gnutls_certificate_free_credentials(pair);
	return bad ? -EINVAL : 0;
}

int tls_read(const char *certificate, const char *key, struct tls **ret_tls, char *reason, size_t room)
{
	struct tls *t = calloc(1, sizeof(*t));
	int err = t ? 0 : -ENOMEM;

	reason[0] = 0;
	if (!err)
		err = file_read(certificate, false, &t->certificate, reason, room);
	if (!err)
		err = file_read(key, true, &t->key, reason, room);
	if (!err)
		err = pair_check(t, certificate, key, reason, room);
	if (err)
		tls_free(t);
	else
		*ret_tls = t;
	return err;
}

void tls_free(struct tls *t)
{
	if (!t)
		return;
	if (t->first)
		gnutls_x509_crt_deinit(t->first);
	if (t->key.data)
		gnutls_memset(t->key.data, 0, t->key.size);
	free(t->key.data);
	free(t->certificate.data);
	free(t);
}

const char *tls_certificate(const struct tls *t) { return (const char *)t->certificate.data; }
const char *tls_key(const struct tls *t) { return (const char *)t->key.data; }

bool tls_is_of(const struct tls *t, const char *host)
{
	size_t len = strlen(host);
	char bare[256];

	if (len > 2 && len < sizeof(bare) && host[0] == '[' && host[len - 1] == ']') {
		snprintf(bare, sizeof(bare), "%.*s", (int)len - 2, host + 1);
		host = bare;
	}
	return *host && gnutls_x509_crt_check_hostname(t->first, host);
}
