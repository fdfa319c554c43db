/* framing.h - does everybody find the same end, and the same host, of this request?
 *
 * A proxy in front of us may read an ambiguous request in another way than libmicrohttpd: then what follows on the connection is
 * one request to the proxy and another one to us (request smuggling; RFC 9112, 3.2 and 6).
 * Thread  any.
 */
#ifndef HEATSCOPE_HTTP_FRAMING_H
#define HEATSCOPE_HTTP_FRAMING_H

#include <microhttpd.h>

/* A sentence that says what is ambiguous; NULL: nothing. */
const char *http_framing_error(struct MHD_Connection *connection, const char *version);

#endif
