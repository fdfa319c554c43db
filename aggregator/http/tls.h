/* tls.h - reads a certificate and its key, with which the server listens to other machines.
 *
 *      two PEM files -> checked as a pair -> texts for the HTTP server, names for the check of Host
 *
 * Errors  0 or -errno, with one sentence in `reason` (room bytes) that names the file.
 * Memory  tls_free() also wipes the key.
 */
#ifndef HEATSCOPE_TLS_H
#define HEATSCOPE_TLS_H

#include <stdbool.h>
#include <stddef.h>

struct tls;

/* Reads both files.  -EPERM: every user of the machine may read or write the key; -EINVAL: not a pair. */
int tls_read(const char *certificate, const char *key, struct tls **ret_tls, char *reason, size_t room);
void tls_free(struct tls *t);		/* NULL is fine */

const char *tls_certificate(const struct tls *t);	/* PEM, followed by the chain */
const char *tls_key(const struct tls *t);		/* PEM */

/* Does the certificate name this host (name, address, or [address]; without a port)? */
bool tls_is_of(const struct tls *t, const char *host);

#endif
