#include "store_sqlite.h"

#include "array.h"

#include <stdint.h>

struct group {				/* what makes a chunk of its own within sixty slots */
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

/* The groups that have hot rows in these sixty slots, by weight, ruler and key. */
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

/* Binds CHUNK_GET and WHOLE_CLEAR, or WHOLE_GET, which is of no key in particular. */
static sqlite3_stmt *bind_chunk(const struct move *m, enum sql which, const struct group *g)
{
	return db_bind(m->q, which, which == WHOLE_GET ? "iiiiii" : "iiiiiii", m->known->inst, (__s64)m->tier,
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

/* The chunk that is there already, into q->old; without one, q->old is empty. */
static int load_chunk(const struct move *m, const struct group *g)
{
	sqlite3_stmt *stmt = bind_chunk(m, CHUNK_GET, g);
	int got = db_step(m->q, stmt);

	memset(m->q->old.slot, 0, sizeof(m->q->old.slot));
	if (got > 0) {
		got = chunk_decode(&m->q->old, sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0));
		sqlite3_reset(stmt);
	}
	return got;
}

/* A hot row's histogram is added to the key's next tier and, if there is one, to the total. */
static int add_up(const struct move *m, unsigned offset, const struct slice *hot, bool total)
{
	int err = m->tier + 1 < TIERS ? sum_add(&m->q->up, hot->hist, hot->hist_len) : 0;

	if (!err && total)
		err = hist_decode_add(&m->q->total[offset], hot->ruler, hot->hist, hot->hist_len);
	return err;
}

/* One slot of a group: what its chunk has plus what its hot row has.  1: there was a hot row. */
static int move_slot(const struct move *m, const struct group *g, unsigned offset, bool total)
{
	const struct place at = place_in(m, offset);
	sqlite3_stmt *get = bind_hot(m->q, HOT_GET, &at, g->key, &g->name);
	const struct chunk_part *old = &m->q->old.slot[offset];
	struct sum *sum = &m->q->scratch;
	struct slice hot;
	int got = hot_get(m->q, get, &at, &g->name, &hot), err = 0;

	if (got > 0 && old->hist_len) {
		err = sum_two(sum, g->name.ruler, old->hist, old->hist_len, hot.hist, hot.hist_len);
		if (!err)
			chunk_put(&m->q->made, offset, sum->bytes.data, sum->bytes.len);
	} else if (got > 0) {
		chunk_put(&m->q->made, offset, hot.hist, hot.hist_len);
	}
	if (got > 0 && !err)
		err = add_up(m, offset, &hot, total);
	if (got <= 0 && old->hist_len)
		chunk_put(&m->q->made, offset, old->hist, old->hist_len);
	sqlite3_reset(get);
	return err ? err : got;
}

static int drop_moved(const struct move *m, const struct group *g, __u64 moved)
{
	int err = 0;

	for (unsigned i = 0; i < CHUNK_SLOTS && !err; i++) {
		const struct place at = place_in(m, i);

		if (moved >> i & 1)
			err = db_step(m->q, bind_hot(m->q, HOT_DROP, &at, g->key, &g->name));
	}
	return err;
}

/* The sum of what was moved goes into the slot of the next tier that these sixty lie in. */
static int raise_sum(const struct move *m, const struct group *g)
{
	__s64 per = tier_slots(m->known->slot_ns, m->tier), first = m->first * per;
	__s64 above = m->tier + 1 < TIERS ? tier_slots(m->known->slot_ns, m->tier + 1) : 0;
	struct sum *up = &m->q->up;
	struct slice s = g->name;
	struct place at = { m->known->inst, m->tier + 1, 0 };
	int err = above ? sum_end(up) : 0;

	if (err || !above)
		return err;
	at.slot = tier_divide(first, above);
	s.hist = up->bytes.data;
	s.hist_len = (__u32)up->bytes.len;
	return hot_add(m->q, &at, g->key, &s, at.slot * above, (at.slot + 1) * above - 1);
}

/* What is damaged stays where it is, so that reading goes on to tell of it; a good hot row beside
 * a damaged chunk stays a hot row. */
static int move_group(const struct move *m, const struct group *g, bool whole)
{
	const struct chunk_name name = name_of(m, g);
	__u64 moved = 0;
	int err = load_chunk(m, g);

	if (err == -EBADMSG) {
		found_damage(m->q, "chunk", m->first * tier_slots(m->known->slot_ns, m->tier));
		return 0;
	}
	if (!err)
		err = sum_begin(&m->q->up, g->name.ruler);
	chunk_begin(&m->q->made, &name);
	for (unsigned i = 0; i < CHUNK_SLOTS && !err; i++) {
		int got = move_slot(m, g, i, !whole);

		if (got == -EBADMSG)
			found_damage(m->q, "row", (m->first + i) * tier_slots(m->known->slot_ns, m->tier));
		else if (got < 0)
			err = got;
		else if (got)
			moved |= 1ULL << i;
	}
	if (err || !moved)
		return err;
	err = put_chunk(m, g, whole);
	if (!err)
		err = raise_sum(m, g);
	return err ? err : drop_moved(m, g, moved);
}

/* With the label of its key, which the chunk carries.  Without one its rows are damaged. */
static int move_labelled(const struct move *m, struct group *g, bool whole)
{
	sqlite3_stmt *stmt = db_bind(m->q, KEY_LABEL, "ii", g->key, m->known->inst);
	int got = db_step(m->q, stmt);

	if (got > 0) {
		g->name.key.bytes = sqlite3_column_blob(stmt, 0);
		g->name.key.len = (__u16)sqlite3_column_bytes(stmt, 0);
		got = move_group(m, g, whole);
		sqlite3_reset(stmt);
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

/* The chunk that holds all keys so far, into the total.  *ret_key: whose it is, 0: nobody's, -1: there
 * is none. */
static int total_begin(const struct move *m, const struct group *g, __s64 *ret_key)
{
	sqlite3_stmt *stmt = bind_chunk(m, WHOLE_GET, g);
	struct chunk *old = &m->q->old;
	int got = db_step(m->q, stmt), err = got < 0 ? got : total_clear(m->q, g->name.ruler);

	*ret_key = got > 0 ? col(stmt, 0) : -1;
	if (got > 0 && !err)
		err = chunk_decode(old, sqlite3_column_blob(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1));
	for (int i = 0; got > 0 && i < CHUNK_SLOTS && !err; i++)
		if (old->slot[i].hist_len)
			err = hist_decode_add(&m->q->total[i], g->name.ruler, old->slot[i].hist, old->slot[i].hist_len);
	sqlite3_reset(stmt);
	return err;
}

static int total_end(const struct move *m, const struct group *g)
{
	const struct group nobody = { .key = 0, .name = { .axis = g->name.axis, .weight = g->name.weight,
							  .ruler = g->name.ruler } };
	const struct chunk_name name = name_of(m, &nobody);
	struct bytes *bytes = &m->q->bytes;

	chunk_begin(&m->q->made, &name);
	for (unsigned i = 0; i < CHUNK_SLOTS; i++) {
		if (!m->q->total[i].count)
			continue;
		bytes_clear(bytes);
		hist_encode(&m->q->total[i], bytes);
		if (bytes->err)
			return bytes->err;
		chunk_put(&m->q->made, i, bytes->data, bytes->len);
	}
	return put_chunk(m, &nobody, true);
}

/* The groups of one weight and ruler.  While there is one key only, its chunk is the whole; with a
 * second one the whole becomes a chunk of its own.  A whole that is damaged stays as it is, and tells. */
static int move_family(const struct move *m, struct group *g, size_t n)
{
	struct group owner = *g;
	int err = total_begin(m, g, &owner.key);
	bool damaged = err == -EBADMSG;
	bool single = n == 1 && (owner.key < 0 || (owner.key && owner.key == g->key));

	if (damaged) {
		found_damage(m->q, "chunk", m->first * tier_slots(m->known->slot_ns, m->tier));
		err = total_clear(m->q, g->name.ruler);
	}
	for (size_t i = 0; i < n && !err; i++)
		err = move_labelled(m, &g[i], single);
	if (err || single || damaged)
		return err;
	if (owner.key > 0)
		err = db_step(m->q, bind_chunk(m, WHOLE_CLEAR, &owner));
	return err ? err : total_end(m, g);
}

static int move_sixty(const struct move *m)
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
		err = move_sixty(&m);
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

/* The finer ones first: what they add up is chunked at once where its sixty are over. */
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
