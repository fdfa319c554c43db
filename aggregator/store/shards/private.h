/* private.h - declares what the files of this folder share; no other file includes it.  shards.h says what a store of shards is.
 *
 *      shards.c   the store: adding, texts, instrumentations, deleting, tidying; opening
 *      set.c      which shards there are, since when, and which of them a source has
 *      lengths.c  the lengths of instrumentations' slots
 *      read.c     reading from all shards
 *      call.c     calling several shards at the same time
 *
 * Errors  0 or -errno; store.reason says more, and names the shard.
 * Thread  as shards.h.
 */
#ifndef HEATSCOPE_SHARDS_PRIVATE_H
#define HEATSCOPE_SHARDS_PRIVATE_H

#include "aggregator/store/shards.h"
#include "collector/core/refuse.h"

#include <pthread.h>

#define OWN_TEXTS "shards."		/* these begin so */
#define HOME "shards.home"

struct shard {
	struct store *store;
	struct store_shard state;
	char id[40];
	__u64 seed;			/* a hash of the id */
	__s64 since_ns;			/* it takes batches of slots that begin then or later; 0: any */
	__u64 away_ns;			/* uv_hrtime() when a call found that it is away; 0: the last one did not */
};

struct length {				/* of an instrumentation's slots */
	__u64 inst, slot_ns;
	bool is_kept;			/* the home has its text */
};

struct shards {
	struct store store;
	struct shard *home;
	size_t n;
	struct shard shard[STORE_SHARDS_MAX];
	size_t n_lengths, lengths_room;
	struct length *length;		/* ascending */
	__u64 looked_ns;		/* uv_hrtime() when the home's list was read last */
};

#define fail(g, err, ...) refuse_in(err, (g)->store.reason, sizeof((g)->store.reason), __VA_ARGS__)

/* --- call.c --- */

typedef int (*shard_call)(void *arg, struct shard *h);

struct running {			/* a call of one shard */
	struct shard *shard;		/* NULL: it is not called */
	shard_call call;
	void *arg;
	pthread_t thread;
	int err;
};

/* Begins a call of the store: clears its reason, and passes the time on. */
struct shards *shards_of(struct store *s);

/* Takes the reason of a shard that failed with err; 0: of one that has something to say. */
void shards_take_reason(struct shards *g, const struct shard *h, int err);

/* Calls these shards at the same time.  Returns the first error. */
int call_shards(struct shards *g, struct running *run, shard_call call, void *arg);
int call_all(struct shards *g, shard_call call, void *arg);
int tidy_all(struct shards *g, shard_call call, void *arg);	/* but those that were away a moment ago */

int home_called(struct shards *g, int err);	/* after a call of the home alone; returns err */
int home_remember(struct shards *g, const char *name, const char *text);

/* --- set.c --- */

struct listing {			/* of the home's list */
	struct shards *g;
	bool is_listed[STORE_SHARDS_MAX];
	__s64 foreign_ns;		/* since when one that our list does not have takes batches; INT64_MAX: there is none */
	char foreign[200];		/* the address that it had when it was added */
};

struct founding {			/* what the shards say when they are opened */
	char home[STORE_SHARDS_MAX][40];	/* the identity of each one's home; "": it has not been in a set */
	bool has_insts[STORE_SHARDS_MAX], has_texts[STORE_SHARDS_MAX];	/* of heatscoped, not of a set */
};

int set_identify(struct shards *g);	/* asks each shard for its identity; refuses two of one */
/* Chooses the home, and refuses what is not a whole set; writes nothing. */
int set_check(struct shards *g, struct founding *f, struct listing *l);
int set_found(struct shards *g, __s64 now_ns);	/* the same, then writes what the set lacks */

/* Refuses when another heatscoped has added a shard that soon takes batches.  `now`: even if the list was read a moment ago. */
int set_look(struct shards *g, bool now);

struct shard *shard_for(struct shards *g, const struct batch *b);	/* the one that a batch of this name belongs to */

/* --- lengths.c --- */

int lengths_check(struct shards *g, const struct batch *batch, size_t n);	/* before batches are added */

/* Where the length of an instrumentation is, or would be, in g->length. */
size_t length_place(const struct shards *g, __u64 inst);
void length_forget(struct shards *g, size_t at);
void length_name(__u64 inst, char ret_name[STORE_NAME_MAX]);	/* of its text */

/* --- read.c --- */

int shards_read(struct store *s, __u64 inst, const struct store_range *range, const struct store_reader *reader);

#endif
