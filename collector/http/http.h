/* http.h - describes the fields of http.requests, and which exchanges count as an event.
 *
 * Event   A client's request to a server that speaks HTTP/1.0 or HTTP/1.1, once it is answered.
 *
 *      receive:  [ head ][ body ]                                [ head head ]
 *      send:                       [ 100 ]    [ head ][ body ]                  [ reply ]       [ reply ]
 *                |<--------- an event ----------------------->|  |<- an event ->|<- an event -->|
 *
 * Start   the return of the receive that brings the first byte of the request.  Where requests are pipelined, the end of
 *         the reply before: a request in the server's own buffer is not served yet.
 * End     the send with the reply's last byte, as its Content-Length, its chunks or its status say (HEAD, 204, 304: the
 *         end of its head); without these, the last send before the connection's end.  sendfile and splice pass the same
 *         tracepoint, in pieces.
 * Interim A reply 1xx ends nothing, but 101: its connection, and one with CONNECT and 2xx, speaks another protocol from
 *         there on and is ignored.
 * Slot    the slot of the end.
 * Nothing a connection that ends before its answer; a connection that the server opened, as to an upstream.
 * Early   A reply before the request's head is complete (400, 408, 431) is an event with the path `unknown`; the
 *         connection is ignored after it.
 * Clients Only accepted sockets: the local port is one of the listening process's, which is the process itself or its
 *         parent; Unix: it carries the listener's name.
 * Attach  A TCP connection whose first byte was received before the collector looked is ignored up to one exchange in
 *         lock step: a send, a receive that begins with a request line, and exactly its reply.  From the next receive on
 *         it is understood.  The same after bytes that could not be followed.  Of a Unix connection the kernel keeps no
 *         such count: it is taken for new.
 * Turns   Of connections that we cannot read (TLS, HTTP/2, another protocol), turns of request and reply are counted:
 *         from the first receive to the last send before the next.
 *
 * Measures  those of exchange.h.  A thread of nginx serves many connections at once: the parts of a request's time are
 *         those of the thread during that time, whatever it worked at.
 *
 * Fields, codes in the kernel:
 *
 *      method      enum http_method
 *      path        path.h
 *      status      the reply's, 100 .. 999; STATUS_UNKNOWN
 *      class       its first digit
 *      host        name.h's code of the Host header, in lower case
 *      client      address.h; CLIENT_LOCAL where it came by a Unix socket
 *      instance    see exchange.h; of the listening process
 *      pid         of the process that serves the connection: a worker
 *      execname    hash of its name
 *      blocked_in  see exchange.h
 */
#ifndef HEATSCOPE_HTTP_H
#define HEATSCOPE_HTTP_H

#include "collector/server/exchange.h"

enum http_field {
	HTTP_METHOD, HTTP_PATH, HTTP_STATUS, HTTP_CLASS, HTTP_HOST, HTTP_CLIENT, HTTP_INSTANCE, HTTP_PID, HTTP_EXECNAME,
	HTTP_BLOCKED_IN,
	HTTP_N_FIELDS
};

/* The names of servers' processes; at most 15 bytes each. */
#define HTTP_SERVERS "nginx", "apache2", "httpd"

enum http_method {
	METHOD_NONE,			/* the reply came before it */
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
