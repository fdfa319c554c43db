#include "store_sqlite.h"

#include "array.h"

#include <errno.h>
#include <stdint.h>

struct group {				/* what makes a chunk of its own within a block of slots */
	__s64 key;
	struct slice name;		/* ruler, axis, weight, and its label */
};

struct move {
	struct sqlite *q;
	const struct known *known;
	int tier, axis;
	__s64 first;			/* slot of the tier */
};

static struct place place_in(const struct move *m, unsigned offset)
{
	return (struct place){ m->known->inst, m->tier, m->first + offset };
}

/* The groups of keys that have hot rows in this block, by weight, ruler and key. */
static int list_groups(const struct move *m, struct group **ret_group, size_t *ret_n)
{
	sqlite3_stmt *stmt = db_bind(m->q, HOT_GROUPS, "iiiii", m->known->inst, (__s64)m->tier, (__s64)m->axis, m->first,
				     m->first + CHUNK_SLOTS - 1);
	size_t room = 0;
	int got;

	*ret_group = NULL;
	*ret_n = 0;
	while ((got = db_step(m->q, stmt)) > 0) {
		const struct slice name = {
			.axis = (__u16)m->axis, .weight = (__u16)col(stmt, 0), .ruler = (__u64)col(stmt, 1),
		};

		if (array_grow(ret_group, *ret_n, &room, sizeof(**ret_group))) {
			sqlite3_reset(stmt);
			return -ENOMEM;
		}
		(*ret_group)[(*ret_n)++] = (struct group){ col(stmt, 2), name };
	}
	return got;
}

/* Binds CHUNK_GET and CHUNK_DROP, or WHOLE_GET and FAMILY_EACH, which are of no key in particular. */
static sqlite3_stmt *bind_chunk(const struct move *m, enum sql which, const struct group *g)
{
	return db_bind(m->q, which, which == WHOLE_GET || which == FAMILY_EACH ? "iiiiii" : "iiiiiii", m->known->inst, (__s64)m->tier,
		       (__s64)m->axis, m->first, (__s64)g->name.weight, g->name.ruler, g->key);
}

static struct chunk_name name_of(const struct move *m, const struct group *g)
{
	return (struct chunk_name){
		.inst = m->known->inst, .tier = m->tier, .first = m->first, .ruler = g->name.ruler, .axis = g->name.axis,
		.weight = g->name.weight, .key = g->name.key,
	};
}

/* What was put into q->made becomes a chunk. */
static int put_chunk(const struct move *m, const struct group *g, bool whole)
{
	struct bytes *frame = &m->q->frame;
	int err;

	bytes_clear(frame);
	err = chunk_end(&m->q->made, frame);
	return err ? err : db_step(m->q, db_bind(m->q, CHUNK_PUT, "iiiiiiiib", m->known->inst, (__s64)m->tier,
						 (__s64)m->axis, m->first, (__s64)g->name.weight, g->name.ruler, g->key,
						 (__s64)whole, frame->data, frame->len));
}

/* --- one key --- */

/* Slots of tier 0 that so many of the tier's from this offset on are. */
static int lose(const struct move *m, const char *what, unsigned offset, unsigned n)
{
	__s64 per = tier_slots(m->known->slot_ns, m->tier), first = (m->first + offset) * per;

	found_damage(m->q, what, first);
	return add_damage(m->q, m->known->inst, first, first + n * per - 1);
}

/* The chunk that is there already, into q->old; without one, or with a damaged one, q->old is empty. */
static int load_chunk(const struct move *m, const struct group *g)
{
	sqlite3_stmt *stmt = bind_chunk(m, CHUNK_GET, g);
	int got = db_step(m->q, stmt), err = got < 0 ? got : 0;

	memset(m->q->old.slot, 0, sizeof(m->q->old.slot));
	if (got > 0) {
		err = chunk_decode(&m->q->old, sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0));
		sqlite3_reset(stmt);
	}
	return err == -EBADMSG ? lose(m, "chunk", 0, CHUNK_SLOTS) : err;
}

/* q->up goes into that slot of the next tier. */
static int raise_sum(const struct move *m, const struct group *g, __s64 slot)
{
	__s64 above = tier_slots(m->known->slot_ns, m->tier + 1);
	const struct place at = { m->known->inst, m->tier + 1, slot };
	struct sum *up = &m->q->up;
	struct slice s = g->name;
	int err = sum_end(up);

	s.hist = up->bytes.data;
	s.hist_len = (__u32)up->bytes.len;
	return err ? err : hot_add(m->q, &at, g->key, &s, slot * above, (slot + 1) * above - 1);
}

/* The sums of what was moved, one after the other: of the slots of one of the next tier's. */
struct rising {
	bool some;
	__s64 slot;			/* of the next tier */
};

static int risen(const struct move *m, const struct group *g, const struct rising *r)
{
	return r->some ? raise_sum(m, g, r->slot) : 0;
}

/* To be called before the slot at this offset is read: raising uses the same statements. */
static int rise_to(const struct move *m, const struct group *g, struct rising *r, unsigned offset)
{
	__s64 first = (m->first + offset) * tier_slots(m->known->slot_ns, m->tier), slot;
	int err = 0;

	if (m->tier + 1 == TIERS)
		return 0;
	slot = tier_divide(first, tier_slots(m->known->slot_ns, m->tier + 1));
	if (r->some && r->slot != slot) {
		err = risen(m, g, r);
		r->some = false;
	}
	r->slot = slot;
	return err;
}

static int rise(const struct move *m, const struct group *g, struct rising *r, const __u8 *hist, size_t len)
{
	int err = 0;

	if (m->tier + 1 == TIERS)
		return 0;
	if (!r->some)
		err = sum_begin(&m->q->up, g->name.ruler);
	r->some = true;
	return err ? err : sum_add(&m->q->up, hist, len);
}

/* One slot of a group: what its chunk has plus what its hot row has. */
static int move_slot(const struct move *m, const struct group *g, unsigned offset, struct rising *r)
{
	const struct place at = place_in(m, offset);
	const struct chunk_part *old = &m->q->old.slot[offset];
	struct sum *sum = &m->q->scratch;
	sqlite3_stmt *get;
	struct slice hot;
	int got, err = rise_to(m, g, r, offset);

	if (err)
		return err;
	get = bind_hot(m->q, HOT_GET, &at, g->key, &g->name);
	got = hot_get(m->q, get, &at, &g->name, &hot);
	err = got < 0 && got != -EBADMSG ? got : 0;
	m->q->moved[offset] = got != 0;
	if (got > 0 && old->hist_len) {
		err = sum_two(sum, g->name.ruler, old->hist, old->hist_len, hot.hist, hot.hist_len);
		if (!err)
			chunk_put(&m->q->made, offset, sum->bytes.data, sum->bytes.len);
	} else if (got > 0) {
		chunk_put(&m->q->made, offset, hot.hist, hot.hist_len);
	} else if (old->hist_len) {
		chunk_put(&m->q->made, offset, old->hist, old->hist_len);
	}
	if (got > 0 && !err)
		err = hist_decode_add(&m->q->total[offset], hot.ruler, hot.hist, hot.hist_len);
	if (got > 0 && !err)
		err = rise(m, g, r, hot.hist, hot.hist_len);
	sqlite3_reset(get);
	return !err && got == -EBADMSG ? lose(m, "row", offset, 1) : err;
}

static int drop_moved(const struct move *m, const struct group *g)
{
	int err = 0;

	for (unsigned i = 0; i < CHUNK_SLOTS && !err; i++) {
		const struct place at = place_in(m, i);

		if (m->q->moved[i])
			err = db_step(m->q, bind_hot(m->q, HOT_DROP, &at, g->key, &g->name));
	}
	return err;
}

static int move_group(const struct move *m, const struct group *g, bool whole)
{
	const struct chunk_name name = name_of(m, g);
	struct rising r = { false, 0 };
	int err = load_chunk(m, g);

	chunk_begin(&m->q->made, &name);
	for (unsigned i = 0; i < CHUNK_SLOTS && !err; i++)
		err = move_slot(m, g, i, &r);
	if (!err)
		err = put_chunk(m, g, whole);
	if (!err)
		err = risen(m, g, &r);
	return err ? err : drop_moved(m, g);
}

/* Its rows can not be told from one another any more. */
static int lose_group(const struct move *m, const struct group *g)
{
	int err = lose(m, "key", 0, CHUNK_SLOTS);

	memset(m->q->moved, 1, sizeof(m->q->moved));
	return err ? err : drop_moved(m, g);
}

/* With the label of its key, which the chunk carries. */
static int move_labelled(const struct move *m, struct group *g, bool whole)
{
	sqlite3_stmt *stmt = db_bind(m->q, KEY_LABEL, "ii", g->key, m->known->inst);
	int got = db_step(m->q, stmt);

	if (got > 0) {
		g->name.key.bytes = sqlite3_column_blob(stmt, 0);
		g->name.key.len = (__u16)sqlite3_column_bytes(stmt, 0);
		got = move_group(m, g, whole);
		sqlite3_reset(stmt);
	} else if (!got) {
		got = lose_group(m, g);
	}
	return got;
}

/* --- all keys together --- */

static int total_clear(struct sqlite *q, __u64 ruler)
{
	int err = 0;

	for (int i = 0; i < CHUNK_SLOTS && !err; i++) {
		struct hist *h = &q->total[i];

		if (h->cell && h->ruler == ruler) {
			if (h->count)
				hist_clear(h);
			continue;
		}
		hist_fini(h);
		err = hist_init(h, ruler);
	}
	return err;
}

static int total_add(struct sqlite *q, const struct chunk *c)
{
	int err = 0;

	for (int i = 0; i < CHUNK_SLOTS && !err; i++)
		if (c->slot[i].hist_len)
			err = hist_decode_add(&q->total[i], c->name.ruler, c->slot[i].hist, c->slot[i].hist_len);
	return err;
}

/* The chunk that holds all keys so far, into q->whole.  *ret_key: whose it is, 0: nobody's, -1: there is
 * none.  -EBADMSG: it is damaged. */
static int load_whole(const struct move *m, const struct group *g, __s64 *ret_key)
{
	sqlite3_stmt *stmt = bind_chunk(m, WHOLE_GET, g);
	int got = db_step(m->q, stmt), err = got < 0 ? got : 0;

	memset(m->q->whole.slot, 0, sizeof(m->q->whole.slot));
	*ret_key = got > 0 ? col(stmt, 0) : -1;
	if (got > 0)
		err = chunk_decode(&m->q->whole, sqlite3_column_blob(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1));
	sqlite3_reset(stmt);
	return err;
}

static struct group nobody_of(const struct group *g)
{
	return (struct group){ .key = 0, .name = { .axis = g->name.axis, .weight = g->name.weight, .ruler = g->name.ruler } };
}

/* What was moved goes up for nobody's key, too. */
static int raise_total(const struct move *m, const struct group *g)
{
	const struct group nobody = nobody_of(g);
	struct bytes *bytes = &m->q->bytes;
	struct rising r = { false, 0 };
	int err = 0;

	for (unsigned i = 0; i < CHUNK_SLOTS && m->tier + 1 < TIERS && !err; i++) {
		if (!m->q->total[i].count)
			continue;
		bytes_clear(bytes);
		hist_encode(&m->q->total[i], bytes);
		err = bytes->err ? bytes->err : rise_to(m, &nobody, &r, i);
		if (!err)
			err = rise(m, &nobody, &r, bytes->data, bytes->len);
	}
	return err ? err : risen(m, &nobody, &r);
}

static int put_total(const struct move *m, const struct group *g)
{
	const struct group nobody = nobody_of(g);
	const struct chunk_name name = name_of(m, &nobody);
	struct bytes *bytes = &m->q->bytes;
	int err = db_step(m->q, db_bind(m->q, WHOLE_CLEAR, "iiiiii", m->known->inst, (__s64)m->tier, (__s64)m->axis, m->first,
					(__s64)g->name.weight, g->name.ruler));

	chunk_begin(&m->q->made, &name);
	for (unsigned i = 0; i < CHUNK_SLOTS && !err; i++) {
		if (!m->q->total[i].count)
			continue;
		bytes_clear(bytes);
		hist_encode(&m->q->total[i], bytes);
		err = bytes->err;
		chunk_put(&m->q->made, i, bytes->data, bytes->len);
	}
	return err ? err : put_chunk(m, &nobody, true);
}

/* From the keys' chunks anew. */
static int rebuild_total(const struct move *m, const struct group *g)
{
	sqlite3_stmt *stmt = bind_chunk(m, FAMILY_EACH, g);
	int got, err = total_clear(m->q, g->name.ruler);

	found_damage(m->q, "chunk", m->first * tier_slots(m->known->slot_ns, m->tier));
	while (!err && (got = db_step(m->q, stmt)) > 0) {
		struct group one = *g;

		one.key = col(stmt, 0);
		err = chunk_decode(&m->q->whole, sqlite3_column_blob(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1));
		if (!err)
			err = total_add(m->q, &m->q->whole);
		else if (err == -EBADMSG)
			err = lose(m, "chunk", 0, CHUNK_SLOTS) ?: db_step(m->q, bind_chunk(m, CHUNK_DROP, &one));
	}
	sqlite3_reset(stmt);
	return err ? err : got < 0 ? got : put_total(m, g);
}

/* Hot rows of nobody's key hold what those of the keys did. */
static int drop_total(const struct move *m, const struct group *g)
{
	const struct group nobody = nobody_of(g);

	memset(m->q->moved, 1, sizeof(m->q->moved));
	return m->tier ? drop_moved(m, &nobody) : 0;
}

/* The groups of one weight and ruler.  While there is one key only, its chunk is the whole; with a
 * second one the whole becomes a chunk of its own. */
static int move_family(const struct move *m, struct group *g, size_t n)
{
	__s64 owner;
	int err = load_whole(m, g, &owner);
	bool damaged = err == -EBADMSG, single = n == 1 && (owner < 0 || (owner && owner == g->key));

	if (!err || damaged)
		err = total_clear(m->q, g->name.ruler);
	for (size_t i = 0; i < n && !err; i++)
		err = move_labelled(m, &g[i], single);
	if (!err)
		err = raise_total(m, g);
	if (!err)
		err = drop_total(m, g);
	if (err || (single && !damaged))
		return err;
	if (damaged)
		return rebuild_total(m, g);
	err = total_add(m->q, &m->q->whole);
	return err ? err : put_total(m, g);
}

static int move_block(const struct move *m)
{
	struct group *group;
	size_t n, len;
	int err = list_groups(m, &group, &n);

	for (size_t i = 0; i < n && !err; i += len) {
		for (len = 1; i + len < n && group[i + len].name.weight == group[i].name.weight &&
			      group[i + len].name.ruler == group[i].name.ruler;)
			len++;
		err = move_family(m, &group[i], len);
	}
	free(group);
	return err;
}

static int move_axis(struct sqlite *q, const struct known *k, int tier, int axis, __s64 before)
{
	__s64 oldest = INT64_MIN;
	int got;

	while ((got = db_fetch(q, db_bind(q, HOT_OLDEST, "iiii", k->inst, (__s64)tier, (__s64)axis, oldest), &oldest)) > 0) {
		const struct move m = { q, k, tier, axis, chunk_first(oldest) };
		int err;

		if (m.first >= before)
			return 0;
		err = move_block(&m);
		if (err)
			return err;
		oldest = m.first + CHUNK_SLOTS;
	}
	return got;
}

int compact_tier(struct sqlite *q, const struct known *k, int tier, __s64 before)
{
	int err = 0;

	for (int axis = 0; axis < MEASURES_MAX && !err; axis++)
		err = move_axis(q, k, tier, axis, before);
	return err;
}

/* The finer ones first: what they add up is chunked at once where its block is over. */
static int compact(struct sqlite *q, __u64 inst, __s64 slot)
{
	struct known known;
	int err = db_known(q, inst, &known);

	for (int tier = 0; tier < TIERS && !err && known.slot_ns; tier++)
		err = compact_tier(q, &known, tier, tier_divide(slot, tier_slots(known.slot_ns, tier)) - CHUNK_SLOTS + 1);
	return err;
}

int sqlite_compact(struct store *s, __u64 inst, __s64 slot)
{
	struct sqlite *q = sqlite_of(s);
	int err = db_begin(q);

	return err ? err : db_end(q, compact(q, inst, slot));
}
