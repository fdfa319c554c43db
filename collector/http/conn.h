/* conn.h - defines the state that the kernel keeps of a connection: the turn of exchange.h, and HTTP's part. */
#ifndef HEATSCOPE_HTTP_CONN_H
#define HEATSCOPE_HTTP_CONN_H

#include "collector/http/reply.h"
#include "collector/server/exchange.h"

struct event_data {			/* the data of the next event */
	__u64 method, path, host, status;
};

struct server_conn {
	struct turn turn;
	struct conn conn;
	struct event_data event_data;
};

#define SERVER_NAMES HTTP_SERVERS
#define FIELD_BLOCKED_IN HTTP_BLOCKED_IN

#endif
