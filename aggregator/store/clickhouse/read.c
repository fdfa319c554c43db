#include "aggregator/store/clickhouse/clickhouse.h"

#include "collector/core/array.h"
#include "collector/core/refuse.h"
#include "aggregator/store/coverage_compact.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#define KEYS_NAMED 500			/* wanted keys that a SELECT names; of more all are read */
#define KEYS_FEW 16			/* so few are sorted in memory */

struct reading {
	struct clickhouse *q;
	struct state state;
	__s64 first, last;		/* slots of tier 0 */
	struct store_range range;
	__s64 per;			/* slots of tier 0 in one slot of the tier */
	const struct store_reader *reader;
	bool is_filtered;		/* only the keys in `keys` are wanted */
	bool none_wanted;
	struct bytes keys;		/* literals with commas */
	size_t n_keys;
};

static int found_damage(struct reading *r, const char *what, __s64 first, __s64 last)
{
	const struct loss loss = { .n = 1, .first = first, .last = last };

	r->q->store.n_damaged++;
	snprintf(r->q->store.reason, sizeof(r->q->store.reason), "ClickHouse at %.80s: a damaged %s for slot %lld", r->q->url, what, (long long)first);
	if (r->reader->damaged)
		r->reader->damaged(r->reader->arg, first, last);
	else if (r->reader->loss)
		r->reader->loss(r->reader->arg, "", &loss);
	return 0;
}

/* --- statements --- */

static void put_where(struct clickhouse *q, const struct state *s, __s64 first, __s64 last)
{
	sql_put(q, " WHERE inst = %llu AND life = %u AND day >= toDate(%u) AND day <= toDate(%u) AND slot >= %lld AND slot <= %lld",
		(unsigned long long)s->inst, s->life, row_day(s->slot_ns, first), row_day(s->slot_ns, last), (long long)first,
		(long long)last);
}

void sql_put_kind(struct clickhouse *q, const struct state *s, enum row_kind kind, __s64 first, __s64 last)
{
	sql_put(q, "kind = %d AND period >= %lld AND period <= %lld", kind, (long long)row_period(s->slot_ns, kind, first),
		(long long)row_period(s->slot_ns, kind, last));
}

static bool has_key(enum row_kind kind) { return kind < ROW_NAME || kind >= ROW_WHOLE; }

/* For the index: also columns of the key, which come before `slot`. */
static void put_where_kind(struct clickhouse *q, const struct state *s, enum row_kind kind, __s64 first, __s64 last)
{
	put_where(q, s, first, last);
	sql_put(q, " AND ");
	sql_put_kind(q, s, kind, first, last);
	if (!has_key(kind))
		sql_put(q, " AND axis = 0 AND weight = 0 AND ruler = 0 AND key = ''");
}

void sql_put_filed(struct clickhouse *q, const struct state *s, __s64 first, __s64 last)
{
	sql_put(q, " FROM %s." FILED, q->database);
	put_where(q, s, first, last);
}

static void put_keys(const struct reading *r)
{
	if (!r->is_filtered || r->n_keys > KEYS_NAMED)
		return;
	sql_put(r->q, " AND key IN (");
	bytes_put(&r->q->sql, r->keys.data, r->keys.len);
	sql_put(r->q, ")");
}

/* Other columns than those of PREWHERE are read only where it holds.  Rows of one name are equal in its columns, so FINAL
 * finds the same ones. */
static void put_from(struct clickhouse *q, const struct state *s, const char *final, enum row_kind kind, __s64 first, __s64 last,
		     const struct reading *reading)
{
	sql_put(q, " FROM %s." FILED "%s PREWHERE kind = %d AND slot >= %lld AND slot <= %lld", q->database, final, kind,
		(long long)first, (long long)last);
	if (reading && has_key(kind))
		put_keys(reading);
	put_where_kind(q, s, kind, first, last);
}

void sql_put_rows(struct clickhouse *q, const struct state *s, enum row_kind kind, __s64 first, __s64 last)
{
	if (kind != ROW_NAME && kind != ROW_COVER) {
		put_from(q, s, " FINAL", kind, first, last, NULL);
		return;
	}
	sql_put(q, " FROM %s." FILED, q->database);
	put_where_kind(q, s, kind, first, last);
}

/* As sql_put_rows(), for few rows, in a third of the time: put_newest() must end it.  It sorts the rows in memory. */
static void put_few(struct reading *r, enum row_kind kind, __s64 first, __s64 last)
{
	put_from(r->q, &r->state, "", kind, first, last, r);
}

/* Of rows of one name the one with the highest version, as FINAL. */
static void put_newest(struct clickhouse *q)
{
	sql_put(q, " ORDER BY version DESC LIMIT 1 BY axis, weight, ruler, key, slot, source, incarnation, batch_slot, seq, part");
}

/* Sorts the slots of batches that report one slot, and finds where runs of them begin and end; batches that report
 * several slots are runs already. */
void sql_put_cover(struct clickhouse *q, const struct state *s, __s64 first, __s64 last)
{
	__s64 per = tier_slots(s->slot_ns, TIERS - 1);

	sql_put(q, "SELECT name, whose, block, arrayConcat(arrayFilter((x, y) -> x - y != 1, ones, arraySlice(arrayPushFront(ones, "
		"toInt64(ones[1] - 2)), 1, length(ones))), run_firsts) AS begins, arrayConcat(arrayFilter((x, y) -> y - x != 1, ones, "
		"arraySlice(arrayPushBack(ones, toInt64(0)), 2, length(ones))), run_lasts) AS ends FROM (SELECT day AS name, source AS whose, "
		"intDiv(slot, %lld) * %lld AS block, arraySort(groupUniqArrayIf(first, first = last)) AS ones, "
		"groupArrayIf(first, last > first) AS run_firsts, groupArrayIf(last, last > first) AS run_lasts", (long long)per, (long long)per);
	sql_put_rows(q, s, ROW_NAME, first, last);
	sql_put(q, " GROUP BY name, whose, block)");
}

/* Appends an expression: the slot under which a row is given.  Groups of `grain` slots are one if all of them are in the
 * range. */
static void put_slot(struct reading *r, int tier)
{
	long long per = r->per, group = per * r->range.grain;

	if (r->range.grain > 1 && r->reader->slice)
		sql_put(r->q, "if(intDiv(slot, %lld) * %lld >= %lld AND intDiv(slot, %lld) * %lld <= %lld, intDiv(slot, %lld) * %lld, "
			"intDiv(slot, %lld) * %lld)", group, group, (long long)r->first, group, group, (long long)r->last - group + 1,
			group, group, per, per);
	else if (tier == r->range.tier)
		sql_put(r->q, "slot");
	else
		sql_put(r->q, "intDiv(slot, %lld) * %lld", per, per);
}

static void put_choice(struct reading *r)
{
	if (r->range.axis >= 0)
		sql_put(r->q, " AND axis = %d", r->range.axis);
	if (r->range.weight >= 0)
		sql_put(r->q, " AND weight = %d", r->range.weight);
	put_keys(r);
}

/* --- slices --- */

static bool is_wanted(const struct reading *r, const struct labels *key)
{
	return !r->reader->wants || r->range.whole || r->reader->wants(r->reader->arg, key);
}

static int give_slice(void *arg, struct cursor *c)
{
	struct row_slice row = row_get_slice(c);
	struct reading *r = arg;
	int err;

	if (c->err || !row.n)		/* see `Late` in roll.c */
		return 0;
	bytes_clear(&r->q->hist);
	err = row_slice_encode(&row, &r->q->hist);
	if (err)
		return err == -EBADMSG ? found_damage(r, "histogram", row.slot, row.slot + r->per - 1) : err;
	if (!is_wanted(r, &row.slice.key))
		return 0;
	row.slice.hist = r->q->hist.data;
	row.slice.hist_len = (__u32)r->q->hist.len;
	r->reader->slice(r->reader->arg, row.slot, &row.slice);
	return 0;
}

static int give_count(void *arg, struct cursor *c)
{
	struct slice s = { .axis = (__u16)cursor_get_int(c, 1) };
	struct reading *r = arg;
	struct row_text key;
	__u64 n;

	s.weight = (__u16)cursor_get_int(c, 1);
	s.ruler = cursor_get_int(c, 8);
	key = row_get_text(c);
	n = cursor_get_int(c, 8);
	s.key = (struct labels){ key.data, (__u16)key.len };
	if (!c->err && key.len <= KEY_BYTES_MAX && n && is_wanted(r, &s.key))
		r->reader->count(r->reader->arg, &s, n);
	return 0;
}

/* Slices come as they are filed: several may be of one slot and key. */
static int read_counts(struct reading *r, enum row_kind kind, __s64 first, __s64 last)
{
	const char *key = r->range.whole ? "''" : "key", *by_key = r->range.whole ? "" : ", key";

	sql_begin(r->q, "SELECT axis, weight, ruler, %s, sum(n)", key);
	put_from(r->q, &r->state, " FINAL", kind, first, last, r);
	put_choice(r);
	sql_put(r->q, " GROUP BY axis, weight, ruler%s, if(large = 1, cityHash64(key, slot, source, incarnation, batch_slot, seq, part), "
		"toUInt64(0))", by_key);
	return request_select(r->q, give_count, r);
}

static int read_kind(struct reading *r, int tier, enum row_kind kind, __s64 first, __s64 last)
{
	bool few = r->range.whole ? kind >= ROW_WHOLE : r->is_filtered && r->n_keys <= KEYS_FEW;

	if (first > last)
		return 0;
	if (!r->reader->slice)
		return read_counts(r, kind, first, last);
	sql_begin(r->q, "SELECT ");
	put_slot(r, tier);
	sql_put(r->q, " AS place, " ROW_SLICE("%s"), r->range.whole ? "''" : "key");
	if (few)
		put_few(r, kind, first, last);
	else
		put_from(r->q, &r->state, " FINAL", kind, first, last, r);
	put_choice(r);
	if (few)
		put_newest(r->q);
	return request_select(r->q, give_slice, r);
}

struct longer {				/* rows that are longer than the tier's slots */
	enum row_kind kind;
	__s64 first, end;		/* where they can be read instead; first >= end: nowhere */
};

/* Finds the longest rows of which a whole number is one group of `grain` slots.  Of a group that is not all in the range, slots
 * come one by one. */
static struct longer find_longer(const struct reading *r, int tier, __s64 first, __s64 last)
{
	__s64 group = r->per * (r->range.grain > 1 ? r->range.grain : 1), per = STEP_SLOTS, end;
	enum row_kind kind = r->range.whole ? ROW_WHOLE_STEP : ROW_STEP;
	int of = TIERS - 1;

	while (of > tier && group % tier_slots(r->state.slot_ns, of))
		of--;
	if (!r->reader->slice || (of == tier && (tier || group % STEP_SLOTS)))
		return (struct longer){ kind, first, first };
	if (of > tier) {
		per = tier_slots(r->state.slot_ns, of);
		kind = (enum row_kind)(of + (r->range.whole ? ROW_WHOLE : ROW_SLOT));
	}
	end = tier_down(r->state.rolled[of ? of : 1], per);
	last = tier_down(last + 1, group);
	first = tier_down(first + group - 1, group);
	return (struct longer){ kind, first, end < last ? end : last };
}

/* Rows of the whole, and steps, are made when the tier is added up, those of slots with those of minutes. */
static int read_tier(struct reading *r, int tier, __s64 first, __s64 last)
{
	__s64 rolled = r->state.rolled[tier ? tier : 1], end = !r->range.whole || rolled > last ? last + 1 : rolled;
	enum row_kind own = (enum row_kind)(tier + (r->range.whole ? ROW_WHOLE : ROW_SLOT));
	struct longer longer = find_longer(r, tier, first, last);
	int err;

	if (longer.first >= longer.end)
		longer.first = longer.end = first;
	err = read_kind(r, tier, own, first, longer.first - 1);
	if (!err)
		err = read_kind(r, tier, longer.kind, longer.first, longer.end - 1);
	if (!err)
		err = read_kind(r, tier, own, longer.end, end - 1);
	return err ? err : read_kind(r, tier, (enum row_kind)tier, first > end ? first : end, last);
}

/* Calls each() for the tiers whose rows hold the range: the tier's own up to where it was added up, then finer ones. */
static int each_tier(struct reading *r, int (*each)(struct reading *r, int tier, __s64 first, __s64 last))
{
	__s64 from = r->first;
	int err = 0;

	for (int tier = r->range.tier; tier >= 0 && !err; tier--) {
		__s64 until = tier ? r->state.rolled[tier] : INT64_MAX;
		__s64 last = until <= r->last ? until - 1 : r->last;

		if (from > last)
			continue;
		err = each(r, tier, from, last);
		from = last + 1;
	}
	return err;
}

/* --- which keys --- */

static int take_key(void *arg, struct cursor *c)
{
	struct row_text text = row_get_text(c);
	struct reading *r = arg;
	const struct labels key = { text.data, (__u16)text.len };
	size_t was;

	if (c->err || text.len > KEY_BYTES_MAX)
		return 0;
	if (!r->reader->wants(r->reader->arg, &key)) {
		r->is_filtered = true;
		return 0;
	}
	was = r->q->sql.len;		/* written there, as a literal, and moved */
	sql_put(r->q, r->n_keys++ ? "," : "");
	sql_put_text(r->q, key.bytes, key.len);
	if (r->q->sql.err)
		return r->q->sql.err;
	bytes_put(&r->keys, r->q->sql.data + was, r->q->sql.len - was);
	r->q->sql.len = was;
	return r->keys.err;
}

/* Coarser rows have the same keys, and are fewer. */
static int list_keys(struct reading *r)
{
	struct reading all = *r;
	int tier = TIERS - 1, err;
	__s64 per = tier_slots(r->state.slot_ns, tier), from = tier_down(r->first, per);

	sql_begin(r->q, "SELECT DISTINCT key FROM %s." FILED " WHERE inst = %llu AND life = %u AND (", r->q->database,
		  (unsigned long long)r->state.inst, r->state.life);
	for (; tier >= 0; tier--) {
		__s64 until = tier ? r->state.rolled[tier] : INT64_MAX, last = until <= r->last ? until - 1 : r->last;

		if (from > last)
			continue;
		sql_put_kind(r->q, &r->state, (enum row_kind)tier, from, last);
		sql_put(r->q, " AND slot >= %lld AND slot <= %lld OR ", (long long)from, (long long)last);
		from = last + 1;
	}
	sql_put(r->q, "0) AND day >= toDate(%u) AND day <= toDate(%u)", row_day(r->state.slot_ns, tier_down(r->first, per)),
		row_day(r->state.slot_ns, r->last));
	put_choice(&all);
	err = request_select(r->q, take_key, r);
	r->none_wanted = !r->n_keys;
	return err;
}

static int read_slices(struct reading *r)
{
	int err = r->reader->wants && !r->range.whole ? list_keys(r) : 0;

	return err || r->none_wanted ? err : each_tier(r, read_tier);
}

/* --- coverage --- */

struct covering {
	struct reading *r;
	char source[SOURCE_MAX];	/* whose runs these are */
	struct run *run;
	size_t n, room;
};

static int by_first(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Gives the runs of a source, those that overlap or touch as one. */
static void give_runs(struct covering *g)
{
	const struct store_reader *reader = g->r->reader;
	struct run whole;

	if (g->n)
		qsort(g->run, g->n, sizeof(*g->run), by_first);
	for (size_t i = 0; i < g->n;) {
		whole = g->run[i++];
		for (; i < g->n && g->run[i].first <= whole.last + 1; i++)
			whole.last = g->run[i].last > whole.last ? g->run[i].last : whole.last;
		if (reader->cover)
			reader->cover(reader->arg, g->source, whole.first, whole.last);
	}
	g->n = 0;
}

static int take_cover(void *arg, struct cursor *c)
{
	struct row_text source = row_get_text(c);
	const __u8 *firsts, *lasts;
	size_t n = row_get_array(c, 8, &firsts), n_lasts = row_get_array(c, 8, &lasts);
	struct covering *g = arg;
	struct reading *r = g->r;
	struct cursor first = { .data = firsts, .len = 8 * n }, last = { .data = lasts, .len = 8 * n };

	if (c->err)
		return 0;
	if (n != n_lasts || source.len >= SOURCE_MAX)
		return found_damage(r, "coverage", r->first, r->last);
	if (strlen(g->source) != source.len || memcmp(g->source, source.data, source.len)) {
		give_runs(g);
		memcpy(g->source, source.data, source.len);
		g->source[source.len] = 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct run run = { .first = (__s64)cursor_get_int(&first, 8) };

		run.last = (__s64)cursor_get_int(&last, 8);
		run.first = run.first > r->first ? run.first : r->first;
		run.last = run.last < r->last ? run.last : r->last;
		if (run.first > run.last)
			continue;
		if (array_grow(&g->run, g->n, &g->room, sizeof(run)))
			return -ENOMEM;
		g->run[g->n++] = run;
	}
	return 0;
}

static __s64 later(__s64 a, __s64 b) { return a > b ? a : b; }

/* Batches that are filed under earlier slots may report these. */
static __s64 first_reaching(const struct reading *r, __s64 per)
{
	return later(r->first - r->state.reach - per, 0);
}

static int read_cover(struct reading *r)
{
	__s64 rolled = r->state.rolled[TIERS - 1], per = tier_slots(r->state.slot_ns, TIERS - 1);
	__s64 named = later(rolled, first_reaching(r, 0));
	struct covering g = { .r = r };
	int err;

	sql_begin(r->q, "SELECT whose, begins, ends FROM (SELECT source AS whose, firsts AS begins, lasts AS ends");
	sql_put_rows(r->q, &r->state, ROW_COVER, first_reaching(r, per), rolled <= r->last ? rolled - 1 : r->last);
	sql_put(r->q, " AND last >= %lld", (long long)r->first);
	if (named <= r->last) {
		sql_put(r->q, " UNION ALL SELECT whose, begins, ends FROM (");
		sql_put_cover(r->q, &r->state, named, r->last);
		sql_put(r->q, ")");
	}
	sql_put(r->q, ") ORDER BY whose");
	err = request_select(r->q, take_cover, &g);
	if (!err)
		give_runs(&g);
	free(g.run);
	return err;
}

/* --- losses, marks, exemplars --- */

static int take_loss(void *arg, struct cursor *c)
{
	struct row_text text = row_get_text(c);
	struct loss l = { .n = cursor_get_int(c, 8) };
	struct reading *r = arg;
	char source[SOURCE_MAX];

	l.sum = cursor_get_int(c, 8);
	l.first = (__s64)cursor_get_int(c, 8);
	l.last = (__s64)cursor_get_int(c, 8);
	if (c->err)
		return 0;
	snprintf(source, sizeof(source), "%.*s", (int)text.len, (const char *)text.data);
	r->reader->loss(r->reader->arg, source, &l);
	return 0;
}

static int read_losses(struct reading *r)
{
	sql_begin(r->q, "SELECT source, n, total, first, last");
	put_few(r, ROW_LOSS, first_reaching(r, 0), r->last + r->state.reach);
	sql_put(r->q, " AND first <= %lld AND last >= %lld", (long long)r->last, (long long)r->first);
	put_newest(r->q);
	return request_select(r->q, take_loss, r);
}

static int take_mark(void *arg, struct cursor *c)
{
	struct mark mark = { .slot = (__s64)cursor_get_int(c, 8) };
	struct reading *r = arg;

	mark.kind = cursor_get_int(c, 8);
	mark.value = (__s64)cursor_get_int(c, 8);
	if (!c->err)
		r->reader->mark(r->reader->arg, &mark);
	return 0;
}

static int read_marks(struct reading *r)
{
	sql_begin(r->q, "SELECT slot, n, first");
	put_few(r, ROW_MARK, r->first, r->last);
	put_newest(r->q);
	return request_select(r->q, take_mark, r);
}

static int take_exemplars(void *arg, struct cursor *c)
{
	struct row_text source_text = row_get_text(c);
	__s64 slot = (__s64)cursor_get_int(c, 8);
	struct row_text data = row_get_text(c);
	struct reading *r = arg;
	char source[SOURCE_MAX];

	if (c->err)
		return 0;
	snprintf(source, sizeof(source), "%.*s", (int)source_text.len, (const char *)source_text.data);
	r->reader->exemplars(r->reader->arg, source, slot, data.data, data.len);
	return 0;
}

static int read_exemplars(struct reading *r)
{
	sql_begin(r->q, "SELECT source, slot, data");
	sql_put_rows(r->q, &r->state, ROW_EXEMPLARS, r->first, r->last);
	sql_put(r->q, " ORDER BY slot, source, incarnation, seq");
	return request_select(r->q, take_exemplars, r);
}

/* --- reading --- */

static void report_dropped(const struct reading *r)
{
	const struct dropped_slots *d = &r->state.dropped[r->range.tier];
	__s64 first = tier_down(r->range.first, r->per);

	first = d->first > first ? d->first : first;
	if (d->first < d->before && first <= r->last && first < d->before && r->reader->dropped)
		r->reader->dropped(r->reader->arg, first, d->before - 1 < r->last ? d->before - 1 : r->last);
}

/* Widens the range to whole slots of the tier, and cuts off the dropped part.  Is anything of it left? */
static bool begin_reading(struct reading *r)
{
	r->per = tier_slots(r->state.slot_ns, r->range.tier);
	r->first = tier_down(r->range.first, r->per);
	r->last = tier_down(r->range.last, r->per) + r->per - 1;
	if (r->first < r->state.dropped[r->range.tier].before)
		r->first = r->state.dropped[r->range.tier].before;
	r->first = r->first > 0 ? r->first : 0;
	return r->first <= r->last;
}

/* Rows that were dropped meanwhile may have been missing. */
static int read_state_again(struct reading *r)
{
	struct clickhouse *q = r->q;
	__u32 life = r->state.life;
	int err;

	states_forget(q);
	err = state_get(q, r->state.inst, &r->state);
	if (err || r->state.life == life)
		return err;
	return refuse_in(-EAGAIN, q->store.reason, sizeof(q->store.reason), "instrumentation %llu was deleted while it was read",
			 (unsigned long long)r->state.inst);
}

/* First coverage, see `Shared` in clickhouse.h. */
static int read_all(struct reading *r)
{
	const struct store_reader *reader = r->reader;
	int err = reader->cover || reader->sparse ? read_cover(r) : 0;

	if (!err && (reader->slice || reader->count))
		err = read_slices(r);
	if (!err && reader->loss)
		err = read_losses(r);
	if (!err && reader->mark)
		err = read_marks(r);
	if (!err && reader->exemplars && !r->range.tier)
		err = read_exemplars(r);
	return err;
}

int clickhouse_read(struct store *s, __u64 inst, const struct store_range *range, const struct store_reader *reader)
{
	struct reading r = { .q = clickhouse_of(s), .range = *range, .reader = reader };
	bool any = reader->slice || reader->count || reader->cover || reader->sparse || reader->loss || reader->mark || reader->exemplars;
	int err = range->tier < 0 || range->tier >= TIERS ? -EINVAL : state_get(r.q, inst, &r.state);

	if (err || !r.state.slot_ns)
		return err;
	if (begin_reading(&r) && any) {
		err = read_all(&r);
		if (!err)
			err = read_state_again(&r);
	}
	if (!err)
		report_dropped(&r);
	bytes_fini(&r.keys);
	return err;
}
