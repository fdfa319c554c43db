/* shards.h - makes one store of several, so that a fleet can have more ClickHouse servers than one.
 *
 *                       /-- shard 0 (home): also all texts, instrumentations, ids
 *      batches --by source--- shard 1
 *                       \-- shard 2          read(): asks all at the same time, and gives the pieces of all
 *
 * Where   A batch belongs to one shard, which its name alone decides: the one with the highest hash of (the shard's identity,
 *         source), among the shards that were there when the batch's slot began (rendezvous hashing, see members.h).
 *         Neither a shard's address nor the order of the list matters.
 * Set     The home has the list of the shards: a text `shards.member.ID` for each, since when it takes batches.  Each shard has
 *         a text `shards.home` with the home's identity.  The first shard of a set that has an instrumentation becomes
 *         the home, else one that has annotations, alerts or other texts; in a new set it is the one with the lowest identity.
 * More    A shard that is added takes batches of slots that begin JOIN_NS after it was opened first, and no others.  So a
 *         batch that comes again goes to the shard that has it, whatever the list is by then, and nothing moves: of
 *         n + 1 shards, the new one takes 1/(n + 1) of the sources from then on, and has nothing of the time before.
 *         A handle that has a shorter list works on until STOP_NS before that, and then refuses each call with
 *         -EAGAIN: before it adds, reads or measures its size it reads the home's list, if that was a minute ago.  (A store
 *         alone, without this module, does not: when a second shard is added, restart each heatscoped within JOIN_NS -
 *         STOP_NS.)  The clocks of the machines with heatscoped may differ by less than STOP_NS.
 *         No shard can be left out: a list without one of the set is refused.
 * Once    The law that a batch is added once holds in each shard, and a batch is never sent to two.
 * Whole   The batches of one add() are stored as a whole or not at all in each shard, not in all of them.  Batches that can
 *         be refused are refused before any shard gets one.  If a shard fails, and another may have stored its part,
 *         add() fails with -EAGAIN: the senders send all again, and the shards know those that they have.
 * Honest  read() fails if one shard fails: no answer is a part of the truth.  No slot of a source counts as reported while its
 *         events are missing: both are of one batch, so in one shard, which gives its coverage before its slices.  A
 *         slot that one shard has dropped is reported as dropped.
 * Lengths The length of an instrumentation's slots is a text of the home, `shards.length.INST`.  The first batch sets it, and
 *         add() refuses others.  (intake.h takes only those with the instrumentation's length, so two heatscoped agree.)
 * Deleted inst_delete() writes a text `shards.deleted.INST`, deletes in the home, then in the others.  If one of these is away,
 *         the call is done nevertheless: the id is never given again.  shrink() removes the rows that are left there
 *         as long as the text is there.  The text is when the deletion began: if the home still has the instrumentation
 *         an hour later, the deletion has failed, and shrink() removes the text.
 * Tidying expire(), compact(), shrink() and limit() work on all shards, also if one fails.  A shard that was away less than
 *         AWAY_NS ago is not asked.  limit() gives each shard an equal part of the bytes.
 * Errors  as store.h; store->reason names the shard.
 * Thread  as store.h; a call makes one thread for each shard but one.  Any of these threads calls the reader's functions, one
 *         at a time.
 */
#ifndef HEATSCOPE_SHARDS_H
#define HEATSCOPE_SHARDS_H

#include "aggregator/store/store.h"

/* Makes one store of n > 1, which are closed with it.  name[]: their addresses, for messages.  `now_ns`: the wall clock.
 * -EINVAL: they are not one set, or not all of it, or two are the same; after an error the caller still has them. */
int shards_open(struct store *const store[], const char *const name[], size_t n, __s64 now_ns, struct store **ret_store,
		char *reason, size_t room);

/* Opens the ClickHouse servers at conf->url, one address or several with commas.  One address: its store alone.  It only reads:
 * claim the store (owner.h), and call shards_found() before anything else. */
int shards_open_clickhouse(const struct store_clickhouse_conf *conf, struct store **ret_store, char *reason, size_t room);

/* Writes the shards that are new into the list.  A store alone has no list.  After an error s->reason says why; again later. */
int shards_found(struct store *s, __s64 now_ns);

#endif
