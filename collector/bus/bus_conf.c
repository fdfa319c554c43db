/* Apart from bus.c, so that a program can check a configuration without libnats. */
#include "collector/bus/bus.h"

#include "collector/core/refuse.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* nats://HOST:PORT or tls://HOST:PORT, of `len` bytes.  A user's password in it would show in lists of processes. */
static bool is_address(const char *text, size_t len)
{
	size_t scheme = !strncmp(text, "nats://", 7) ? 7 : !strncmp(text, "tls://", 6) ? 6 : 0;

	if (!scheme || len <= scheme || len > 250)
		return false;
	for (size_t i = scheme; i < len; i++)
		if ((unsigned char)text[i] <= ' ' || strchr("/@", text[i]))
			return false;
	return true;
}

static int check_url(const char *text, char *reason)
{
	size_t n = 0, len;

	for (const char *at = text; *at; at += len + (at[len] == ',')) {
		len = strcspn(at, ",");
		if (!is_address(at, len) || !strcmp(at + len, ","))
			return refuse(reason, "\"%.80s\" is not the address of a bus: nats://HOST:PORT or tls://HOST:PORT, several with "
				      "commas; a user is in the credentials or the user file", text);
		n++;
	}
	return n && n <= BUS_SERVERS_MAX ? 0 : refuse(reason, "a bus has 1 to %d addresses", BUS_SERVERS_MAX);
}

int bus_conf_check(const struct bus_conf *conf, char reason[REASON_MAX])
{
	if (check_url(conf->url, reason))
		return -EINVAL;
	if (bus_text_is_set(conf->certificate) != bus_text_is_set(conf->key))
		return refuse(reason, "the bus' certificate and key go together: one of them is missing");
	if (bus_text_is_set(conf->credentials) && bus_text_is_set(conf->user_file))
		return refuse(reason, "the bus takes credentials or a user file, not both");
	return 0;
}
