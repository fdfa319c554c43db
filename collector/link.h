/* link.h - connects the collector to the aggregator and exchanges frames over a Unix stream socket.
 *
 *      collector                          aggregator
 *         | -- HELLO {source, metrics} ------> |     on every connect
 *         | <------- WANT {the whole set} ---- |     then, and at every change
 *         | -- STATE {id, state, reason} ----> |     after every change
 *         | -- BATCH ------------------------> |
 *         | <----------------------- ACK ----- |     when it is stored
 *         | <-------- ERROR {sentence} ------> |     both ways; the sender closes
 *
 * Again   the link connects again 100 ms, 200 ms ... 5 s after it lost a connection.  An ACK, or a connection of 5 s,
 *         makes the delay short again.
 * Errors  at an unreadable frame the link sends ERROR, logs it, and connects again.
 * Memory  arguments of the callbacks are valid during the call only.
 * Thread  the loop's.
 */
#ifndef HEATSCOPE_LINK_H
#define HEATSCOPE_LINK_H

#include "collector/core/ack.h"
#include "collector/core/frame.h"
#include <jansson.h>

struct uv_loop_s;
struct link;				/* its fields are in link.c */

struct link_ops {
	void (*connected)(void *arg);			/* the caller must send HELLO now */
	void (*want)(void *arg, const json_t *want);	/* checked: an object with both members */
	void (*ack)(void *arg, const struct ack *a);
	void (*lost)(void *arg);			/* the caller must send unacknowledged batches again */
	void (*closed)(void *arg);			/* after link_close(): the link is freed */
};

/* Starts connecting at once.  -ENAMETOOLONG: no socket can have that path. */
int link_new(struct uv_loop_s *loop, const char *path, const struct link_ops *ops, void *arg,
	     struct link **ret_link);
void link_close(struct link *l);	/* still writes what was sent, then calls closed() */

/* Sends a frame.  -ENOTCONN: not connected now; -EMSGSIZE: longer than a frame may be; -ENOMEM. */
int link_send(struct link *l, enum frame_type type, const void *data, size_t len);
int link_send_json(struct link *l, enum frame_type type, const json_t *json);
int link_send_frame(struct link *l, const struct bytes *frame);	/* sends a complete frame */

#endif
