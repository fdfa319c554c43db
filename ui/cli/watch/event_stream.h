/* event_stream.h - parses server-sent events from a stream of bytes.
 *
 *      "event: column\ndata: {...}\n\n"  in pieces of any length  ->  on(arg, "column", "{...}")
 *
 * Format  heatscoped sends one data line per event, and a comment (":") when it has no event.  Other fields are
 *         ignored.
 * Errors  -EMSGSIZE: an event is too long; -ENOMEM. After an error the stream cannot be read on.
 * Memory  event_stream_fini() frees; type and data are valid until on() returns.
 */
#ifndef HEATSCOPE_WATCH_EVENT_STREAM_H
#define HEATSCOPE_WATCH_EVENT_STREAM_H

#include "collector/core/bytes.h"

#define EVENT_BYTES_MAX (48u << 20)	/* the server's longest reply is 32 MiB */

struct event_stream {
	void (*on)(void *arg, const char *type, const char *data);
	void *arg;
	struct bytes rest;		/* of an event that is not whole */
	size_t seen;			/* of rest, without an end of an event in it */
};

int event_stream_push(struct event_stream *e, const void *data, size_t len);
void event_stream_fini(struct event_stream *e);	/* the next byte begins a new stream */

#endif
