/* link.h - connects the collector to the aggregator: by a Unix socket, or by a bus (NATS).
 *
 *      collector                          aggregator
 *         | -- HELLO {source, metrics} ------> |     on every connect
 *         | <------- WANT {the whole set} ---- |     then, and at every change
 *         | -- STATE {id, state, reason} ----> |     after every change
 *         | -- STATE {self} -----------------> |     now and then, self_report.h
 *         | -- BATCH ------------------------> |
 *         | <----------------------- ACK ----- |     socket: when it is stored; bus: when the bus has it
 *         | <-------- ERROR {sentence} ------> |     socket only: both ways; the sender closes
 *
 * Again   the link connects again 100 ms, 200 ms ... 5 s after it lost a connection.  An ACK, or a connection of 5 s,
 *         makes the delay short again.
 * Errors  at an unreadable frame the link sends ERROR, logs it, and connects again.
 * Memory  arguments of the callbacks are valid during the call only.
 * Kinds   link_socket.c; link_bus.c, in a module of its own, which link_module.c loads.
 * Thread  the loop's.
 */
#ifndef HEATSCOPE_LINK_H
#define HEATSCOPE_LINK_H

#include "collector/bus/bus.h"
#include "collector/core/ack.h"
#include "collector/core/frame.h"
#include <jansson.h>
#include <stdbool.h>

struct uv_loop_s;
struct link;				/* each kind has its own fields; see link_kind.h */

struct link_ops {
	void (*connected)(void *arg);			/* the caller must send HELLO now */
	void (*want)(void *arg, const json_t *want);	/* checked: an object with both members */
	void (*acks)(void *arg, const struct ack *a, size_t n);
	void (*lost)(void *arg);			/* the caller must send unacknowledged batches again */
	void (*closed)(void *arg);			/* after link_close(): the link is freed */
	/* Of a socket only: an ERROR was the answer to HELLO.  Returns true if it ended the link; NULL, or false: the link tries again. */
	bool (*refused)(void *arg, const char *why);
};

/* Both start connecting at once.  -ENAMETOOLONG: no socket can have that path; -EINVAL: the reason says what is wrong
 * with the configuration of the bus; -ENOENT, -ENOEXEC: its module is missing, or does not load. */
int link_socket_new(struct uv_loop_s *loop, const char *path, const struct link_ops *ops, void *arg, struct link **ret_link);
int link_bus_new(struct uv_loop_s *loop, const struct bus_conf *conf, const char *source, const struct link_ops *ops,
		 void *arg, struct link **ret_link, char reason[REASON_MAX]);
void link_close(struct link *l);	/* still writes what was sent, then calls closed() */

/* Sends a frame.  -ENOTCONN: not connected now; -EMSGSIZE: longer than a frame may be; -ENOMEM. */
int link_send_json(struct link *l, enum frame_type type, const json_t *json);
int link_send_batch(struct link *l, const struct bytes *frame);	/* a complete FRAME_BATCH; may wait for link_flush();
								 * also -EBADMSG: no batch, -EIO */
/* Sends batches that wait.  After an error they are not sent: lost() is called, now or later. */
int link_flush(struct link *l);

/* May a batch be sent now?  After `no`, acks() or want() is called when it may. */
bool link_is_ready(const struct link *l);

#endif
