/* certificate_kit.h - makes a self-signed certificate and its key for a test, in two PEM files. */
#ifndef HEATSCOPE_CERTIFICATE_KIT_H
#define HEATSCOPE_CERTIFICATE_KIT_H

/* Writes both files, for a name and an IPv4 address.  The key's file gets mode 0600. */
void certificate_write(const char *name, const char *address, const char *certificate, const char *key);

#endif
