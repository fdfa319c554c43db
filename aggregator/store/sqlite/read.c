#include "aggregator/store/sqlite/sqlite.h"

#include "collector/core/array.h"
#include "aggregator/store/coverage_compact.h"

#include <stdint.h>

struct wanted {				/* a key of the instrumentation */
	__s64 id;
	bool is_wanted;
};

struct reading {
	struct sqlite *q;
	struct known known;
	__s64 first, last;		/* slots of tier 0 */
	struct store_range range;
	__s64 per;			/* slots of tier 0 in one slot of the tier */
	const struct store_reader *reader;
	struct wanted *key;		/* by rising id; NULL: every key is wanted */
	size_t n_keys;
};

/* Reports data that cannot be read, as at least one event. */
static void damage_report(struct reading *r, const char *what, __s64 first, __s64 last)
{
	const struct loss loss = { .n = 1, .first = first, .last = last };

	found_damage(r->q, what, first);
	if (r->reader->damaged)
		r->reader->damaged(r->reader->arg, first, last);
	else if (r->reader->loss)
		r->reader->loss(r->reader->arg, "", &loss);
}

/* --- which keys --- */

static int by_id(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int list_keys(struct reading *r)
{
	sqlite3_stmt *stmt = db_bind(r->q, KEY_EACH, "i", r->known.inst);
	size_t room = 0;
	int got;

	while ((got = db_step(r->q, stmt)) > 0) {
		const struct labels label = { sqlite3_column_blob(stmt, 1), (__u16)sqlite3_column_bytes(stmt, 1) };

		if (array_grow(&r->key, r->n_keys, &room, sizeof(*r->key))) {
			sqlite3_reset(stmt);
			return -ENOMEM;
		}
		r->key[r->n_keys++] = (struct wanted){ col(stmt, 0), r->reader->wants(r->reader->arg, &label) };
	}
	if (r->n_keys)
		qsort(r->key, r->n_keys, sizeof(*r->key), by_id);
	return got;
}

/* A key without a label is damage; reading its row reports it. */
static bool wants_key(const struct reading *r, __s64 id)
{
	const struct wanted name = { id, false }, *found;

	if (!r->key)
		return true;
	found = bsearch(&name, r->key, r->n_keys, sizeof(name), by_id);
	return !found || found->is_wanted;
}

/* --- slices --- */

/* Gives the slice, or only the number of its events. */
static void give_slice(struct reading *r, __s64 slot, const struct slice *s)
{
	struct hist_reader h;

	if (r->reader->slice)
		r->reader->slice(r->reader->arg, slot, s);
	else if (hist_reader_open(&h, s->ruler, s->hist, s->hist_len))
		damage_report(r, "histogram", slot, slot + r->per - 1);
	else
		r->reader->count(r->reader->arg, s, h.count);
}

static void read_hot_row(struct reading *r, int tier, int axis, sqlite3_stmt *stmt)
{
	const struct place at = { r->known.inst, tier, col(stmt, 1) };
	__s64 per = tier_slots(r->known.slot_ns, tier), first = at.slot * per;
	const struct slice s = {
		.axis = (__u16)axis, .weight = (__u16)col(stmt, 2), .ruler = (__u64)col(stmt, 3),
		.key = { sqlite3_column_blob(stmt, 4), (__u16)sqlite3_column_bytes(stmt, 4) },
		.hist = sqlite3_column_blob(stmt, 5), .hist_len = (__u32)sqlite3_column_bytes(stmt, 5),
	};

	if (col(stmt, 6) != slice_crc(&at, &s))
		damage_report(r, "row", first, first + per - 1);
	else
		give_slice(r, tier_down(first, r->per), &s);
}

static __s64 least_weight(const struct reading *r) { return r->range.weight < 0 ? 0 : r->range.weight; }
static __s64 most_weight(const struct reading *r) { return r->range.weight < 0 ? MEASURES_MAX : r->range.weight; }

/* Reads the rows of all keys together, which are few and need no labels. */
static int read_hot(struct reading *r, int tier, int axis)
{
	__s64 per = tier_slots(r->known.slot_ns, tier);
	bool whole = tier && r->range.whole;
	sqlite3_stmt *stmt = db_bind(r->q, whole ? HOT_WHOLE : HOT_READ, "iiiiiii", r->known.inst, (__s64)tier, (__s64)axis,
				     tier_divide(r->first, per), tier_divide(r->last, per), least_weight(r), most_weight(r));
	int got;

	while ((got = db_step(r->q, stmt)) > 0) {
		bool is_whole = tier && !col(stmt, 0);

		if (whole || (!is_whole && wants_key(r, col(stmt, 0))))
			read_hot_row(r, tier, axis, stmt);
	}
	return got;
}

/* Unpacks a chunk into q->old.  1; 0: it is damaged, which was reported; -errno. */
static int unpack_chunk(struct reading *r, const struct chunk_cache_name *name, __s64 row)
{
	const struct chunk_name *got = &r->q->old.name;
	sqlite3_stmt *stmt = db_bind(r->q, CHUNK_DATA, "i", row);
	int err = db_step(r->q, stmt);

	if (err <= 0)
		return err;
	err = chunk_decode(&r->q->old, sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0));
	sqlite3_reset(stmt);
	if (!err && got->inst == name->inst && got->tier == (int)name->tier && got->first == name->slot && got->axis == name->axis &&
	    got->weight == name->weight)
		return 1;
	damage_report(r, "chunk", name->slot * r->per, (name->slot + CHUNK_SLOTS) * r->per - 1);
	return 0;
}

/* Gives the slots from..to-1 of q->old. */
static void give_slots(struct reading *r, __s64 first, int from, int to)
{
	const struct chunk *c = &r->q->old;
	struct slice s = { .ruler = c->name.ruler, .axis = c->name.axis, .weight = c->name.weight, .key = c->name.key };

	for (int i = from; i < to; i++) {
		__s64 slot = (first + i) * r->per;

		if (!c->slot[i].hist_len)
			continue;
		s.hist = c->slot[i].hist;
		s.hist_len = c->slot[i].hist_len;
		give_slice(r, slot, &s);
	}
}

/* The share of a chunk in the range: its slots, and its whole groups of `grain` slots; half-open. */
struct share {
	int from, to, first_group, last_group;
};

static struct share share_of(const struct reading *r, const struct chunk_cache_name *name)
{
	__s64 from = tier_divide(r->first, r->per) - name->slot, to = tier_divide(r->last, r->per) + 1 - name->slot;
	int grain = (int)name->grain;
	struct share s = { .from = from < 0 ? 0 : (int)from, .to = to > CHUNK_SLOTS ? CHUNK_SLOTS : (int)to };

	if (grain && !(CHUNK_SLOTS % grain) && !(name->slot % grain)) {
		s.first_group = (s.from + grain - 1) / grain;
		s.last_group = s.to / grain;
	}
	return s;
}

static void give_sums(struct reading *r, const struct chunk_cache_entry *e, const struct share *of)
{
	struct slice s = e->slice;

	for (int i = of->first_group; i < of->last_group; i++) {
		s.hist = e->sum[i].hist;
		s.hist_len = e->sum[i].hist_len;
		if (s.hist_len)
			r->reader->slice(r->reader->arg, (e->name.slot + i * (__s64)e->name.grain) * r->per, &s);
	}
}

/* Finds cached sums, or adds up those of another zoom. */
static const struct chunk_cache_entry *find_sums(struct chunk_cache *m, const struct chunk_cache_name *name)
{
	const struct chunk_cache_entry *e = chunk_cache_find(m, name);

	return e ? e : chunk_cache_coarser(m, name);
}

/* Reads sums where whole groups of slots are in the range.  They are added up once: then a picture of a day
 * consists of some thousand histograms, not 86,400.  Single slots are cached if the reader asks for a whole
 * chunk of all keys together: it will ask for them again when it moves to the neighbouring time. */
static int read_chunk(struct reading *r, const struct chunk_cache_name *name, __s64 row)
{
	const struct share of = share_of(r, name);
	bool some = of.first_group < of.last_group, all = r->range.whole && !of.from && of.to == CHUNK_SLOTS;
	int from = of.first_group * (int)name->grain, to = of.last_group * (int)name->grain, got;
	const struct chunk_cache_entry *e = some ? find_sums(&r->q->chunk_cache, name) : NULL;
	bool rest = !e || of.from < from || of.to > to;

	got = rest ? unpack_chunk(r, name, row) : 1;
	if (got <= 0)
		return got;
	if (!e && some && (all || name->grain > 1))
		e = chunk_cache_make(&r->q->chunk_cache, name, &r->q->old);
	if (!e) {
		give_slots(r, name->slot, of.from, of.to);
		return 0;
	}
	if (rest) {
		give_slots(r, name->slot, of.from, from);
		give_slots(r, name->slot, to, of.to);
	}
	give_sums(r, e, &of);
	return 0;
}

/* Caches the counts of a chunk's slots: unpacked once, they serve every interval. */
static int count_chunk(struct reading *r, const struct chunk_cache_name *name, __s64 row)
{
	const struct share of = share_of(r, name);
	const struct chunk_cache_entry *e = chunk_cache_find(&r->q->chunk_cache, name);
	__u64 n = 0;
	int got;

	if (!e) {
		got = unpack_chunk(r, name, row);
		if (got <= 0)
			return got;
		e = chunk_cache_count(&r->q->chunk_cache, name, &r->q->old);
	}
	if (!e) {
		give_slots(r, name->slot, of.from, of.to);
		return 0;
	}
	for (int i = of.from; i < of.to; i++)
		n = n + e->count[i] < n ? ~(__u64)0 : n + e->count[i];
	if (n)
		r->reader->count(r->reader->arg, &e->slice, n);
	return 0;
}

static int read_chunks(struct reading *r, int axis)
{
	__s64 from = tier_divide(r->first, r->per), last = tier_divide(r->last, r->per);
	__u32 grain = !r->reader->slice ? 0 : r->range.grain > 1 ? (__u32)r->range.grain : 1;
	bool whole = r->range.whole;
	sqlite3_stmt *stmt;
	int got, err = 0;

	from = from > INT64_MIN + CHUNK_SLOTS ? from - CHUNK_SLOTS + 1 : INT64_MIN;
	stmt = db_bind(r->q, whole ? WHOLE_READ : CHUNK_READ, "iiiiiii", r->known.inst, (__s64)r->range.tier, (__s64)axis,
		       from, last, least_weight(r), most_weight(r));
	while (!err && (got = db_step(r->q, stmt)) > 0) {
		const struct chunk_cache_name name = { .inst = r->known.inst, .ruler = (__u64)col(stmt, 3), .slot = col(stmt, 1),
						.key = col(stmt, 0), .tier = (__u32)r->range.tier, .axis = (__u32)axis,
						.weight = (__u32)col(stmt, 2), .grain = grain };

		if (whole || (name.key && wants_key(r, name.key)))
			err = grain ? read_chunk(r, &name, col(stmt, 4)) : count_chunk(r, &name, col(stmt, 4));
	}
	sqlite3_reset(stmt);
	return err ? err : got;
}

/* Reads the tier's chunks, and the rows that are not yet in them: see Tiers in sqlite.h. */
static int read_slices(struct reading *r)
{
	int err = 0;

	for (int axis = 0; axis < MEASURES_MAX && !err; axis++) {
		if (r->range.axis >= 0 && r->range.axis != axis)
			continue;
		err = read_chunks(r, axis);
		for (int tier = 0; tier <= r->range.tier && !err; tier++)
			err = read_hot(r, tier, axis);
	}
	return err;
}

/* --- coverage, losses, marks --- */

static void cover_report(struct reading *r, const char *source, const struct run *run)
{
	struct run part = run_cut(run, r->first, r->last);

	if (run->n == run_slots(run)) {
		if (r->reader->cover)
			r->reader->cover(r->reader->arg, source, part.first, part.last);
	} else if (r->reader->sparse) {
		r->reader->sparse(r->reader->arg, source, part.first, part.last, part.n);
	}
}

static int read_cover(struct reading *r)
{
	sqlite3_stmt *stmt = db_bind(r->q, COVER_READ, "iii", r->known.inst, r->first, r->last);
	int got;

	while ((got = db_step(r->q, stmt)) > 0) {
		const char *source = col_text(stmt, 0);
		const struct run run = { col(stmt, 1), col(stmt, 2), (__u64)col(stmt, 3) };

		if (col(stmt, 4) != cover_crc(r->known.inst, source, run.first, run.last, run.n))
			found_damage(r->q, "coverage", run.first);
		else
			cover_report(r, source, &run);
	}
	return got;
}

static int read_losses(struct reading *r)
{
	sqlite3_stmt *stmt = db_bind(r->q, LOSS_READ, "iii", r->known.inst, r->first, r->last);
	int got;

	while ((got = db_step(r->q, stmt)) > 0) {
		const struct loss l = { (__u64)col(stmt, 1), (__u64)col(stmt, 2), col(stmt, 3), col(stmt, 4) };

		if (col(stmt, 5) != loss_crc(r->known.inst, col_text(stmt, 0), &l))
			damage_report(r, "loss", r->first, r->last);
		else
			r->reader->loss(r->reader->arg, col_text(stmt, 0), &l);
	}
	return got;
}

static int read_marks(struct reading *r)
{
	sqlite3_stmt *stmt = db_bind(r->q, MARK_READ, "iii", r->known.inst, r->first, r->last);
	int got;

	while ((got = db_step(r->q, stmt)) > 0) {
		const struct mark mark = { (__u64)col(stmt, 1), col(stmt, 0), col(stmt, 2) };

		if (col(stmt, 3) != mark_crc(r->known.inst, &mark))
			found_damage(r->q, "mark", mark.slot);
		else
			r->reader->mark(r->reader->arg, &mark);
	}
	return got;
}

/* Leaves a damaged row out and counts it: its events are in the histograms. */
static int read_exemplars(struct reading *r)
{
	sqlite3_stmt *stmt = db_bind(r->q, EXEMPLARS_READ, "iii", r->known.inst, r->first, r->last);
	int got;

	while ((got = db_step(r->q, stmt)) > 0) {
		const char *source = col_text(stmt, 0);
		const __u8 *data = sqlite3_column_blob(stmt, 2);
		size_t len = (size_t)sqlite3_column_bytes(stmt, 2);

		if (col(stmt, 3) != exemplars_crc(r->known.inst, source, col(stmt, 1), data, len))
			found_damage(r->q, "exemplars", col(stmt, 1));
		else
			r->reader->exemplars(r->reader->arg, source, col(stmt, 1), data, len);
	}
	return got;
}

static void dropped_report(const struct reading *r, __s64 first, __s64 last)
{
	const struct dropped *d = &r->known.dropped[r->range.tier];

	if (d->first >= d->before)
		return;
	first = d->first > first ? d->first : first;
	last = d->before - 1 < last ? d->before - 1 : last;
	if (first <= last)
		r->reader->dropped(r->reader->arg, first, last);
}

/* Widens the range to whole slots of the tier, and cuts off the dropped part. */
static int begin_reading(struct reading *r, struct store *s, __u64 inst)
{
	const struct store_range *range = &r->range;
	int err = range->tier < 0 || range->tier >= TIERS ? -EINVAL : db_known(r->q, inst, &r->known);

	if (err || !r->known.slot_ns)
		return err ? err : 1;
	r->per = tier_slots(r->known.slot_ns, range->tier);
	r->first = tier_down(range->first, r->per);
	r->last = tier_down(range->last, r->per) + r->per - 1;
	if (r->reader->dropped)
		dropped_report(r, r->first, r->last);
	if (r->first < r->known.dropped[range->tier].before)
		r->first = r->known.dropped[range->tier].before;
	return r->first > r->last;
}

int sqlite_read(struct store *s, __u64 inst, const struct store_range *range, const struct store_reader *reader)
{
	struct reading r = { .q = sqlite_of(s), .range = *range, .reader = reader };
	bool slices = reader->slice || reader->count;
	int err = begin_reading(&r, s, inst);

	if (err)
		return err < 0 ? err : 0;
	if (slices && reader->wants && !range->whole)
		err = list_keys(&r);
	if (!err && slices)
		err = read_slices(&r);
	if (!err && (reader->cover || reader->sparse))
		err = read_cover(&r);
	if (!err && reader->loss)
		err = read_losses(&r);
	if (!err && reader->mark)
		err = read_marks(&r);
	if (!err && reader->exemplars && !range->tier)
		err = read_exemplars(&r);
	free(r.key);
	return err;
}
