/* Drops old slots: from what is read at once, by noting it; from the disk once a day, by a mutation.
 *
 * Rows are removed only in a call after the one that dropped them: until then they can be added up again, see `Shared` in
 * clickhouse.h.  A mutation rewrites the parts that contain dropped rows, so it pays only when a whole day of them has gathered. */
#include "aggregator/store/clickhouse/clickhouse.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

struct oldest {
	bool any;
	__s64 slot;
};

static int take_oldest(void *arg, struct cursor *c)
{
	struct oldest o = { cursor_get_int(c, 8) > 0, 0 };

	o.slot = (__s64)cursor_get_int(c, 8);
	if (!c->err)
		*(struct oldest *)arg = o;
	return 0;
}

/* Finds the first reported slot from..before-1; `before` if there is none. */
static int oldest_of(struct clickhouse *q, const struct state *s, __s64 from, __s64 before, __s64 *ret_oldest)
{
	__s64 rolled = s->rolled[TIERS - 1];
	struct oldest o = { false, 0 };
	int err;

	sql_begin(q, "SELECT count(), min(first) FROM (SELECT first, last");
	sql_put_rows(q, s, ROW_COVER, 0, rolled < before ? rolled - 1 : before - 1);
	sql_put(q, " UNION ALL SELECT first, last");
	sql_put_rows(q, s, ROW_NAME, rolled > 0 ? rolled : 0, before - 1);
	sql_put(q, ") WHERE last >= %lld AND first < %lld", (long long)from, (long long)before);
	err = request_select(q, take_oldest, &o);
	if (!err)
		*ret_oldest = !o.any ? before : o.slot > from ? o.slot : from;
	return err;
}

/* --- removing rows --- */

static __s64 smaller(__s64 a, __s64 b) { return a < b ? a : b; }

__s64 horizon_of(const struct state *s, int tier)
{
	return s->dropped[tier].before > 0 ? s->dropped[tier].before : 0;
}

/* Rows of names are also the coverage of the hours that have not been added up, and a name is kept while its batch
 * could be sent again. */
int sweep(struct clickhouse *q, struct state *s, const __s64 horizon[TIERS])
{
	int err;

	memcpy(s->swept, horizon, sizeof(s->swept));
	err = state_put(q, s);
	if (err)
		return err;
	sql_begin(q, "ALTER TABLE %s." FILED " DELETE WHERE inst = %llu AND (life < %u OR life = %u AND day <= toDate(%u) AND (",
		  q->database, (unsigned long long)s->inst, s->life, s->life, row_day(s->slot_ns, horizon[0]));
	for (int tier = 0; tier < TIERS; tier++)
		sql_put(q, "kind IN (%d, %d) AND slot < %lld OR ", tier, ROW_WHOLE + tier, (long long)horizon[tier]);
	sql_put(q, "kind IN (%d, %d, %d) AND slot < %lld OR kind = %d AND slot < %lld AND last < %lld OR kind IN (%d, %d) AND last < %lld OR "
		"kind = %d AND slot < %lld))", ROW_STEP, ROW_WHOLE_STEP, ROW_EXEMPLARS, (long long)horizon[0], ROW_NAME,
		(long long)smaller(horizon[0], s->rolled[TIERS - 1]), (long long)horizon[0], ROW_COVER, ROW_LOSS,
		(long long)horizon[TIERS - 1], ROW_MARK, (long long)horizon[TIERS - 1]);
	return request_run(q);
}

int sweep_lives(struct clickhouse *q, const struct state *s)
{
	sql_begin(q, "ALTER TABLE %s." FILED " DELETE WHERE inst = %llu AND life < %u", q->database, (unsigned long long)s->inst,
		  s->life);
	return request_run(q);
}

static __s64 day_of(const struct state *s, __s64 slot)
{
	return slot > 0 ? (__s64)row_day(s->slot_ns, slot) : INT64_MIN;
}

/* --- expiring --- */

static int drop_tier(struct clickhouse *q, struct state *s, int tier, __s64 before)
{
	struct dropped_slots *d = &s->dropped[tier];
	__s64 oldest = before;
	int err = tier + 1 < TIERS ? roll_until(q, s, tier + 1, before) : 0;

	if (!err && d->first >= d->before)
		err = oldest_of(q, s, d->before > 0 ? d->before : 0, before, &oldest);
	if (!err && oldest < before)
		d->first = tier_down(oldest, tier_slots(s->slot_ns, tier));
	if (!err)
		d->before = before;
	return err;
}

int expire_state(struct clickhouse *q, struct state *s, const __s64 slot[TIERS])
{
	__s64 before = slot[0];
	bool changed = false;
	int err = 0;

	for (int tier = 0; tier < TIERS && !err; tier++) {
		before = smaller(slot[tier], before);
		if (before <= horizon_of(s, tier))
			continue;
		before = tier_down(before, tier_slots(s->slot_ns, tier));
		if (before <= horizon_of(s, tier))
			continue;
		err = drop_tier(q, s, tier, before);
		changed = true;
	}
	return err || !changed ? err : state_put(q, s);
}

int clickhouse_expire(struct store *store, __u64 inst, const __s64 slot[TIERS])
{
	struct clickhouse *q = clickhouse_of(store);
	__s64 horizon[TIERS];
	struct state s;
	__u32 life;
	int err = state_get(q, inst, &s);

	if (err || !s.slot_ns)
		return err;
	for (int tier = 0; tier < TIERS; tier++)
		horizon[tier] = horizon_of(&s, tier);
	life = s.life;
	err = roll_again(q, &s);
	if (!err)
		err = expire_state(q, &s, slot);
	if (!err)
		err = roll_sweep(q, inst, life);
	if (err || day_of(&s, horizon[0]) <= day_of(&s, s.swept[0]))
		return err;
	err = drop_empty_days(q);
	return err ? err : sweep(q, &s, horizon);
}
