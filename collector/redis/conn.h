/* conn.h - defines the state that the kernel keeps of a connection: the turn of exchange.h, and Redis' part. */
#ifndef HEATSCOPE_REDIS_CONN_H
#define HEATSCOPE_REDIS_CONN_H

#include "collector/redis/reply.h"
#include "collector/server/exchange.h"

/* The time of a thread from a receive to its next receive or send at any connection. */
struct service {
	__u64 number;			/* its number among all services; 0: it has not ended */
	__u64 ns, off, delay;
	struct blocked blocked;
	struct fs_spent files;
};

struct thread_service {			/* of a thread that serves */
	__u64 number;			/* the service that goes on; 0: none */
	struct stamp begin;
	__u64 parted;			/* which of TURN_PARTS and TURN_FILES are measured of it */
	__u64 n_sleeps;			/* nvcsw of the thread, at its last receive or send */
	__u32 pass;			/* counts its passes: a receive after a send, or after it slept, begins one */
	__u32 has_sent;
};

struct served {				/* the services of a turn so far */
	__u64 ns, off, delay;
	struct blocked blocked;
	struct fs_spent files;
	__u32 thread, pass;		/* at the turn's begin */
};

#define TALLY_MAX 64			/* a power of two; 2 kB of each connection */

struct tally {				/* equal commands that a send answers */
	struct done done;
	__u32 n, pad;
};

struct server_conn {
	struct turn turn;
	struct front front;
	struct done data;		/* of the next event */
	__u64 service;			/* number of its last service; 0: `served` has it already */
	struct served served;
	struct tally tally[TALLY_MAX];
	__u32 n_tally, n_done;		/* entries of `tally`; commands that the send answers */
	__u32 shares;			/* commands that share the turn */
	__u32 pad;
};

#define SERVER_NAMES REDIS_SERVERS
#define FIELD_BLOCKED_IN REDIS_BLOCKED_IN
#define SERVICES_MAX 4096		/* that have ended and are not added to their turn; a power of two */
#define THREADS_MAX 4096

#endif
