/* Adds slots up to minutes, and minutes to hours: reads their rows, adds them (roll_sums.h), and inserts the sums.
 *
 * Again   A roll-up that is repeated makes rows of the same names and of a higher version, which replace the first ones.
 *         When all its rows are written, state.rolled moves, and reads use them.
 * Late    Rows that add() also filed in the tier count nothing here.  Where all rows of a key are late, a row with a sum
 *         of zero replaces what an earlier roll-up made of them; readers add it to the late ones.
 * Damage  A malformed row is left out and counted.  A loss with the name of its slot says so when the row is gone.
 * Day     One INSERT makes the rows of one day, however late the roll-up is. */
#include "aggregator/store/clickhouse/clickhouse.h"
#include "aggregator/store/clickhouse/roll_sums.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#define BLOCK 10			/* minutes that are added up at a time */

struct span {				/* slots first..end-1 */
	__s64 first, end;
};

/* --- slices --- */

struct rolling {
	struct clickhouse *q;
	struct roll_sums sums;
	__u64 late;			/* rows of at least this version, below TIERS, are late for the tier */
	__s64 per;			/* slots of tier 0 in a row that is read */
	struct row like;		/* as the new rows */
};

static int found_damage(struct rolling *r, __s64 slot)
{
	struct clickhouse *q = r->q;
	struct row row = r->like;

	q->store.n_damaged++;
	snprintf(q->store.reason, sizeof(q->store.reason), "ClickHouse at %.80s: a damaged histogram for slot %lld", q->url, (long long)slot);
	row.kind = ROW_LOSS;
	row.source = "";
	row.slot = row.batch_slot = row.first = slot;
	row.last = slot + r->per - 1;
	row.part = (__u32)r->late;
	row.n = 1;
	row_put(&q->rows, &row);
	return q->rows.err;
}

static int take_row(void *arg, struct cursor *c)
{
	__u64 version = cursor_get_int(c, 8);
	struct row_slice row = row_get_slice(c);
	struct rolling *r = arg;
	struct clickhouse *q = r->q;
	int err;

	if (c->err)
		return 0;
	bytes_clear(&q->hist);
	err = row_slice_encode(&row, &q->hist);
	if (err == -EBADMSG)
		return found_damage(r, row.slot);
	row.slice.hist = q->hist.data;
	row.slice.hist_len = (__u32)q->hist.len;
	return err ? err : roll_sums_add(&r->sums, row.slot, &row.slice, version >= r->late && version < TIERS);
}

static int take_version(void *arg, struct cursor *c)
{
	__u64 version = cursor_get_int(c, 8);

	if (!c->err)
		*(__u64 *)arg = version;
	return 0;
}

/* The version of new rows.  Once more: higher than those that an earlier roll-up, by another clock, gave the same rows. */
static int find_version(struct clickhouse *q, const struct state *s, int tier, const struct span *span, bool again,
			__u64 *ret_version)
{
	const enum row_kind kind[] = { (enum row_kind)tier, (enum row_kind)(ROW_WHOLE + tier), ROW_WHOLE, ROW_STEP, ROW_WHOLE_STEP };
	__u64 given = 0, version = version_next(q);
	int err = 0;

	if (again) {
		sql_begin(q, "SELECT max(version)");
		sql_put_filed(q, s, span->first, span->end - 1);
		for (size_t i = 0; i < sizeof(kind) / sizeof(*kind); i++) {
			sql_put(q, i ? " OR " : " AND (");
			sql_put_kind(q, s, kind[i], span->first, span->end - 1);
		}
		sql_put(q, ")");
		err = request_select(q, take_version, &given);
	}
	*ret_version = given >= version ? given + 1 : version;
	return err;
}

/* Rows of minutes come with those of the whole of slots, steps and minutes, rows of hours with those of the whole of hours. */
static int roll_slices(struct clickhouse *q, const struct state *s, int tier, const struct span *span, bool again)
{
	struct rolling r = { .q = q, .late = (__u64)tier, .per = tier_slots(s->slot_ns, tier - 1),
			     .like = { .slot_ns = s->slot_ns, .inst = s->inst, .life = s->life } };
	int err = roll_sums_begin(&r.sums, s->slot_ns, tier, span->first, span->end);

	if (!err)
		err = find_version(q, s, tier, span, again, &r.like.version);
	bytes_clear(&q->rows);
	sql_begin(q, "SELECT version, slot, " ROW_SLICE("key"));
	sql_put_rows(q, s, (enum row_kind)(tier - 1), span->first, span->end - 1);
	if (!err)
		err = request_select(q, take_row, &r);
	if (!err)
		err = roll_sums_put(&r.sums, &r.like, &q->rows);
	if (!err && q->rows.len)
		err = request_insert(q, FILED, ROW_COLUMNS);
	roll_sums_fini(&r.sums);
	return err;
}

/* --- coverage --- */

/* Makes one row of each source and hour.  Again: it has a name of its own, since names of batches from which the first one
 * was made may have been removed; what several rows report is one. */
static int roll_cover(struct clickhouse *q, const struct state *s, const struct span *span, bool again)
{
	unsigned long long version = version_next(q);

	sql_begin(q, "INSERT INTO %s." FILED " (day, inst, life, kind, slot, source, incarnation, version, first, last, firsts, lasts) "
		  "SELECT name, toUInt64(%llu), toUInt32(%u), toUInt8(%d), block, whose, toUInt64(%llu), toUInt64(%llu), "
		  "arrayReduce('min', begins), arrayReduce('max', ends), begins, ends FROM (", q->database, (unsigned long long)s->inst, s->life, ROW_COVER,
		  again ? version : 0, version);
	sql_put_cover(q, s, span->first, span->end - 1);
	sql_put(q, ")");
	return request_run(q);
}

struct first_row {
	bool any;
	__s64 slot;
};

static int take_first(void *arg, struct cursor *c)
{
	struct first_row first = { .any = cursor_get_int(c, 8) > 0 };

	first.slot = (__s64)cursor_get_int(c, 8);
	if (!c->err)
		*(struct first_row *)arg = first;
	return 0;
}

/* Finds the first slot to add up, when none was added up yet: that of the first batch, which may have no slices. */
static int first_slot(struct clickhouse *q, const struct state *s, __s64 until, __s64 *ret_slot)
{
	struct first_row first = { false, 0 };
	int err;

	sql_begin(q, "SELECT count(), min(slot)");
	sql_put_rows(q, s, ROW_NAME, 0, until - 1);
	err = request_select(q, take_first, &first);
	if (!err)
		*ret_slot = first.any ? tier_down(first.slot, tier_slots(s->slot_ns, TIERS - 1)) : until;
	return err;
}

/* Makes those of the hours from..until-1, day by day. */
static int roll_covers(struct clickhouse *q, const struct state *s, __s64 from, __s64 until)
{
	__s64 day = 24 * tier_slots(s->slot_ns, TIERS - 1);
	int err = from ? 0 : first_slot(q, s, until, &from);

	while (from < until && !err) {
		struct span span = { from, tier_down(from, day) + day };

		span.end = span.end < until ? span.end : until;
		err = roll_cover(q, s, &span, false);
		from = span.end;
	}
	return err;
}

/* --- how much at once --- */

#define ROWS_AT_ONCE 250000		/* that are read, about; a minute of many hosts may have more */

struct spans {
	struct span *span;		/* ascending */
	__u64 n_rows;			/* of the last one */
	size_t n, room;
	__s64 per, day;			/* slots */
};

/* Rows of a further minute or hour: they belong to the last span, unless that is full. */
static int take_span(void *arg, struct cursor *c)
{
	__s64 slot = (__s64)cursor_get_int(c, 8);
	__u64 n_rows = cursor_get_int(c, 8);
	struct spans *s = arg;
	struct span *last = s->n ? &s->span[s->n - 1] : NULL;

	if (c->err)
		return 0;
	if (last && s->n_rows + n_rows <= ROWS_AT_ONCE && tier_down(last->first, s->day) == tier_down(slot, s->day)) {
		last->end = slot + s->per;
		s->n_rows += n_rows;
		return 0;
	}
	if (array_grow(&s->span, s->n, &s->room, sizeof(*s->span)))
		return -ENOMEM;
	s->span[s->n++] = (struct span){ slot, slot + s->per };
	s->n_rows = n_rows;
	return 0;
}

/* Adds up the slots from..until-1, which are whole slots of the tier. */
static int roll_range(struct clickhouse *q, const struct state *s, int tier, __s64 from, __s64 until, bool again)
{
	struct spans spans = { .per = tier_slots(s->slot_ns, tier), .day = 24 * tier_slots(s->slot_ns, TIERS - 1) };
	int err;

	sql_begin(q, "SELECT intDiv(slot, %lld) * %lld AS block, count()", (long long)spans.per, (long long)spans.per);
	sql_put_filed(q, s, from, until - 1);
	sql_put(q, " AND ");
	sql_put_kind(q, s, (enum row_kind)(tier - 1), from, until - 1);
	sql_put(q, " GROUP BY block ORDER BY block");
	err = request_select(q, take_span, &spans);
	for (size_t i = 0; i < spans.n && !err; i++)
		err = roll_slices(q, s, tier, &spans.span[i], again);
	free(spans.span);
	return err;
}

/* Adds up to slot `until`, which is a multiple of the tier's slots.  The finer tier has been added up that far. */
static int roll_tier(struct clickhouse *q, struct state *s, int tier, __s64 until)
{
	int err;

	if (s->rolled[tier] >= until)
		return 0;
	err = roll_range(q, s, tier, s->rolled[tier], until, false);
	if (!err && tier == TIERS - 1)
		err = roll_covers(q, s, s->rolled[tier], until);
	if (!err)
		s->rolled[tier] = until;
	return err;
}

/* Adds up each tier to until[tier], see `Shared` in clickhouse.h. */
static int roll_tiers(struct clickhouse *q, struct state *s, const __s64 until[TIERS])
{
	int err;

	for (int tier = 1; tier < TIERS; tier++)
		if (until[tier] > s->rolling[tier])
			s->rolling[tier] = until[tier];
	err = state_put(q, s);
	for (int tier = 1; tier < TIERS && !err; tier++)
		err = roll_tier(q, s, tier, until[tier]);
	return err ? err : state_put(q, s);
}

int roll_until(struct clickhouse *q, struct state *s, int tier, __s64 slot)
{
	__s64 per = tier_slots(s->slot_ns, tier), until[TIERS] = { 0 };

	for (int i = 1; i <= tier; i++)
		until[i] = tier_down(slot + per - 1, per);	/* a finer tier goes as far as the coarse one */
	return roll_tiers(q, s, until);
}

/* --- once more --- */

/* Is the wish the first one of its slot of the tier?  Wishes ascend by slot. */
static bool is_first_wish(const struct clickhouse *q, size_t i, __s64 per)
{
	return !i || q->again[i - 1].inst != q->again[i].inst || tier_down(q->again[i - 1].slot, per) != tier_down(q->again[i].slot, per);
}

static int roll_tier_again(struct clickhouse *q, const struct state *s, int tier)
{
	__s64 per = tier_slots(s->slot_ns, tier);
	int err = 0;

	for (size_t i = 0; i < q->n_again && !err; i++) {
		struct span span = { tier_down(q->again[i].slot, per), tier_down(q->again[i].slot, per) + per };

		if (q->again[i].inst != s->inst || span.first >= s->rolling[tier] || !is_first_wish(q, i, per))
			continue;
		if (span.first >= s->swept[tier - 1])
			err = roll_slices(q, s, tier, &span, true);
		if (!err && tier == TIERS - 1)
			err = roll_cover(q, s, &span, true);
	}
	return err;
}

/* A minute of which some slots have been dropped still has all rows, unless some of them are being removed. */
int roll_minutes_again(struct clickhouse *q, const struct state *s)
{
	__s64 per = tier_slots(s->slot_ns, 1), from = tier_down(horizon_of(s, 0), per);
	__s64 swept = tier_down((s->swept[0] > 0 ? s->swept[0] : 0) + per - 1, per);

	from = from > swept ? from : swept;
	return from >= s->rolled[1] ? 0 : roll_range(q, s, 1, from, s->rolled[1], true);
}

int roll_again(struct clickhouse *q, const struct state *s)
{
	int err = 0;

	for (int tier = 1; tier < TIERS && !err; tier++)
		err = roll_tier_again(q, s, tier);
	for (size_t i = 0; i < q->n_again && !err; i++)
		if (q->again[i].inst == s->inst)
			err = again_remove(q, &q->again[i]);
	return err;
}

int roll_sweep(struct clickhouse *q, __u64 inst, __u32 life)
{
	struct state s;
	int err;

	states_forget(q);
	err = state_get(q, inst, &s);
	return err || s.life == life ? err : sweep_lives(q, &s);
}

int clickhouse_compact(struct store *store, __u64 inst, __s64 slot)
{
	struct clickhouse *q = clickhouse_of(store);
	__s64 until[TIERS] = { 0 };
	struct state s;
	bool rolls;
	__u32 life;
	int err = state_get(q, inst, &s);

	if (err || !s.slot_ns)
		return err;
	life = s.life;
	until[1] = slot > 0 ? tier_down(slot, BLOCK * tier_slots(s.slot_ns, 1)) : 0;
	until[2] = tier_down(until[1], tier_slots(s.slot_ns, 2));
	rolls = q->n_again || until[1] > s.rolled[1] || until[2] > s.rolled[2];
	err = roll_again(q, &s);
	if (!err && slot > 0)
		err = roll_tiers(q, &s, until);
	return err || !rolls ? err : roll_sweep(q, inst, life);
}
