/* http.h - describes the fields of http.requests, and which exchanges count as an event.
 *
 * Event   A client's request to a server that speaks HTTP/1.0 or HTTP/1.1, once it is answered.
 *
 *      receive:  [ head ][ body ]                                [ head head ]
 *      send:                       [ 100 ]    [ head ][ body ]                  [ reply ]       [ reply ]
 *                |<--------- an event ----------------------->|  |<- an event ->|<- an event -->|
 *
 * Start   when the receive that brings the request's first byte returns.  Of a pipelined request: the end of the reply
 *         before it, because the server does not serve a request that is in its own buffer.
 * End     the send with the reply's last byte.  Content-Length, chunks or the status say where that is (HEAD, 204, 304:
 *         the end of the head).  Without them: the last send before the connection's end.  sendfile and splice come in
 *         pieces, by the same tracepoint.
 * Interim A reply 1xx ends nothing, except 101.  After 101, and after 2xx to a CONNECT, the connection speaks another
 *         protocol, and we ignore it.
 * Slot    the slot of the end.
 * Ignored a request whose connection ends before the reply, and connections that the server opens, as to an upstream.
 * Early   A reply before the request's head is complete (400, 408, 431) is an event with the path `unknown`.  Then we
 *         ignore the connection.
 * Refused A malformed request is an event with the status by which the server refuses it.  Its path is `unknown` if its
 *         first line is malformed.
 * Clients We count only sockets that a server accepted: the process or its parent listens at the local port.  A Unix
 *         socket has the listener's name.
 * Attach  We ignore a TCP connection whose first byte came before the collector started, until we see one exchange in
 *         lock step: a send, a receive that begins with a request line, and exactly its reply.  From the next receive
 *         on we understand it.  The same holds after bytes that we could not follow.  The kernel does not count the
 *         bytes of a Unix connection, so we take each for new.
 * Turns   Of a connection that we cannot read (TLS, HTTP/2, another protocol), we count turns of request and reply:
 *         from the first receive to the last send before the next receive.
 *
 * Measures  those of exchange.h.  A thread of nginx serves many connections at once: the parts of a request's time are
 *         the thread's during that time, whichever request it worked at.
 *
 * Fields, codes in the kernel:
 *
 *      method      enum http_method
 *      path        path.h
 *      status      the reply's, 100 .. 999; STATUS_UNKNOWN
 *      class       its first digit
 *      host        name.h's code of the Host header, in lower case
 *      client      address.h; CLIENT_LOCAL where it came by a Unix socket; behind a proxy, the address in its PROXY header
 *      instance    see exchange.h; of the listening process
 *      pid         of the process that serves the connection: a worker
 *      execname    hash of its name
 *      blocked_in  see exchange.h
 */
#ifndef HEATSCOPE_HTTP_HTTP_H
#define HEATSCOPE_HTTP_HTTP_H

#include "collector/server/exchange.h"

enum http_field {
	HTTP_METHOD, HTTP_PATH, HTTP_STATUS, HTTP_CLASS, HTTP_HOST, HTTP_CLIENT, HTTP_INSTANCE, HTTP_PID, HTTP_EXECNAME,
	HTTP_BLOCKED_IN,
	TURN_CGROUP_FIELDS(HTTP), HTTP_N_FIELDS
};

/* The names of servers' processes; at most 15 bytes each. */
#define HTTP_SERVERS "nginx", "apache2", "httpd"

enum http_method {
	METHOD_NONE,			/* the reply came before the method, or it is malformed */
	METHOD_ENCRYPTED,
	METHOD_OPAQUE,
	METHOD_OTHER,
	METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_PUT, METHOD_DELETE, METHOD_CONNECT, METHOD_OPTIONS, METHOD_TRACE,
	METHOD_PATCH, METHOD_PROPFIND, METHOD_MKCOL, METHOD_COPY, METHOD_MOVE, METHOD_LOCK, METHOD_UNLOCK, METHOD_REPORT,
	METHOD_SEARCH, METHOD_PURGE,
	N_METHODS
};

enum { STATUS_UNKNOWN = 0 };		/* the reply could not be read */

#endif
