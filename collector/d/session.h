/* session.h - runs a program in the kernel: its maps, its BPF programs, the ring of its records.
 *
 *      d_session_open()    makes the maps, of all programs after lowering
 *      d_session_load()    a group's IR -> BPF -> kernel
 *      d_session_attach()  the program runs when its probes fire
 *      d_session_fire()    runs BEGIN or END here
 *      d_session_drain()   gives the records that are in the ring to the consumer
 *      d_session_take()    moves what an aggregation has counted so far to the totals
 *
 * An aggregation's elements are in a map of an array of one map.  To take them, a new map is swapped in; the kernel
 * returns when no program uses the old one any more, so an interval has every event once.
 *
 * Errors  0 or -errno; reason: one sentence.  -EPERM: capabilities lack.
 * Thread  one.
 */
#ifndef HEATSCOPE_D_SESSION_H
#define HEATSCOPE_D_SESSION_H

#include "collector/d/output/consume.h"
#include "collector/d/emit/emit.h"
#include "collector/d/emit/plan.h"

#define D_REASON_MAX 512
/* Elements of an associative array, and of an interval of an aggregation.  A map takes 16 bytes for each, also if it is
 * empty, so scripts with many of them have smaller ones. */
#define D_ELEMENTS_MAX 65536
#define D_ELEMENTS_OF_MANY 8192
#define D_TABLES_FEW 32

#define ATTACH_UPROBE_MULTI 48		/* BPF_TRACE_UPROBE_MULTI, Linux 6.6 */

struct btf;
struct ring_buffer;

struct d_session {
	struct d_maps maps;
	struct d_state *state;			/* shared with the programs */
	__u8 *globals;				/* shared; NULL: the program has none */
	size_t globals_len;
	struct ring_buffer *ring;
	unsigned n_records;			/* of this poll */
	struct d_consumer *consumer;
	int *tables;				/* maps.table */
	int *inner;				/* of aggregations: the map that is swapped in now; -1 */
	__u64 taken[D_AGGREGATIONS_MAX];	/* state->elements when the map was swapped in */
	__u32 n_tables, elements_max;
	int *links;				/* closing them detaches */
	size_t n_links, links_room;
	struct btf *btf;			/* of the kernel; NULL: not needed so far */
	const struct d_probes *probes;
};

int d_session_open(struct d_session *s, const struct d_program *p, struct d_consumer *consumer, char *reason);
/* Writes the reason of an error.  Returns it. */
int d_session_fail(char *reason, int err, const char *what);
int d_session_load(struct d_session *s, struct d_group *g, char *reason);
int d_session_attach(struct d_session *s, const struct d_group *g, char *reason);
void d_session_detach(struct d_session *s);
int d_session_fire(struct d_session *s, const struct d_group *g, char *reason);
/* Waits at most timeout_ms for records, and gives some of them to the consumer.  -EINTR: a signal interrupted the waiting. */
int d_session_poll(struct d_session *s, int timeout_ms);
int d_session_drain(struct d_session *s);
/* A new map for an interval of an aggregation. */
int d_session_interval(const struct d_session *s, const struct d_table *t);
int d_session_take(struct d_session *s, struct d_totals *t);
int d_session_take_all(struct d_session *s, struct d_aggregates *a);
/* Takes what aggregations have counted whose maps fill up. */
int d_session_take_full(struct d_session *s, struct d_aggregates *a);
void d_session_close(struct d_session *s);

#endif
