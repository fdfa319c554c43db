/* session.h - runs a program in the kernel: its maps, its BPF programs, the ring of its records.
 *
 *      d_session_open()    makes the maps
 *      d_session_load()    a probe's IR -> BPF -> kernel
 *      d_session_fire()    runs BEGIN or END here
 *      d_session_drain()   gives the records that are in the ring to the consumer
 *
 * Errors  0 or -errno; reason: one sentence.  -EPERM: capabilities lack.
 * Thread  one.
 */
#ifndef HEATSCOPE_D_SESSION_H
#define HEATSCOPE_D_SESSION_H

#include "collector/d/consume.h"
#include "collector/d/emit.h"

#define D_REASON_MAX 512

struct ring_buffer;

struct d_session {
	struct d_maps maps;
	struct d_state *state;			/* shared with the programs */
	__u8 *globals;				/* shared; NULL: the program has none */
	size_t globals_len;
	struct ring_buffer *ring;
	struct d_consumer *consumer;
	unsigned this_len;
};

int d_session_open(struct d_session *s, const struct d_program *p, struct d_consumer *consumer, char *reason);
/* *ret_fd: the program; close it. */
int d_session_load(struct d_session *s, const struct d_ir *ir, int *ret_fd, char *reason);
int d_session_fire(struct d_session *s, int fd, char *reason);
int d_session_drain(struct d_session *s);
void d_session_close(struct d_session *s);

#endif
