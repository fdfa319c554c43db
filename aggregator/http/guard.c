#include "aggregator/http/guard.h"

#include <string.h>
#include <strings.h>

#define HOST_MAX 256

static bool names_this_machine(const char *host)
{
	return !strcasecmp(host, "localhost") || !strcmp(host, "127.0.0.1") || !strcmp(host, "[::1]");
}

/* Takes the host of "host:port"; false: not of that form. */
static bool host_of(const char *header, char out[HOST_MAX])
{
	const char *end = header[0] == '[' ? strchr(header, ']') : NULL;
	size_t len = end ? (size_t)(end + 1 - header) : strcspn(header, ":");
	const char *port = header + len;

	if (!len || len >= HOST_MAX)
		return false;
	if (*port && (*port != ':' || !port[1] || port[1 + strspn(port + 1, "0123456789")]))
		return false;
	memcpy(out, header, len);
	out[len] = 0;
	return true;
}

/* Prometheus' clients also post what they ask. */
static bool is_reading(const char *method, const char *path)
{
	return !strcmp(method, "GET") || !strcmp(method, "HEAD") || (!strncmp(path, "/api/v1/", 8) && !strcmp(method, "POST"));
}

static bool equals_word(const char *header, const char *word)
{
	return header && !strcasecmp(header, word);
}

/* Did a page of another site cause the request?  Such a page may only link to the page, not to the interface. */
static bool is_cross_site(const struct guard_request *r)
{
	if (!r->fetch_site || equals_word(r->fetch_site, "same-origin") || equals_word(r->fetch_site, "none"))
		return false;
	return guard_is_api(r->path) || !is_reading(r->method, r->path) || !equals_word(r->fetch_mode, "navigate") || !equals_word(r->fetch_dest, "document");
}

static const char *foreign_reason(const struct guard *g, const struct guard_request *r)
{
	const char *scheme = g->tls ? "https://" : "http://";
	char host[HOST_MAX];
	size_t len = strlen(scheme);

	if (!r->host || !host_of(r->host, host) ||
	    !((g->reach == GUARD_LOOPBACK && names_this_machine(host)) || (g->tls && tls_is_of(g->tls, host))))
		return g->tls ? "Host must be a name in this server's certificate" :
				"Host must be localhost, 127.0.0.1 or [::1]";
	if (r->origin && (strncasecmp(r->origin, scheme, len) || strcasecmp(r->origin + len, r->host)))
		return "Origin must be this server's own";
	if (!(g->token && r->authorization) && is_cross_site(r))
		return "request from another site refused: open this address directly";
	return NULL;
}

bool guard_is_api(const char *path)
{
	return !strcmp(path, "/ca") || !strncmp(path, "/ca/", 4) || !strncmp(path, "/api/v1/", 8) || !strcmp(path, "/metrics");
}

unsigned guard_check(const struct guard *g, const struct guard_request *r, const char **ret_why)
{
	if (g->reach == GUARD_UNIX)
		return 0;
	*ret_why = foreign_reason(g, r);
	if (*ret_why)
		return 403;
	if (!g->token || !guard_is_api(r->path))
		return 0;
	if (token_admits(g->token, r->authorization))
		return 0;
	if (!r->authorization && g->reach == GUARD_LOOPBACK && is_reading(r->method, r->path))
		return 0;
	*ret_why = r->authorization ? "the token is not the one of this server" :
				      "a token is needed: send the header Authorization: Bearer TOKEN";
	return 401;
}
