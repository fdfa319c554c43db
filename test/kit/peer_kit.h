/* peer_kit.h - plays the aggregator's end of a connection, on the test's own loop.
 *
 * It listens on a Unix socket, takes one collector at a time, and gives its frames to the test.  The test may answer
 * with rubbish, too, as no real aggregator does.
 */
#ifndef HEATSCOPE_PEER_KIT_H
#define HEATSCOPE_PEER_KIT_H

#include "collector/core/frame.h"
#include "collector/link.h"
#include <uv.h>

struct peer {
	uv_loop_t *loop;
	uv_pipe_t server, client;
	int open;			/* a collector is connected */
	unsigned n_connections;
	struct bytes in;
	void (*frame)(struct peer *p, const struct frame *f);	/* the test's */
	void *arg;
	char chunk[65536];
};

int peer_listen(struct peer *p, uv_loop_t *loop, const char *path);
void peer_send(struct peer *p, enum frame_type type, const void *data, size_t len);
void peer_send_text(struct peer *p, enum frame_type type, const char *text);
void peer_send_raw(struct peer *p, const void *data, size_t len);
void peer_ack(struct peer *p, const struct frame *batch);
void peer_hang_up(struct peer *p);
void peer_close(struct peer *p);	/* run the loop to its end afterwards */

#endif
