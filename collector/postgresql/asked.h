/* asked.h - keeps in order the requests of a connection that have no answer yet; pure.
 *
 *      asked_push() each, asked_close() at the round's end ... asked_take() -> the events to record ... asked_over()
 *
 *      | execute A x 3 | execute B, last | simple C, last, 5 rounds |      ring of ASKED_MAX, `first` is answered next
 *
 * Shape   Equal Executes in a row are one entry, and so are equal rounds.  So a client's batch, or its pipeline, takes
 *         one entry.
 * Bound   An Execute that finds no free entry is lost: the caller counts it.  Its round keeps its place, so later
 *         answers still belong to their own rounds.
 * Copy    A server that copies from its client ignores every Sync until the copy ends.  A Sync that was received before
 *         the server announced the copy has closed a round here: asked_copy() opens that round again.
 */
#ifndef HEATSCOPE_POSTGRESQL_ASKED_H
#define HEATSCOPE_POSTGRESQL_ASKED_H

#include "collector/postgresql/postgresql.h"

#define ASKED_MAX 32			/* a power of two */

struct statement_codes {
	__u64 digest, statement, table;
	__u64 verbatim;			/* name of its text (statement_text.h); 0: no text is kept */
};

struct asked {
	struct statement_codes codes;
	__u32 n;			/* Executes in a row */
	__u32 rounds;			/* 0: its round goes on after it */
	__u32 command;
	__u32 n_parses;			/* Parse and Close messages of its round, if it is the round's last entry */
	__u32 n_lost;			/* Executes of its round that came after it and found no free entry */
	__u8 more;			/* messages of its round have come after it, other than Sync and Flush */
	__u8 copied;			/* CopyDone or CopyFail has come after it, before its round was closed; */
	__u8 copied_late;		/* or after */
	__u8 pad;
	__u64 unrecorded_rows;		/* rows of those of its Executes that are complete and not recorded yet */
};

struct asked_ring {
	struct asked entry[ASKED_MAX];
	__u32 first, n;

	/* Of the round that is being answered: Executes that are complete, and those of them that are recorded;
	 * `failed`: after them one has failed; `skips`: that one is recorded, and the server executes nothing after
	 * it. */
	__u32 n_done, n_recorded, failed, skips;
	__u32 at, n_at;			/* entry of the last complete Execute, and the complete ones of that entry */
	__u32 n_parsed;			/* ParseComplete and CloseComplete messages of the round */
	__u64 error;			/* STATUS_ERROR() */

	/* Rounds after those of the ring, all of whose Executes are lost: the number of closed ones, and whether one
	 * is open. */
	__u32 lost_rounds, lost_open, lost_parses, pad;
};

enum asked_copy {
	COPY_AWAITS_DATA,			/* the data is still to come; the server ignores each Sync until then */
	COPY_DATA_SENT,			/* it came with the data, or a message that makes the server give up the copy */
	COPY_LOST,			/* the client has sent more: the answers can no longer be assigned */
};

/* Events to be recorded: n_ok of them, beginning with the n-th of the round, and one after them that failed. */
struct asked_take {
	__u32 from, n_ok, n_failed;
};

static inline struct asked *asked_at(struct asked_ring *r, __u32 i)
{
	return &r->entry[(r->first + i) & (ASKED_MAX - 1)];
}

static inline int asked_same(const struct asked *a, const struct asked *b)
{
	return a->command == b->command && a->codes.digest == b->codes.digest && a->codes.statement == b->codes.statement &&
	       a->codes.table == b->codes.table;
}

static inline int asked_is_open(struct asked_ring *r)
{
	return r->n && !asked_at(r, r->n - 1)->rounds;
}

/* Counts b in the entry a.  Keeps their text only if both have the same one. */
static inline void asked_join(struct asked *a, const struct asked *b)
{
	if (a->codes.verbatim != b->codes.verbatim)
		a->codes.verbatim = 0;
}

/* Returns -1 if no entry is free: the event is lost. */
static inline int asked_push(struct asked_ring *r, __u32 command, const struct statement_codes *codes)
{
	struct asked a = { .codes = *codes, .n = command != COMMAND_NOTHING, .command = command };
	struct asked *last = asked_at(r, r->n - 1);
	int open = asked_is_open(r);

	if (r->lost_open || r->lost_rounds) {
		r->lost_open = 1;
		return -1;
	}
	if (open && !last->n_lost && asked_same(last, &a)) {
		asked_join(last, &a);
		last->n++;
		last->more = last->copied = 0;
		return 0;
	}
	if (open && (last->n_lost || r->n >= ASKED_MAX)) {
		last->n_lost++;
		return -1;
	}
	if (r->n >= ASKED_MAX) {
		r->lost_open = 1;
		return -1;
	}
	*asked_at(r, r->n++) = a;
	return 0;
}

/* Ends the open round, with n_parses Parse and Close messages.  A round of one entry that equals the round before it
 * is counted in that entry. */
static inline void asked_close(struct asked_ring *r, __u32 n_parses)
{
	struct asked *last = asked_at(r, r->n - 1), *before = asked_at(r, r->n - 2);

	if (r->lost_open) {
		r->lost_open = 0;
		r->lost_rounds++;
		r->lost_parses += n_parses;
		return;
	}
	if (!r->n)
		return;
	last->rounds = 1;
	last->n_parses = n_parses;
	if (r->n < 2 || !before->rounds || !asked_same(before, last) || before->n != last->n || before->n_parses != n_parses ||
	    before->n_lost || last->n_lost || before->copied_late || before->more != last->more || before->copied != last->copied)
		return;
	if (r->n > 2 && !asked_at(r, r->n - 3)->rounds)
		return;			/* the entry before ends a round of several */
	asked_join(before, last);
	before->rounds++;
	r->n--;
}

/* Notes a message of a round that makes no event. */
static inline void asked_more(struct asked_ring *r)
{
	if (asked_is_open(r))
		asked_at(r, r->n - 1)->more = 1;
}

/* Notes a CopyDone or CopyFail. */
static inline void asked_copied(struct asked_ring *r)
{
	if (asked_is_open(r))
		asked_at(r, r->n - 1)->copied = 1;
	else if (r->n)
		asked_at(r, r->n - 1)->copied_late = 1;
}

/* Returns the entry of the Execute that the server works at; *ret_nth: how many of the entry are complete. */
static inline __u32 asked_running(struct asked_ring *r, __u32 *ret_nth)
{
	struct asked *a = asked_at(r, r->at);

	if (r->n_at >= a->n && !a->rounds && r->at + 1 < r->n) {
		*ret_nth = 0;
		return r->at + 1;
	}
	*ret_nth = r->n_at;
	return r->at;
}

/* Notes that the server announces a copy from its client. */
static inline enum asked_copy asked_copy(struct asked_ring *r)
{
	__u32 nth, at = asked_running(r, &nth);
	struct asked *a = asked_at(r, at);
	int last = at + 1 == r->n && !r->lost_open && !r->lost_rounds;

	if (!r->n || nth >= (a->n ? a->n : 1))
		return COPY_LOST;
	if (a->command == COMMAND_SIMPLE) {
		if (a->rounds != 1)
			return COPY_LOST;
		return a->copied_late ? COPY_DATA_SENT : last ? COPY_AWAITS_DATA : COPY_LOST;
	}
	if (a->command != COMMAND_EXECUTE || a->copied_late)
		return COPY_LOST;
	if (a->copied || a->more || nth + 1 < a->n || (!last && !a->rounds))
		return COPY_DATA_SENT;
	if (!last || a->rounds > 1)
		return COPY_LOST;
	a->rounds = 0;
	return COPY_AWAITS_DATA;
}

/* Returns how many known events the current round has. */
static inline __u32 asked_events(struct asked_ring *r)
{
	__u32 i, n = 0;

	for (i = 0; i < ASKED_MAX && i < r->n; i++) {
		n += asked_at(r, i)->n;
		if (asked_at(r, i)->rounds)
			break;
	}
	return n;
}

/* Notes that the next Execute is complete; n_rows: the rows that the reply reports. */
static inline void asked_answered(struct asked_ring *r, __u64 n_rows)
{
	struct asked *last = asked_at(r, r->at);

	if (!r->n)
		return;
	if (asked_at(r, 0)->command == COMMAND_EXECUTE) {
		if (r->n_at >= last->n && !last->rounds && r->at + 1 < r->n) {
			r->at++;
			r->n_at = 0;
		}
		r->n_at++;
		r->n_done++;
	}
	asked_at(r, r->at)->unrecorded_rows += n_rows;
}

/* Returns the share of the i-th of n equal events in the rows that all of them have together. */
static inline __u64 asked_share(__u64 n_rows, __u32 n, __u32 i)
{
	return n_rows / n + (i < n_rows % n);
}

/* Does no request wait for its answer?  (After a Flush, answered events are recorded before their round ends.) */
static inline int asked_is_idle(struct asked_ring *r)
{
	return !r->n || (r->n_recorded && asked_is_open(r) && asked_events(r) <= r->n_recorded);
}

/* Does an event wait to be recorded? */
static inline int asked_waits(const struct asked_ring *r)
{
	return r->n_done || r->failed;
}

/* Returns how many Executes are asked and not recorded. */
static inline __u32 asked_left(struct asked_ring *r)
{
	__u32 i, n = 0, gone = r->skips ? asked_events(r) : r->n_recorded;	/* after an error the rest never runs */

	for (i = 0; i < ASKED_MAX && i < r->n; i++)
		n += asked_at(r, i)->n * (asked_at(r, i)->rounds ? asked_at(r, i)->rounds : 1);
	return n > gone ? n - gone : 0;
}

/* Returns how many Executes of the current round found no free entry. */
static inline __u32 asked_lost(struct asked_ring *r)
{
	__u32 i;

	for (i = 0; i < ASKED_MAX && i < r->n; i++)
		if (asked_at(r, i)->rounds || asked_at(r, i)->n_lost)
			return asked_at(r, i)->n_lost;
	return 0;
}

/* Takes the events to be recorded now.  whole: the round is over. */
static inline struct asked_take asked_take(struct asked_ring *r, int whole)
{
	__u32 events = asked_events(r), left = events > r->n_recorded ? events - r->n_recorded : 0;
	int known = r->n_done < left || !asked_lost(r);		/* the one that failed has an entry */
	struct asked_take take = { .from = r->n_recorded, .n_failed = r->failed && left && known && !r->skips };

	if (r->failed || !whole)
		take.n_ok = r->n_done;
	else
		take.n_ok = left;
	if (take.n_ok + take.n_failed > left)
		take.n_ok = left - take.n_failed;
	if (r->skips)
		take.n_ok = 0;
	r->n_recorded += take.n_ok + take.n_failed;
	r->n_done = 0;
	if (left || whole) {		/* else the error is that of an Execute that is still to come */
		r->skips |= r->failed;
		r->failed = 0;
	}
	return take;
}

/* Ends the round that is answered. */
static inline void asked_over(struct asked_ring *r)
{
	__u32 i;

	r->n_done = r->n_recorded = r->failed = r->skips = r->at = r->n_at = r->n_parsed = 0;
	if (!r->n && r->lost_rounds) {
		r->lost_rounds--;
		return;
	}
	for (i = 0; i < ASKED_MAX && r->n; i++) {
		struct asked *a = asked_at(r, 0);

		if (a->rounds > 1) {
			a->rounds--;
			a->unrecorded_rows = 0;
			return;
		}
		r->first++;
		r->n--;
		if (a->rounds)
			return;
	}
}

#endif
