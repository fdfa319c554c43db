/* Keeps the file below a size.  Most of the size is for pages of data, and SQLite makes no more of these; an eighth is
 * for the log next to the file.  Pages of dropped data are used again.
 *
 * It always drops the oldest data of the finest tier that has more than its floor: the newest hour of slots, day of
 * minutes, month of hours, of each instrumentation.  When all are at their floors, the floors are quartered.
 *
 * Before data are dropped, they are added up for the next tier.  That needs pages, too: the last sixteenth of the pages
 * is for it, and adding batches leaves it free.  If a block does not fit there either, its rows go without being added
 * up, and in the end so do the sums of the current hour: their events become a loss in their slots. */
#include "aggregator/store/sqlite/sqlite.h"

#include "collector/core/array.h"
#include "collector/core/saturating.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LOG_SHARE 8
#define LOG_MAX (64u << 20)
#define RESERVE 16			/* one of so many pages is for making room */
#define ROUNDS 10			/* of quartering: a hundred thousandth of an hour */

struct size {
	__s64 page, pages, free;
};

static int measure_size(struct sqlite *q, struct size *ret)
{
	int err = db_number(q, "PRAGMA page_size", &ret->page);

	if (!err)
		err = db_number(q, "PRAGMA page_count", &ret->pages);
	return err ? err : db_number(q, "PRAGMA freelist_count", &ret->free);
}

/* --- finding the oldest --- */

struct oldest {
	__u64 inst;			/* 0: there is nothing to drop */
	__s64 ns, before;		/* its time; it would be dropped up to this slot of tier 0 */
};

/* Finds the first slot that the tier has of it; INT64_MAX: none. */
static int first_slot(struct sqlite *q, const struct known *k, int tier, __s64 *ret_slot)
{
	__s64 per = tier_slots(k->slot_ns, tier), slot;
	int got = 0;

	*ret_slot = INT64_MAX;
	for (__s64 axis = 0; axis < MEASURES_MAX && got >= 0; axis++) {
		got = db_fetch(q, db_bind(q, CHUNK_OLDEST, "iii", k->inst, (__s64)tier, axis), &slot);
		if (got > 0 && slot * per < *ret_slot)
			*ret_slot = slot * per;
		if (got >= 0)
			got = db_fetch(q, db_bind(q, HOT_OLDEST, "iiii", k->inst, (__s64)tier, axis, INT64_MIN), &slot);
		if (got > 0 && slot * per < *ret_slot)
			*ret_slot = slot * per;
	}
	return got < 0 ? got : 0;
}

/* Finds the newest reported slot, except those from a clock that was ahead; 0: none. */
static int newest_slot(struct sqlite *q, const struct known *k, __s64 *ret_slot)
{
	__s64 now = q->store.now_ns > 0 ? q->store.now_ns / (__s64)k->slot_ns : INT64_MAX;
	int got;

	*ret_slot = 0;
	got = db_fetch(q, db_bind(q, COVER_NEWEST, "ii", k->inst, now), ret_slot);
	if (!got)
		got = db_fetch(q, db_bind(q, COVER_NEWEST, "ii", k->inst, INT64_MAX), ret_slot);
	return got < 0 ? got : 0;
}

/* Finds the instrumentation's oldest data, if older than its floor: at least a chunk, or a hundredth of its time. */
static int oldest_consider(struct sqlite *q, __u64 inst, int tier, int round, struct oldest *o)
{
	static const __s64 floor_s[TIERS] = { 3600, 86400, 30 * 86400 };
	struct known k;
	__s64 slot, newest = 0, end, per, step;
	int err = db_known(q, inst, &k);

	if (err || !k.slot_ns)
		return err;
	err = first_slot(q, &k, tier, &slot);
	if (!err)
		err = newest_slot(q, &k, &newest);
	if (err || slot == INT64_MAX)
		return err;
	/* part of a chunk may be dropped already */
	slot = slot > k.dropped[tier].before ? slot : k.dropped[tier].before;
	per = tier_slots(k.slot_ns, tier);
	end = newest + 1 - ((floor_s[tier] * (1000000000 / (__s64)k.slot_ns)) >> (2 * round));
	step = (newest + 1 - slot) / 100;
	step = step > CHUNK_SLOTS * per ? step : CHUNK_SLOTS * per;
	end = slot + step < end ? slot + step : end;
	end = round ? tier_down(end, per) : chunk_first(tier_divide(end, per)) * per;
	if (end <= slot || (o->inst && slot * (__s64)k.slot_ns >= o->ns))
		return 0;
	*o = (struct oldest){ inst, slot * (__s64)k.slot_ns, end };
	return 0;
}

static int find_oldest(struct sqlite *q, int tier, int round, struct oldest *ret)
{
	sqlite3_stmt *stmt = q->stmt[SLOT_NS_EACH];
	int got, err = 0;

	*ret = (struct oldest){ 0 };
	while (!err && (got = db_step(q, stmt)) > 0)
		err = oldest_consider(q, (__u64)col(stmt, 0), tier, round, ret);
	sqlite3_reset(stmt);
	return err ? err : got;
}

/* --- data that cannot be added up for lack of space --- */

static int count_rows(struct sqlite *q, const struct known *k, int tier, __s64 last, struct loss *l)
{
	sqlite3_stmt *stmt = db_bind(q, HOT_READ, "iiiiiii", k->inst, (__s64)tier, (__s64)0, INT64_MIN, last, (__s64)0, (__s64)0);
	__s64 per = tier_slots(k->slot_ns, tier);
	int got;

	while ((got = db_step(q, stmt)) > 0) {
		__s64 first = col(stmt, 1) * per;
		struct hist_reader r;

		if (!col(stmt, 0) || hist_reader_open(&r, (__u64)col(stmt, 3), sqlite3_column_blob(stmt, 5),
						      (size_t)sqlite3_column_bytes(stmt, 5)))
			continue;	/* rows of key 0; damaged rows */
		l->first = !l->n || first < l->first ? first : l->first;
		l->n = saturating_add(l->n, r.count);
		l->sum = saturating_add(l->sum, r.sum);
	}
	return got;
}

static int lose_tier(struct sqlite *q, const struct known *k, int tier, __s64 before, __u64 *n_rows, __u64 *n_events)
{
	__s64 per = tier_slots(k->slot_ns, tier), last = tier_divide(before, per) - 1;
	struct loss l = { .last = (last + 1) * per - 1 };
	int err = count_rows(q, k, tier, last, &l);

	for (__s64 axis = 0; axis < MEASURES_MAX && !err; axis++) {
		err = db_step(q, db_bind(q, HOT_DROP, "iiiii", k->inst, (__s64)tier, axis, INT64_MIN, last));
		*n_rows += (__u64)sqlite3_changes(q->db);
	}
	if (!err && l.n)
		err = add_loss(q, k->inst, "", 0, &l);
	*n_events = saturating_add(*n_events, l.n);
	return err;
}

/* Turns the hot rows before that slot, of this tier and of the finer ones, into losses.  -ENOSPC: there are none. */
static int lose_rows(struct sqlite *q, const struct known *k, int tier, __s64 before)
{
	__u64 n_rows = 0, n_events = 0;
	int err = db_begin(q);

	for (int i = 0; i <= tier && !err; i++)
		err = lose_tier(q, k, i, before, &n_rows, &n_events);
	if (!err)
		err = db_step(q, db_bind(q, KEY_EXPIRE, "i", k->inst));
	if (err || !n_rows)
		return db_end(q, err ? err : -ENOSPC);
	err = db_end(q, 0);
	if (!err)
		q->store.n_lost = saturating_add(q->store.n_lost, n_events);
	return err;
}

static int drop_oldest(struct sqlite *q, int tier, const struct oldest *o)
{
	__s64 slot[TIERS];
	struct known k;
	int err = db_known(q, o->inst, &k);

	for (int i = 0; i < TIERS; i++)
		slot[i] = i <= tier && o->before > k.dropped[i].before ? o->before : k.dropped[i].before;
	for (int i = 0; i < tier; i++)
		slot[i] = k.dropped[i].before > slot[tier] ? k.dropped[i].before : slot[tier];
	if (!err)
		err = expire_in(q, o->inst, slot);
	if (err == -ENOSPC)
		err = lose_rows(q, &k, tier, o->before);
	q->store.n_dropped += !err;
	return err;
}

/* --- the limit --- */

static int list_insts(struct sqlite *q, __u64 **ret_inst, size_t *ret_n)
{
	sqlite3_stmt *stmt = q->stmt[SLOT_NS_EACH];
	size_t room = 0;
	int got;

	while ((got = db_step(q, stmt)) > 0) {
		int err = array_grow(ret_inst, *ret_n, &room, sizeof(**ret_inst));

		if (err) {
			sqlite3_reset(stmt);
			return err;
		}
		(*ret_inst)[(*ret_n)++] = (__u64)col(stmt, 0);
	}
	return got;
}

/* When all else up to the newest slot has been dropped: turns the sums of the current minute and hour into losses,
 * too. */
static int lose_sums(struct sqlite *q, __u64 inst)
{
	struct known k;
	__s64 newest, per;
	int err = db_known(q, inst, &k);

	if (err || !k.slot_ns)
		return err;
	err = newest_slot(q, &k, &newest);
	per = tier_slots(k.slot_ns, TIERS - 1);
	if (!err)
		err = lose_rows(q, &k, TIERS - 1, tier_down(newest, per) + per);
	q->store.n_dropped += !err;
	return err == -ENOSPC ? 0 : err;
}

static int lose_until(struct sqlite *q, __s64 pages)
{
	struct size size;
	__u64 *inst = NULL;
	size_t n = 0;
	int err = measure_size(q, &size);

	if (err || size.pages - size.free <= pages)
		return err;
	err = list_insts(q, &inst, &n);
	for (size_t i = 0; i < n && !err && size.pages - size.free > pages; i++) {
		err = lose_sums(q, inst[i]);
		if (!err)
			err = measure_size(q, &size);
	}
	free(inst);
	return err;
}

static int drop_until(struct sqlite *q, __s64 pages)
{
	struct oldest o;
	struct size size;
	int err = measure_size(q, &size);

	for (int round = 0; round < ROUNDS && !err; round++)
		for (int tier = 0; tier < TIERS && !err; tier++)
			for (o.inst = 1; !err && o.inst && size.pages - size.free > pages;) {
				err = find_oldest(q, tier, round, &o);
				if (!err && o.inst)
					err = drop_oldest(q, tier, &o);
				if (!err)
					err = measure_size(q, &size);
			}
	return err ? err : lose_until(q, pages);
}

/* Gives back pages over the limit, of a file that was larger before it had a limit: few at a time, so that the log
 * stays small. */
static int give_back(struct sqlite *q)
{
	struct size size;
	int err = measure_size(q, &size);

	if (err || size.pages <= q->max_pages)
		return err;
	while (!err && size.free && size.pages > q->max_pages) {
		err = db_execute(q, "PRAGMA incremental_vacuum(1000)");
		if (!err)
			err = measure_size(q, &size);
	}
	return err ? err : db_limit_pages(q, false);
}

int sqlite_shrink(struct store *s)
{
	struct sqlite *q = sqlite_of(s);
	struct size size;
	int err = q->max_pages ? measure_size(q, &size) : 0;

	if (err || !q->max_pages)
		return err;
	err = db_limit_pages(q, true);
	if (!err && size.pages - size.free > q->max_pages / 20 * 18)
		err = drop_until(q, q->max_pages / 100 * 89);
	return err ? err : give_back(q);
}

int db_make_room(struct sqlite *q)
{
	__u64 was = q->store.n_dropped;
	struct size size;
	int err = measure_size(q, &size);

	if (!err)
		err = db_limit_pages(q, true);
	if (!err)
		err = drop_until(q, (size.pages - size.free) / 10 * 9);
	if (!err)
		err = db_limit_pages(q, false);
	return err ? err : q->store.n_dropped == was ? -ENOSPC : 0;
}

int db_limit_pages(struct sqlite *q, bool all)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %lld", (long long)(all ? q->max_pages : q->max_pages - q->max_pages / RESERVE));
	return q->max_pages ? db_execute(q, sql) : 0;
}

int sqlite_limit(struct store *s, __u64 bytes)
{
	struct sqlite *q = sqlite_of(s);
	__u64 log = bytes / LOG_SHARE < LOG_MAX ? bytes / LOG_SHARE : LOG_MAX;
	struct size size;
	char sql[120];
	int err = measure_size(q, &size);

	if (err || !bytes)
		return err;
	q->max_pages = (__s64)((bytes - log) / (__u64)size.page);
	snprintf(sql, sizeof(sql), "PRAGMA journal_size_limit = %llu; PRAGMA wal_autocheckpoint = %llu",
		 (unsigned long long)log / 4, (unsigned long long)log / 4 / (__u64)size.page);
	err = db_execute(q, sql);
	if (!err)
		err = db_limit_pages(q, false);
	return err ? err : sqlite_shrink(s);
}
