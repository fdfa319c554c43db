#include "test/kit/check.h"
#include "test/kit/certificate_kit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gnutls/x509.h>
#include <time.h>
#include <unistd.h>

#define OK(call) assert_int_equal((call), 0)

static void file_write(const char *path, const gnutls_datum_t *text, int mode)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text->data, text->size), text->size);
	close(fd);
}

void certificate_write(const char *name, const char *address, const char *certificate, const char *key)
{
	gnutls_x509_privkey_t private;
	gnutls_x509_crt_t crt;
	gnutls_datum_t text;
	struct in_addr in;

	assert_int_equal(inet_pton(AF_INET, address, &in), 1);
	OK(gnutls_x509_privkey_init(&private));
	OK(gnutls_x509_privkey_generate(private, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
	OK(gnutls_x509_crt_init(&crt));
	OK(gnutls_x509_crt_set_version(crt, 3));
	OK(gnutls_x509_crt_set_serial(crt, "\1", 1));
	OK(gnutls_x509_crt_set_activation_time(crt, time(NULL) - 3600));
	OK(gnutls_x509_crt_set_expiration_time(crt, time(NULL) + 3600));
	OK(gnutls_x509_crt_set_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, "test", 4));
	OK(gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, name, strlen(name), GNUTLS_FSAN_SET));
	OK(gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, &in, sizeof(in), GNUTLS_FSAN_APPEND));
	OK(gnutls_x509_crt_set_key(crt, private));
	OK(gnutls_x509_crt_sign2(crt, crt, private, GNUTLS_DIG_SHA256, 0));
	OK(gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &text));
	file_write(certificate, &text, 0644);
	gnutls_free(text.data);
	OK(gnutls_x509_privkey_export2(private, GNUTLS_X509_FMT_PEM, &text));
	file_write(key, &text, 0600);
	gnutls_free(text.data);
	gnutls_x509_crt_deinit(crt);
	gnutls_x509_privkey_deinit(private);
}
