/* guard.h - decides which requests are allowed.
 *
 *      where it came in      Host, Origin                 reading     changing      the page's files
 *      Unix socket           any                          free        free          free
 *      loopback              this machine's               free        token*        free
 *      beyond, always TLS    the certificate's            token       token         free
 *
 * Reading GET and HEAD; under /api/v1 also POST: there nothing can be changed, and the clients of Prometheus post long questions.
 * Token   *: only if the server has one.  Without one, every user who may run programs on this machine may change
 *         things.  Under /ca and /api/v1 a wrong token is always refused, but not on the Unix socket: the mode of its file guards
 *         it.
 * Host    Host and Origin stop a page of another site: it may neither read us (its name rebound to our address) nor
 *         post to us.
 * Site    A browser sends no Origin with pictures, frames and some forms.  But Sec-Fetch-Site marks those of another
 *         site, and the guard refuses them, except a link that opens the page.  If a client sends no Sec-Fetch-Site
 *         (old browsers, other programs), only Host and Origin are checked.
 * Cookies There are none: a browser adds nothing by itself that would admit another page.
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
