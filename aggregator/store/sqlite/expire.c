#include "aggregator/store/sqlite/sqlite.h"

#include "collector/core/array.h"
#include "aggregator/store/coverage_compact.h"
#include "collector/core/saturating.h"

#include <stdio.h>

/* The window from..to-1 in which coverage, losses and marks are merged, per so many slots. */
struct window {
	struct sqlite *q;
	__u64 inst;
	__s64 from, to, per;
};

static __s64 larger(__s64 a, __s64 b)
{
	return a > b ? a : b;
}

/* --- coverage --- */

/* Lists the source's runs within the window and those that touch it. */
static int list_runs(const struct window *w, __s64 source, const char *name, struct run **ret_run, size_t *ret_n)
{
	sqlite3_stmt *stmt = db_bind(w->q, COVER_WINDOW, "iiii", w->inst, source, w->from - 1, w->to);
	size_t room = 0;
	int got;

	while ((got = db_step(w->q, stmt)) > 0) {
		const struct run r = { col(stmt, 0), col(stmt, 1), (__u64)col(stmt, 2) };

		if (col(stmt, 3) != cover_crc(w->inst, name, r.first, r.last, r.n)) {
			found_damage(w->q, "coverage", r.first);
			continue;
		}
		if (array_grow(ret_run, *ret_n, &room, sizeof(r))) {
			sqlite3_reset(stmt);
			return -ENOMEM;
		}
		(*ret_run)[(*ret_n)++] = r;
	}
	return got;
}

static int replace_runs(const struct window *w, __s64 source, const char *name, const struct run *old, size_t n_old,
			const struct run *run, size_t n)
{
	int err = db_step(w->q, db_bind(w->q, COVER_DROP, "iiii", w->inst, source, old[0].first, old[n_old - 1].first));

	for (size_t i = 0; i < n && !err; i++)
		err = db_step(w->q, db_bind(w->q, COVER_ADD, "iiiiii", w->inst, source, run[i].first, run[i].last, run[i].n,
					    cover_crc(w->inst, name, run[i].first, run[i].last, run[i].n)));
	return err;
}

static int thin_source(const struct window *w, __s64 source, const char *name)
{
	struct run *old = NULL, *run = NULL;
	size_t n_old = 0, n = 0;
	int err = list_runs(w, source, name, &old, &n_old);

	if (!err && n_old)
		err = coverage_compact(old, n_old, w->from, w->to, w->per, &run, &n);
	if (!err && n_old && (n != n_old || memcmp(run, old, n * sizeof(*run))))
		err = replace_runs(w, source, name, old, n_old, run, n);
	free(old);
	free(run);
	return err;
}

struct named {
	__s64 source;
	char name[SOURCE_MAX];
};

static int thin_coverage(const struct window *w)
{
	sqlite3_stmt *stmt = db_bind(w->q, COVER_SOURCES, "iii", w->inst, w->from, w->to);
	struct named *named = NULL;
	size_t n = 0, room = 0;
	int got, err = 0;

	while ((got = db_step(w->q, stmt)) > 0 && !err) {
		err = array_grow(&named, n, &room, sizeof(*named));
		if (err)
			break;
		named[n].source = col(stmt, 0);
		snprintf(named[n++].name, SOURCE_MAX, "%s", col_text(stmt, 1));
	}
	sqlite3_reset(stmt);
	if (got < 0)
		err = got;
	for (size_t i = 0; i < n && !err; i++)
		err = thin_source(w, named[i].source, named[i].name);
	free(named);
	return err;
}

/* --- losses, marks --- */

struct lost_row {
	__s64 id, source;
	char name[SOURCE_MAX];
	struct loss loss;
	bool changed, joined;		/* more was added to it; it was added to the one before */
};

static int list_losses(const struct window *w, struct lost_row **ret_row, size_t *ret_n)
{
	sqlite3_stmt *stmt = db_bind(w->q, LOSS_WINDOW, "iii", w->inst, w->from, w->to);
	size_t room = 0;
	int got;

	while ((got = db_step(w->q, stmt)) > 0) {
		struct lost_row r = { .id = col(stmt, 0), .source = col(stmt, 1), .loss = { (__u64)col(stmt, 3),
				      (__u64)col(stmt, 4), col(stmt, 5), col(stmt, 6) } };

		snprintf(r.name, sizeof(r.name), "%s", col_text(stmt, 2));
		if (col(stmt, 7) != loss_crc(w->inst, r.name, &r.loss))
			continue;	/* stays as it is: read() reports it */
		if (array_grow(ret_row, *ret_n, &room, sizeof(r))) {
			sqlite3_reset(stmt);
			return -ENOMEM;
		}
		(*ret_row)[(*ret_n)++] = r;
	}
	return got;
}

/* Joins losses of a source that touch the same slots of the tier. */
static bool join_loss(const struct window *w, struct lost_row *to, struct lost_row *r)
{
	if (to->source != r->source || tier_down(to->loss.first, w->per) != tier_down(r->loss.first, w->per) ||
	    tier_down(to->loss.last, w->per) != tier_down(r->loss.last, w->per))
		return false;
	to->loss.n = saturating_add(to->loss.n, r->loss.n);
	to->loss.sum = saturating_add(to->loss.sum, r->loss.sum);
	to->loss.first = to->loss.first < r->loss.first ? to->loss.first : r->loss.first;
	to->loss.last = larger(to->loss.last, r->loss.last);
	to->changed = r->joined = true;
	return true;
}

static int put_losses(const struct window *w, const struct lost_row *row, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const struct loss *l = &row[i].loss;

		if (row[i].changed || row[i].joined)
			err = db_step(w->q, db_bind(w->q, LOSS_DROP, "i", row[i].id));
		if (!err && row[i].changed)
			err = db_step(w->q, db_bind(w->q, LOSS_ADD, "iiiiiii", w->inst, l->last, l->first, row[i].source, l->n,
						    l->sum, loss_crc(w->inst, row[i].name, l)));
	}
	return err;
}

static int thin_losses(const struct window *w)
{
	struct lost_row *row = NULL;
	size_t n = 0, at = 0;
	int err = list_losses(w, &row, &n);

	for (size_t i = 1; i < n && !err; i++)
		if (!join_loss(w, &row[at], &row[i]))
			at = i;
	if (!err)
		err = put_losses(w, row, n);
	free(row);
	return err;
}

struct mark_row {
	__s64 id;
	struct mark mark;
};

static __u64 size_of(__s64 value)
{
	return value < 0 ? -(__u64)value : (__u64)value;
}

/* Keeps the largest of the marks of one kind in one slot of the tier. */
static int thin_marks(const struct window *w)
{
	sqlite3_stmt *stmt = db_bind(w->q, MARK_WINDOW, "iii", w->inst, w->from, w->to);
	struct mark_row *row = NULL;
	size_t n = 0, room = 0, at = 0;
	int got, err = 0;

	while ((got = db_step(w->q, stmt)) > 0 && !err) {
		const struct mark mark = { (__u64)col(stmt, 2), col(stmt, 1), col(stmt, 3) };

		err = array_grow(&row, n, &room, sizeof(*row));
		if (!err && col(stmt, 4) == mark_crc(w->inst, &mark))
			row[n++] = (struct mark_row){ col(stmt, 0), mark };
	}
	sqlite3_reset(stmt);
	if (got < 0)
		err = got;
	for (size_t i = 1; i < n && !err; i++) {
		size_t drop = i;

		if (row[at].mark.kind != row[i].mark.kind ||
		    tier_down(row[at].mark.slot, w->per) != tier_down(row[i].mark.slot, w->per)) {
			at = i;
			continue;
		}
		if (size_of(row[i].mark.value) > size_of(row[at].mark.value)) {
			drop = at;
			at = i;
		}
		err = db_step(w->q, db_bind(w->q, MARK_DROP, "i", row[drop].id));
	}
	free(row);
	return err;
}

/* From now on only the next tier and coarser ones show what happened before slot `before`. */
static int thin_before(struct sqlite *q, const struct known *k, int tier, __s64 oldest, __s64 before)
{
	__s64 per = tier_slots(k->slot_ns, tier + 1);
	struct window w = { q, k->inst, tier_down(oldest, per), tier_down(before, per), per };
	int err;

	if (w.from >= w.to)
		return 0;
	err = thin_coverage(&w);
	if (!err)
		err = thin_losses(&w);
	return err ? err : thin_marks(&w);
}

static int forget_observation(struct sqlite *q, __u64 inst, __s64 before)
{
	int err = db_step(q, db_bind(q, COVER_EXPIRE, "ii", inst, before));

	if (!err)
		err = db_step(q, db_bind(q, LOSS_EXPIRE, "ii", inst, before));
	return err ? err : db_step(q, db_bind(q, MARK_EXPIRE, "ii", inst, before));
}

/* --- slices --- */

static int forget_slices(struct sqlite *q, const struct known *k, int tier, __s64 before)
{
	__s64 slot = tier_divide(before, tier_slots(k->slot_ns, tier));
	int err = 0;

	for (__s64 axis = 0; axis < MEASURES_MAX && !err; axis++) {
		err = db_step(q, db_bind(q, HOT_EXPIRE, "iiii", k->inst, (__s64)tier, axis, slot));
		if (!err)
			err = db_step(q, db_bind(q, CHUNK_EXPIRE, "iiii", k->inst, (__s64)tier, axis, slot - CHUNK_SLOTS));
	}
	return err;
}

/* Finds the first slot before that one that was not dropped yet; `before` if there is none. */
static int oldest_of(struct sqlite *q, const struct known *k, int tier, __s64 before, __s64 *ret_oldest)
{
	__s64 was = k->dropped[tier].before;
	sqlite3_stmt *stmt = db_bind(q, COVER_OLDEST, "iii", k->inst, was, before);
	int got = db_step(q, stmt);

	*ret_oldest = got > 0 && sqlite3_column_type(stmt, 0) != SQLITE_NULL ? larger(col(stmt, 0), was) : before;
	sqlite3_reset(stmt);
	return got < 0 ? got : 0;
}

/* Drops slots of a tier, which have been added to the next one before. */
static int drop_tier(struct sqlite *q, const struct known *k, int tier, __s64 before)
{
	struct dropped d = k->dropped[tier];
	__s64 oldest, per = tier_slots(k->slot_ns, tier);
	int err = oldest_of(q, k, tier, before, &oldest);

	if (!err)
		err = forget_slices(q, k, tier, before);
	if (!err && !tier)
		err = db_step(q, db_bind(q, SEEN_EXPIRE, "ii", k->inst, before));
	if (!err && !tier)
		err = db_step(q, db_bind(q, EXEMPLARS_EXPIRE, "ii", k->inst, before));
	if (!err)
		err = tier + 1 < TIERS ? thin_before(q, k, tier, oldest, before) : forget_observation(q, k->inst, before);
	if (d.first == d.before)
		d.first = tier_down(oldest, per);
	d.before = before;
	return err ? err : db_know_dropped(q, k->inst, tier, &d);
}

static int expire_tier(struct sqlite *q, const struct known *k, int tier, __s64 before)
{
	__s64 per = tier_slots(k->slot_ns, tier);
	int err = tier + 1 < TIERS ? compact_tier(q, k, tier, tier_divide(before + per - 1, per)) : 0;

	if (!err)
		err = db_begin(q);
	return err ? err : db_end(q, drop_tier(q, k, tier, before));
}

int expire_in(struct sqlite *q, __u64 inst, const __s64 slot[TIERS])
{
	struct known k;
	__s64 before = slot[0];
	int err = db_known(q, inst, &k);

	for (int tier = 0; tier < TIERS && !err && k.slot_ns; tier++) {
		before = slot[tier] < before ? slot[tier] : before;
		if (before <= k.dropped[tier].before)
			continue;
		before = tier_down(before, tier_slots(k.slot_ns, tier));
		if (before > k.dropped[tier].before)
			err = expire_tier(q, &k, tier, before);
	}
	return err ? err : db_step(q, db_bind(q, KEY_EXPIRE, "i", inst));
}

int sqlite_expire(struct store *s, __u64 inst, const __s64 slot[TIERS])
{
	struct sqlite *q = sqlite_of(s);
	int err = db_limit_pages(q, true) ?: expire_in(q, inst, slot);

	while (err == -ENOSPC && q->max_pages && !db_make_room(q))
		err = db_limit_pages(q, true) ?: expire_in(q, inst, slot);
	return err ? err : db_limit_pages(q, false);
}

int sqlite_inst_delete(struct store *s, __u64 inst)
{
	struct sqlite *q = sqlite_of(s);
	int err = db_begin(q);

	if (err)
		return err;
	db_forget(q);
	for (int which = DELETE_FIRST; which <= DELETE_LAST && !err; which++)
		err = db_step(q, db_bind(q, which, "i", inst));
	if (!err)
		err = db_step(q, q->stmt[SOURCES_UNUSED]);
	return db_end(q, err);
}
