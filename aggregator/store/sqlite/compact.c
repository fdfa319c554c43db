#include "aggregator/store/sqlite/sqlite.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdint.h>

struct move {
	struct sqlite *q;
	const struct known *known;
	int tier, axis;
	__s64 first;			/* slot of the tier */
};

struct row {				/* a copy of a hot row of the block */
	__s64 key;
	__u64 ruler;
	__u16 weight, offset, label_len;
	__u32 hist_len;
	size_t at;			/* position of its label in `bytes`; its histogram follows */
};

struct block {
	size_t n, room;
	struct row *row;		/* by weight, ruler, key, offset */
	struct bytes bytes;
};

struct group {				/* the part of a block that makes one chunk */
	__s64 key;
	struct slice name;		/* ruler, axis, weight, and its label */
	const struct block *block;
	const struct row *row;
	size_t n_rows;
};

/* Files a loss in the slots of tier 0 that are n of the tier's slots, from this offset on. */
static int lose_slots(const struct move *m, const char *what, unsigned offset, unsigned n)
{
	__s64 per = tier_slots(m->known->slot_ns, m->tier), first = (m->first + offset) * per;

	found_damage(m->q, what, first);
	return add_damage(m->q, m->known->inst, first, first + n * per - 1);
}

/* --- the block's hot rows --- */

static int by_group(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	if (x->ruler != y->ruler)
		return x->ruler < y->ruler ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (int)x->offset - (int)y->offset;
}

static int take_row(const struct move *m, struct block *b, sqlite3_stmt *stmt)
{
	const struct place at = { m->known->inst, m->tier, col(stmt, 1) };
	const struct slice s = {
		.axis = (__u16)m->axis, .weight = (__u16)col(stmt, 2), .ruler = (__u64)col(stmt, 3),
		.key = { sqlite3_column_blob(stmt, 4), (__u16)sqlite3_column_bytes(stmt, 4) },
		.hist = sqlite3_column_blob(stmt, 5), .hist_len = (__u32)sqlite3_column_bytes(stmt, 5),
	};
	const struct row row = { .key = col(stmt, 0), .ruler = s.ruler, .weight = s.weight, .hist_len = s.hist_len,
				 .offset = (__u16)(at.slot - m->first), .label_len = s.key.len, .at = b->bytes.len };
	int err = array_grow(&b->row, b->n, &b->room, sizeof(row));

	if (err || !row.key)		/* key 0: the rows of its keys are here, too */
		return err;
	if (col(stmt, 6) != slice_crc(&at, &s))
		return lose_slots(m, "row", row.offset, 1);
	bytes_put(&b->bytes, s.key.bytes, s.key.len);
	bytes_put(&b->bytes, s.hist, s.hist_len);
	b->row[b->n++] = row;
	return b->bytes.err;
}

static int take_rows(const struct move *m, struct block *b)
{
	sqlite3_stmt *stmt = db_bind(m->q, HOT_READ, "iiiiiii", m->known->inst, (__s64)m->tier, (__s64)m->axis, m->first,
				     m->first + CHUNK_SLOTS - 1, (__s64)0, (__s64)MEASURES_MAX);
	int got, err = 0;

	while (!err && (got = db_step(m->q, stmt)) > 0)
		err = take_row(m, b, stmt);
	sqlite3_reset(stmt);
	if (!err && b->n)
		qsort(b->row, b->n, sizeof(*b->row), by_group);
	return err ? err : got;
}

static int drop_rows(const struct move *m)
{
	return db_step(m->q, db_bind(m->q, HOT_DROP, "iiiii", m->known->inst, (__s64)m->tier, (__s64)m->axis, m->first,
				     m->first + CHUNK_SLOTS - 1));
}

static struct group group_at(const struct move *m, const struct block *b, size_t at)
{
	const struct row *r = &b->row[at];
	struct group g = { .key = r->key, .block = b, .row = r,
			   .name = { .axis = (__u16)m->axis, .weight = r->weight, .ruler = r->ruler,
				     .key = { b->bytes.data + r->at, r->label_len } } };

	while (at + g.n_rows < b->n && r[g.n_rows].key == r->key && r[g.n_rows].ruler == r->ruler &&
	       r[g.n_rows].weight == r->weight)
		g.n_rows++;
	return g;
}

/* Binds CHUNK_GET and CHUNK_DROP, or WHOLE_GET and FAMILY_EACH, which have no key. */
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

/* Makes a chunk of the slots in q->made. */
static int put_chunk(const struct move *m, const struct group *g, bool whole)
{
	struct bytes *frame = &m->q->frame;
	int err;

	chunk_cache_forget(&m->q->chunk_cache, &(struct chunk_cache_name){ .inst = m->known->inst, .ruler = g->name.ruler, .slot = m->first, .key = g->key,
						      .tier = (__u32)m->tier, .axis = (__u32)m->axis, .weight = g->name.weight });
	bytes_clear(frame);
	err = chunk_end(&m->q->made, frame);
	return err ? err : db_step(m->q, db_bind(m->q, CHUNK_PUT, "iiiiiiiib", m->known->inst, (__s64)m->tier,
						 (__s64)m->axis, m->first, (__s64)g->name.weight, g->name.ruler, g->key,
						 (__s64)whole, frame->data, frame->len));
}

/* --- one key --- */

/* Loads the existing chunk into q->old; if there is none, or it is damaged, q->old is empty. */
static int load_chunk(const struct move *m, const struct group *g)
{
	sqlite3_stmt *stmt = bind_chunk(m, CHUNK_GET, g);
	int got = db_step(m->q, stmt), err = got < 0 ? got : 0;

	memset(m->q->old.slot, 0, sizeof(m->q->old.slot));
	if (got > 0) {
		err = chunk_decode(&m->q->old, sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0));
		sqlite3_reset(stmt);
	}
	return err == -EBADMSG ? lose_slots(m, "chunk", 0, CHUNK_SLOTS) : err;
}

/* Adds q->up to that slot of the next tier. */
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

/* Sums up moved slots, one slot of the next tier after the other. */
struct rising {
	bool some;
	__s64 slot;			/* of the next tier */
};

static int write_rising(const struct move *m, const struct group *g, const struct rising *r)
{
	return r->some ? raise_sum(m, g, r->slot) : 0;
}

static int rise_to(const struct move *m, const struct group *g, struct rising *r, unsigned offset)
{
	__s64 first = (m->first + offset) * tier_slots(m->known->slot_ns, m->tier), slot;
	int err = 0;

	if (m->tier + 1 == TIERS)
		return 0;
	slot = tier_divide(first, tier_slots(m->known->slot_ns, m->tier + 1));
	if (r->some && r->slot != slot) {
		err = write_rising(m, g, r);
		r->some = false;
	}
	r->slot = slot;
	return err;
}

static int add_to_rising(const struct move *m, const struct group *g, struct rising *r, const __u8 *hist, size_t len)
{
	int err = 0;

	if (m->tier + 1 == TIERS)
		return 0;
	if (!r->some)
		err = sum_begin(&m->q->up, g->name.ruler);
	r->some = true;
	return err ? err : sum_add(&m->q->up, hist, len);
}

/* Adds a slot of the chunk and a hot row; row NULL: there is no hot row. */
static int move_slot(const struct move *m, const struct group *g, unsigned offset, const struct row *row, struct rising *r)
{
	const struct chunk_part *old = &m->q->old.slot[offset];
	const __u8 *hist = row ? g->block->bytes.data + row->at + row->label_len : NULL;
	struct sum *sum = &m->q->scratch;
	int err;

	if (!row) {
		if (old->hist_len)
			chunk_put(&m->q->made, offset, old->hist, old->hist_len);
		return 0;
	}
	err = old->hist_len ? sum_two(sum, g->name.ruler, old->hist, old->hist_len, hist, row->hist_len) : 0;
	if (!err && old->hist_len)
		chunk_put(&m->q->made, offset, sum->bytes.data, sum->bytes.len);
	else if (!err)
		chunk_put(&m->q->made, offset, hist, row->hist_len);
	if (!err)
		err = hist_decode_add(&m->q->total[offset], g->name.ruler, hist, row->hist_len);
	if (!err)
		err = rise_to(m, g, r, offset);
	return err ? err : add_to_rising(m, g, r, hist, row->hist_len);
}

static int move_group(const struct move *m, const struct group *g, bool whole)
{
	const struct chunk_name name = name_of(m, g);
	struct rising r = { false, 0 };
	size_t next = 0;
	int err = load_chunk(m, g);

	chunk_begin(&m->q->made, &name);
	for (unsigned i = 0; i < CHUNK_SLOTS && !err; i++) {
		bool here = next < g->n_rows && g->row[next].offset == i;

		err = move_slot(m, g, i, here ? &g->row[next] : NULL, &r);
		next += here;
	}
	if (!err)
		err = put_chunk(m, g, whole);
	return err ? err : write_rising(m, g, &r);
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

/* Loads the chunk that holds all keys so far into q->whole.  *ret_key: its key, 0: no key, -1: there is
 * no such chunk.  -EBADMSG: it is damaged. */
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

static struct group total_of(const struct group *g)
{
	return (struct group){ .key = 0, .name = { .axis = g->name.axis, .weight = g->name.weight, .ruler = g->name.ruler } };
}

/* Adds what was moved to the next tier for key 0, too. */
static int raise_total(const struct move *m, const struct group *g)
{
	const struct group total = total_of(g);
	struct bytes *bytes = &m->q->bytes;
	struct rising r = { false, 0 };
	int err = 0;

	for (unsigned i = 0; i < CHUNK_SLOTS && m->tier + 1 < TIERS && !err; i++) {
		if (!m->q->total[i].count)
			continue;
		bytes_clear(bytes);
		hist_encode(&m->q->total[i], bytes);
		err = bytes->err ? bytes->err : rise_to(m, &total, &r, i);
		if (!err)
			err = add_to_rising(m, &total, &r, bytes->data, bytes->len);
	}
	return err ? err : write_rising(m, &total, &r);
}

static int put_total(const struct move *m, const struct group *g)
{
	const struct group total = total_of(g);
	const struct chunk_name name = name_of(m, &total);
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
	return err ? err : put_chunk(m, &total, true);
}

/* Makes it again from the chunks of the keys. */
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
			err = lose_slots(m, "chunk", 0, CHUNK_SLOTS) ?: db_step(m->q, bind_chunk(m, CHUNK_DROP, &one));
	}
	sqlite3_reset(stmt);
	return err ? err : got < 0 ? got : put_total(m, g);
}

/* Moves the groups of one weight and ruler, from row `at` on.  While there is only one key, its chunk is the
 * whole; with a second key the whole becomes a chunk of its own. */
static int move_family(const struct move *m, const struct block *b, size_t *at)
{
	struct group g = group_at(m, b, *at);
	const struct group first = g;
	__s64 owner;
	int err = load_whole(m, &g, &owner);
	bool damaged = err == -EBADMSG, single = owner < 0 || (owner && owner == g.key);

	*at += g.n_rows;
	single = single && (*at == b->n || b->row[*at].weight != g.name.weight || b->row[*at].ruler != g.name.ruler);
	if (!err || damaged)
		err = total_clear(m->q, g.name.ruler);
	if (!err)
		err = move_group(m, &g, single);
	while (!err && *at < b->n && b->row[*at].weight == g.name.weight && b->row[*at].ruler == g.name.ruler) {
		g = group_at(m, b, *at);
		*at += g.n_rows;
		err = move_group(m, &g, false);
	}
	if (!err)
		err = raise_total(m, &first);
	if (err || (single && !damaged))
		return err;
	if (damaged)
		return rebuild_total(m, &first);
	err = total_add(m->q, &m->q->whole);
	return err ? err : put_total(m, &first);
}

static int move_rows(const struct move *m)
{
	struct block b = { 0 };
	size_t at = 0;
	int err = take_rows(m, &b);

	if (!err)
		err = drop_rows(m);	/* first: the chunk is smaller and fits in the rows' pages if the file may not
					 * grow */
	while (!err && at < b.n)
		err = move_family(m, &b, &at);
	free(b.row);
	bytes_fini(&b.bytes);
	return err;
}

/* Moves a block in a transaction of its own, unless one has begun: the data are complete before and after. */
static int move_block(const struct move *m)
{
	bool alone = sqlite3_get_autocommit(m->q->db);
	int err = alone ? db_begin(m->q) : 0;

	if (err)
		return err;
	err = move_rows(m);
	return alone ? db_end(m->q, err) : err;
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

/* Finer tiers first: their sums are chunked at once if the block of the next tier is over. */
static int compact_tiers(struct sqlite *q, __u64 inst, __s64 slot)
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
	int err = db_limit_pages(q, true) ?: compact_tiers(q, inst, slot);

	while (err == -ENOSPC && q->max_pages && !db_make_room(q))
		err = db_limit_pages(q, true) ?: compact_tiers(q, inst, slot);
	return err ? err : db_limit_pages(q, false);
}
