/* guard.h - decides which requests are allowed.
 *
 *      where it came in      Host, Origin                 reading     changing      the page's files
 *      Unix socket           any                          free        free          free
 *      loopback              this machine's               free        token*        free
 *      beyond, always TLS    the certificate's            token       token         free
 *
 * *  if there is a token; without one, every user who may run programs on this machine may also change things.
 *    For /ca a wrong token is refused also where none is needed, but not on the Unix socket, whose file's mode guards
 *    it.  The page's files need no token, so none is looked at.
 *
 * Host and Origin: a page of another site may neither read us (its name rebound to our address) nor post
 * to us.  A browser sends no Origin with pictures, frames and some forms, but marks those of another site by
 * Sec-Fetch-Site: the guard refuses them, except a link that opens the page.  Old browsers and other programs send no
 * Sec-Fetch-Site; for them only Host and Origin are checked.  There are no cookies: a browser adds nothing by itself
 * that lets another page in.
 */
#ifndef HEATSCOPE_GUARD_H
#define HEATSCOPE_GUARD_H

#include "aggregator/http/tls.h"
#include "aggregator/http/token.h"

enum guard_reach { GUARD_UNIX, GUARD_LOOPBACK, GUARD_BEYOND };

struct guard {
	enum guard_reach reach;		/* of the listening socket, not of the peer */
	const struct token *token;	/* NULL: none */
	const struct tls *tls;		/* NULL: plain HTTP */
};

struct guard_request {			/* a header that is absent is NULL */
	const char *method, *path, *host, *origin, *authorization;
	const char *fetch_site, *fetch_mode, *fetch_dest;
};

/* Does this path belong to the interface?  The others are the page's files, which hold nothing secret. */
bool guard_is_api(const char *path);

/* Returns 0: allowed; 401 or 403, and a sentence. */
unsigned guard_check(const struct guard *g, const struct guard_request *r, const char **ret_why);

#endif
