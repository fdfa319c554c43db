/* link.h - the collector's connection to the aggregator: frames over a Unix stream socket.
 *
 *      collector                          aggregator
 *         | -- HELLO {source, metrics} ------> |     on every connect
 *         | <------- WANT {the whole set} ---- |     then, and at every change
 *         | -- STATE {id, state, reason} ----> |     after every change
 *         | -- BATCH ------------------------> |
 *         | <----------------------- ACK ----- |     once it is committed
 *         | <-------- ERROR {sentence} ------> |     either way; the sender closes
 *
 * Again   a lost connection is made again after 100 ms, 200 ms ... 5 s; an ACK, or a
 *         connection that held for 5 s, makes the delay short again.
 * Errors  a frame that cannot be read is answered with ERROR, logged, and the connection made anew.
 * Memory  what the calls hand over is valid during the call only.
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
	void (*connected)(void *arg);			/* time to say hello */
	void (*want)(void *arg, const json_t *want);	/* checked: an object with both members */
	void (*ack)(void *arg, const struct ack *a);
	void (*lost)(void *arg);			/* what was not acknowledged is to be sent again */
	void (*closed)(void *arg);			/* after link_close(): the link is gone */
};

/* Starts connecting at once.  -ENAMETOOLONG: no socket can have that path. */
int link_new(struct uv_loop_s *loop, const char *path, const struct link_ops *ops, void *arg,
	     struct link **ret_link);
void link_close(struct link *l);	/* what was sent is still written; then closed() */

/* -ENOTCONN: not now; -EMSGSIZE: longer than a frame may be; -ENOMEM. */
int link_send(struct link *l, enum frame_type type, const void *data, size_t len);
int link_send_json(struct link *l, enum frame_type type, const json_t *json);
int link_send_frame(struct link *l, const struct bytes *frame);	/* one that is whole already */

#endif
