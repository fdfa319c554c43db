/* framing.h - checks that every program finds the same end, and the same host, of a request.
 *
 * A proxy in front of us may read an ambiguous request in another way than libmicrohttpd.  Then the bytes that follow
 * on the connection are one request to the proxy and another one to us (request smuggling; RFC 9112, 3.2 and 6).
 * Thread  any.
 */
#ifndef HEATSCOPE_HTTP_FRAMING_H
#define HEATSCOPE_HTTP_FRAMING_H

#include <microhttpd.h>

/* Returns a sentence that says what is ambiguous; NULL: nothing. */
const char *http_framing_error(struct MHD_Connection *connection, const char *version);

#endif
