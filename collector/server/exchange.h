/* exchange.h - describes one exchange: a client's request to a server and its reply, in any protocol.
 *
 *      IDLE --asked--> WAITING --send--> PENDING --recorded--> RECORDED --asked--> ...
 *
 * A struct turn is a connection's current exchange.  The event programs of one socket run one after another, because a
 * server does not read and write it at the same time.  Only iterators run at the same time: the scan of running turns,
 * which writes only `scan`, and the age flush.  The flush takes only a PENDING event, by compare-and-swap of `state`.
 * The programs write an event's data only while `state` is not PENDING, and each change gives `state` a new generation.
 * So every event is recorded exactly once.
 *
 * Measures in ns, from the same two clock readings:
 *
 *      latency = cputime + runqwait + blocked + unsplit      exactly, for every event
 *      offcpu  = runqwait + blocked
 *      blocked = io + futex + net + sleep + fault + other    by the call in which the thread was, see block_reason.h
 *
 *      n_switches   how often the thread left the CPU because it was blocked;  n_io: how often for `io`.  Both are 0 if
 *                   the turn is unsplit, or began before an instrumentation wanted them
 *
 *      fs           time of the thread's operations on files (fs.h), on a CPU and off it: no part of the others
 *      io_bytes     bytes that these operations read, wrote or copied;  n_fs: their number.  A call that had begun
 *                   before an instrumentation wanted them is left out; if the turn is unsplit, all three are 0
 *
 *      arrival      from the time the request's bytes reached the socket's receive queue to the receive that begins the
 *                   turn, see arrival.bpf.h.  0 if that time is unknown; then n_unseen is 1, else 0
 *      response     arrival + latency      exactly, for every event
 *      first        from that receive to the first send of the reply, at most the latency; 0 if the turn began before
 *                   an instrumentation wanted it
 *
 *      age          the time so far of a turn that runs at the end of a slot; that slot reports it, no event has it
 *
 * `other` is the blocked time without a known reason, for example of a turn that began before the reasons were wanted.
 * If a turn starts on one thread and ends on another (thread pool), or the thread's clocks cannot be read, all of it is
 * `unsplit`.
 *
 * Fields  cgroup, container, pod, containername are those of the server's thread (cgroup.h).  blocked_in is reported with `age` only: why the thread that received the request is off the CPU at the time
 *         of the scan (enum reason).  REASON_NONE: it runs, or waits for a CPU.  TURN_ENDED: the turn does not run.
 */
#ifndef HEATSCOPE_EXCHANGE_H
#define HEATSCOPE_EXCHANGE_H

#include "collector/ring/event.h"
#include "collector/metrics/fs.h"
#include "collector/trace/block_reason.h"
#include "collector/trace/thread_clock.h"

enum turn_measure {
	TURN_LATENCY, TURN_CPUTIME, TURN_RUNQWAIT, TURN_BLOCKED, TURN_UNSPLIT, TURN_OFFCPU,
	TURN_IO, TURN_FUTEX, TURN_NET, TURN_SLEEP, TURN_FAULT, TURN_OTHER,	/* as enum reason, and the rest */
	TURN_N_SWITCHES, TURN_N_IO,	/* counts */
	TURN_AGE,		/* of a turn that still runs at the end of a slot: no event */
	TURN_FS,		/* on the CPU and off it */
	TURN_IO_BYTES,
	TURN_N_FS,		/* a count */
	TURN_ARRIVAL,		/* before the latency */
	TURN_RESPONSE,
	TURN_FIRST,
	TURN_N_UNSEEN,		/* a count */
	TURN_N_MEASURES
};

/* Measures that need the scheduler's events: parts of the time blocked, and counts. */
#define TURN_PARTS (((1ull << TURN_AGE) - (1ull << TURN_IO)) << 32)

/* Measures that need the system calls. */
#define TURN_FILES (WANTED_MEASURE(TURN_FS) | WANTED_MEASURE(TURN_IO_BYTES) | WANTED_MEASURE(TURN_N_FS))

/* Measures that need the times at which bytes arrive. */
#define TURN_ARRIVALS \
	(WANTED_MEASURE(TURN_ARRIVAL) | WANTED_MEASURE(TURN_RESPONSE) | WANTED_MEASURE(TURN_N_UNSEEN))

enum { TURN_ENDED = REASON_NONE + 1 };	/* of blocked_in: the turn does not run */

/* In every protocol these fields follow blocked_in: codes of cgroup.h, of the server's thread. */
enum { TURN_CGROUP = 1, TURN_CONTAINER, TURN_POD, TURN_CONTAINER_NAME, TURN_AFTER_CGROUP };

#define TURN_CGROUP_FIELDS(x) x##_CGROUP, x##_CONTAINER, x##_POD, x##_CONTAINER_NAME

struct turn_cgroup {
	__u64 code[TURN_AFTER_CGROUP - TURN_CGROUP];
	__u64 check_ns;		/* CLOCK_MONOTONIC: not made again before then */
};

enum { STATE_IDLE, STATE_WAITING, STATE_PENDING, STATE_RECORDED };

#define STATE_KIND(state) ((state) & 3)
#define STATE_NEXT(state, kind) ((((state) >> 2) + 1) << 2 | (kind))

struct turn {
	__u64 state;			/* generation << 2 | kind */
	struct stamp start, end;
	__u64 id;			/* of the connection */
	__u64 connection;		/* the number that the server gives it; 0: unknown */
	__u64 instance, execname, client;
	__u32 pid, firsts;		/* firsts: first_ns was wanted when the turn started */
	__u64 first_ns;			/* the first send of the reply; 0: none yet */
	__u64 arrived, arriving;	/* when the request's bytes came, and those of the next one; 0: not known */
	__u64 ready;			/* arrival.bpf.h: when the oldest byte in the queue came; 0: the queue is
					 * empty */
	__u32 ready_since, several;	/* `arrivals` when we learnt it; 1: the last receive's bytes came apart */
	struct blocked blocked;		/* up to `end` */
	struct fs_spent files;
	__u64 parted;			/* which of TURN_PARTS and TURN_FILES were measured from its start on */
	__u64 scan;			/* id of the last scan that has reported a turn of this connection */
	struct turn_cgroup cgroup;
};

#define INSTANCE_UNIX (1ull << 63)	/* the rest is a hash of the path.  Without it: process << 16 | port */

#define CLIENT_LOCAL 1ull		/* comes by a Unix socket, without an address; unlike each ADDRESS_V4 and _V6 */

struct server_listener {
	__u32 pid;
	__u32 port;
};

/* A turn that runs at the end of a slot.  An iterator over the connections reports it.  But between that end and the
 * iterator's run, a connection may close or its next turn may begin.  So the program that sees a turn end in between
 * reports it. */
struct turn_running {
	__u64 begin_ns, end_ns;	/* CLOCK_MONOTONIC; end_ns 0: it has not ended */
	struct event event;	/* its fields */
};

struct filed {			/* an event for the collector, see filed.bpf.h */
	struct event event;
	__u64 n;		/* equal events that it stands for */
};

/* Counts that the event programs keep about themselves; in .bss. */
struct turn_counts {
	__u64 flushed;		/* events that their age or the end of their connection ended */
	__u64 late_sends;	/* sends of a reply whose event was recorded: it ended later than that says */
	__u64 unanswered;	/* commands that another one followed before any reply, and those beyond the part of a
				 * receive that we read: each is reported as one lost event */
	__u64 unreadable;	/* receives that could not be read or followed, or belong to a call we do not know:
				 * each is reported as one lost event, though it may have held none or several */
	__u64 crowded;		/* events lost for lack of space, as where one run finished more than EVENTS_MAX;
				 * reported as lost */
	__u64 connections;
	__u64 opaque;		/* connections that turned opaque */
	__u64 unreported;	/* turns that ended between a slot's end and its scan, and did not fit in the ring */
	__u64 unread_texts;	/* texts in a server's memory that could not be read: their statements are unknown */
	__u64 unlisted;		/* connections to listeners that are not in our table yet */
};

#define CALL_CONNS_MAX 16384
#define LAYOUT_SERVERS_MAX 64		/* processes whose memory is read, see layouts.h */
#define RUNNING_BYTES (1 << 20)	/* of a ring of struct turn_running: 2,400 */
#define FILED_BYTES (1 << 22)		/* of a ring of struct filed: 10,000 within a second */
#define PREPARED_MAX 16384		/* MariaDB's default of max_prepared_stmt_count is 16382 */

#endif
