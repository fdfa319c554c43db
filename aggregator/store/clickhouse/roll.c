/* Adds slots up to minutes, and minutes to hours, within ClickHouse.
 *
 * Again   A roll-up that is repeated makes rows of the same names and of a higher version, which replace the first ones.
 *         When all its rows are written, state.rolled moves, and reads use them.
 * Late    Rows that add() also filed in the tier count nothing here.  Where all rows of a key are late, a row with a sum
 *         of zero replaces what an earlier roll-up made of them; readers add it to the late ones.
 * Day     One INSERT makes the rows of one day, however late the roll-up is. */
#include "aggregator/store/clickhouse/clickhouse.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#define BLOCK 10			/* minutes that are added up at a time */

struct span {				/* slots first..end-1 */
	__s64 first, end;
};

/* The sum of the halves of totals, as row_get_slice() joins them. */
#define TOTAL "if(upper + bitShiftRight(lower, 32) >= 4294967296, 18446744073709551615, bitShiftLeft(upper, 32) + lower)"

struct sums {				/* rows that a statement makes */
	enum row_kind kind, of;		/* of rows of this kind */
	int tier;			/* they are as long as its slots */
	int late;			/* rows that are late for this tier are left out */
};

/* The version of new rows: higher than those that an earlier roll-up, by another clock, gave the same rows. */
static void put_version(struct clickhouse *q, const struct state *s, enum row_kind kind, const struct span *span, bool again)
{
	unsigned long long version = version_next(q);

	if (!again) {
		sql_put(q, "toUInt64(%llu)", version);
		return;
	}
	sql_put(q, "greatest(toUInt64(%llu), (SELECT max(version) + 1 FROM %s.filed WHERE inst = %llu AND life = %u AND kind = %d AND "
		"day = toDate(%u) AND slot >= %lld AND slot < %lld))", version, q->database, (unsigned long long)s->inst, s->life, kind,
		row_day(s->slot_ns, span->first), (long long)span->first, (long long)span->end);
}

/* A large row keeps the name that it has; rows of coarser tiers have none but their slot.  If it is late, its row in the
 * tier is there already. */
static int roll_sums(struct clickhouse *q, const struct state *s, const struct sums *sums, const struct span *span, bool again)
{
	long long per = tier_slots(s->slot_ns, sums->tier);
	char late[64];

	snprintf(late, sizeof(late), "(version >= %d AND version < %d)", sums->late, TIERS);
	sql_begin(q, "INSERT INTO %s.filed (day, inst, life, kind, axis, weight, ruler, key, slot, source, incarnation, batch_slot, seq, "
		  "part, version, n, total, low, high, large, buckets, counts) SELECT of_day, toUInt64(%llu), toUInt32(%u), toUInt8(%d), "
		  "of_axis, of_weight, of_ruler, of_key, place, whose, start, of_slot, number, piece, ", q->database,
		  (unsigned long long)s->inst, s->life, sums->kind);
	put_version(q, s, sums->kind, span, again);
	sql_put(q, ", events, " TOTAL ", lowest, highest, arrayExists(x -> x >= %llu, cells.2), cells.1, cells.2 FROM (SELECT day AS of_day, axis AS of_axis, weight AS of_weight, ruler AS of_ruler, %s AS of_key, "
		"intDiv(slot, %lld) * %lld AS place, if(large = 1, source, '') AS whose, if(large = 1, incarnation, toUInt64(0)) AS start, "
		"if(large = 1, if(batch_slot = 0, slot, batch_slot), toInt64(0)) AS of_slot, if(large = 1, seq, toUInt32(0)) AS number, "
		"if(large = 1, part, toUInt32(0)) AS piece, sumIf(n, NOT %s) AS events, sumIf(bitShiftRight(total, 32), NOT %s) AS upper, "
		"sumIf(bitAnd(total, 4294967295), NOT %s) AS lower, min(if(%s, 18446744073709551615, low)) AS lowest, max(if(%s, toUInt64(0), high)) "
		"AS highest, sumMapIf(buckets, counts, NOT %s) AS cells", (unsigned long long)ROW_LARGE, sums->kind >= ROW_WHOLE ? "''" : "key", per, per, late, late, late, late, late, late);
	sql_put_rows(q, s, sums->of, span->first, span->end - 1);
	sql_put(q, " AND NOT (large = 1 AND %s) GROUP BY of_day, of_axis, of_weight, of_ruler, of_key, place, whose, start, of_slot, number, piece)", late);
	return request_run(q);
}

/* Rows of minutes come with those of the whole of slots and minutes, rows of hours with those of the whole of hours. */
static int roll_slices(struct clickhouse *q, const struct state *s, int tier, const struct span *span, bool again)
{
	static const struct sums sums[TIERS][3] = {
		[1] = { { ROW_MINUTE, ROW_SLOT, 1, 1 }, { ROW_WHOLE, ROW_SLOT, 0, 1 }, { ROW_WHOLE_MINUTE, ROW_WHOLE, 1, 1 } },
		[2] = { { ROW_HOUR, ROW_MINUTE, 2, 2 }, { ROW_WHOLE_HOUR, ROW_WHOLE_MINUTE, 2, 2 } },
	};
	int err = 0;

	for (int i = 0; i < 3 && sums[tier][i].kind && !err; i++)
		err = roll_sums(q, s, &sums[tier][i], span, again);
	return err;
}

/* Makes one row of each source and hour.  Again: it has a name of its own, since names of batches from which the first one
 * was made may have been removed; what several rows report is one. */
static int roll_cover(struct clickhouse *q, const struct state *s, const struct span *span, bool again)
{
	unsigned long long version = version_next(q);

	sql_begin(q, "INSERT INTO %s.filed (day, inst, life, kind, slot, source, incarnation, version, first, last, firsts, lasts) SELECT name, "
		  "toUInt64(%llu), toUInt32(%u), toUInt8(%d), block, whose, toUInt64(%llu), toUInt64(%llu), arrayReduce('min', begins), "
		  "arrayReduce('max', ends), begins, ends FROM (", q->database, (unsigned long long)s->inst, s->life, ROW_COVER,
		  again ? version : 0, version);
	sql_put_cover(q, s, span->first, span->end - 1);
	sql_put(q, ")");
	return request_run(q);
}

/* Calls roll() for each day of the slots from..until-1. */
static int each_day(struct clickhouse *q, const struct state *s, int tier, __s64 from, __s64 until,
		    int (*roll)(struct clickhouse *q, const struct state *s, int tier, const struct span *span))
{
	__s64 day = 24 * tier_slots(s->slot_ns, TIERS - 1);
	int err = 0;

	while (from < until && !err) {
		struct span span = { from, tier_down(from, day) + day };

		span.end = span.end < until ? span.end : until;
		err = roll(q, s, tier, &span);
		from = span.end;
	}
	return err;
}

static int roll_hours(struct clickhouse *q, const struct state *s, int tier, const struct span *span)
{
	int err = roll_slices(q, s, tier, span, false);

	return err || tier + 1 < TIERS ? err : roll_cover(q, s, span, false);
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

/* Adds up to slot `until`, which is a multiple of the tier's slots.  The finer tier has been added up that far. */
static int roll_tier(struct clickhouse *q, struct state *s, int tier, __s64 until)
{
	__s64 from = s->rolled[tier];
	int err = 0;

	if (from >= until)
		return 0;
	if (from == 0)
		err = first_slot(q, s, until, &from);
	if (!err)
		err = each_day(q, s, tier, from, until, roll_hours);
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

int clickhouse_compact(struct store *store, __u64 inst, __s64 slot)
{
	struct clickhouse *q = clickhouse_of(store);
	__s64 until[TIERS] = { 0 };
	struct state s;
	int err = state_get(q, inst, &s);

	if (err || !s.slot_ns)
		return err;
	err = roll_again(q, &s);
	if (err || slot <= 0)
		return err;
	until[1] = tier_down(slot, BLOCK * tier_slots(s.slot_ns, 1));
	until[2] = tier_down(until[1], tier_slots(s.slot_ns, 2));
	return roll_tiers(q, &s, until);
}
