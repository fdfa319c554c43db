/* Adds slots up to minutes, and minutes to hours, within ClickHouse.
 *
 * Again   A roll-up that is repeated makes rows of the same names and of a higher version, which replace the first ones.
 *         When all its rows are written, state.rolled moves, and reads use them.
 * Day     One INSERT makes the rows of one day, however late the roll-up is. */
#include "aggregator/store/clickhouse/clickhouse.h"

#include <errno.h>
#include <stdint.h>

#define BLOCK 10			/* minutes that are added up at a time */

struct span {				/* slots first..end-1 */
	__s64 first, end;
};

/* The sum of the halves of totals, as row_get_slice() joins them. */
#define TOTAL "if(upper + bitShiftRight(lower, 32) >= 4294967296, 18446744073709551615, bitShiftLeft(upper, 32) + lower)"

/* A large row keeps the name that it has; rows of coarser tiers have none but their slot. */
static int roll_slices(struct clickhouse *q, const struct state *s, int tier, const struct span *span)
{
	long long per = tier_slots(s->slot_ns, tier);

	sql_begin(q, "INSERT INTO %s.filed (day, inst, life, kind, axis, weight, ruler, key, slot, source, incarnation, batch_slot, seq, "
		  "part, version, n, total, low, high, large, buckets, counts) SELECT of_day, toUInt64(%llu), toUInt32(%u), toUInt8(%d), "
		  "of_axis, of_weight, of_ruler, of_key, place, whose, start, of_slot, number, piece, toUInt64(%llu), events, " TOTAL ", "
		  "lowest, highest, arrayExists(x -> x >= %llu, cells.2), cells.1, cells.2 FROM (", q->database, (unsigned long long)s->inst,
		  s->life, tier, (unsigned long long)version_next(q), (unsigned long long)ROW_LARGE);
	sql_put(q, "SELECT day AS of_day, axis AS of_axis, weight AS of_weight, ruler AS of_ruler, key AS of_key, "
		"intDiv(slot, %lld) * %lld AS place, if(large = 1, source, '') AS whose, if(large = 1, incarnation, toUInt64(0)) AS start, "
		"if(large = 1, if(batch_slot = 0, slot, batch_slot), toInt64(0)) AS of_slot, if(large = 1, seq, toUInt32(0)) AS number, "
		"if(large = 1, part, toUInt32(0)) AS piece, sum(n) AS events, sum(bitShiftRight(total, 32)) AS upper, "
		"sum(bitAnd(total, 4294967295)) AS lower, min(low) AS lowest, max(high) AS highest, sumMap(buckets, counts) AS cells", per, per);
	sql_put_rows(q, s, (enum row_kind)(tier - 1), span->first, span->end - 1);
	sql_put(q, " GROUP BY of_day, of_axis, of_weight, of_ruler, of_key, place, whose, start, of_slot, number, piece)");
	return request_run(q);
}

/* Makes one row of each source and hour. */
static int roll_cover(struct clickhouse *q, const struct state *s, const struct span *span)
{
	sql_begin(q, "INSERT INTO %s.filed (day, inst, life, kind, slot, source, version, first, last, firsts, lasts) SELECT name, toUInt64(%llu), "
		  "toUInt32(%u), toUInt8(%d), block, whose, toUInt64(%llu), arrayReduce('min', begins), arrayReduce('max', ends), begins, ends "
		  "FROM (", q->database, (unsigned long long)s->inst, s->life, ROW_COVER, (unsigned long long)version_next(q));
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
	int err = roll_slices(q, s, tier, span);

	return err || tier + 1 < TIERS ? err : roll_cover(q, s, span);
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

int roll_until(struct clickhouse *q, struct state *s, int tier, __s64 slot)
{
	const struct state was = *s;
	int err = 0;

	for (int i = 1; i <= tier && !err; i++) {
		__s64 per = tier_slots(s->slot_ns, tier);	/* a finer tier goes as far as the coarse one */

		err = roll_tier(q, s, i, tier_down(slot + per - 1, per));
	}
	if (!err && (was.rolled[1] != s->rolled[1] || was.rolled[2] != s->rolled[2]))
		err = state_put(q, s);
	return err;
}

int clickhouse_compact(struct store *store, __u64 inst, __s64 slot)
{
	struct clickhouse *q = clickhouse_of(store);
	__s64 minutes, hours;
	struct state s, was;
	int err = state_get(q, inst, &s);

	if (err || !s.slot_ns || slot <= 0)
		return err;
	was = s;
	minutes = tier_down(slot, BLOCK * tier_slots(s.slot_ns, 1));
	hours = tier_down(minutes, tier_slots(s.slot_ns, 2));
	err = roll_tier(q, &s, 1, minutes);
	if (!err && s.rolled[1] >= hours)
		err = roll_tier(q, &s, 2, hours);
	return err || (was.rolled[1] == s.rolled[1] && was.rolled[2] == s.rolled[2]) ? err : state_put(q, &s);
}
