#include "store_sqlite.h"

#include "array.h"

#include <stdint.h>

/* --- hot rows into chunks --- */

struct group {				/* what makes a chunk of its own within sixty slots */
	__s64 key;
	struct slice name;		/* ruler, axis, weight */
};

struct move {
	struct sqlite *q;
	__u64 inst;
	__s64 first;			/* slot */
};

/* The groups that have hot rows in these sixty slots. */
static int list_groups(const struct move *m, struct group **ret_group, size_t *ret_n)
{
	sqlite3_stmt *stmt = db_bind(m->q, HOT_GROUPS, "iii", m->inst, m->first, m->first + CHUNK_SLOTS - 1);
	size_t room = 0;
	int got;

	*ret_group = NULL;
	*ret_n = 0;
	while ((got = db_step(m->q, stmt)) > 0) {
		const struct slice name = {
			.axis = (__u16)col(stmt, 1), .weight = (__u16)col(stmt, 2), .ruler = (__u64)col(stmt, 3),
		};

		if (array_grow(ret_group, *ret_n, &room, sizeof(**ret_group))) {
			sqlite3_reset(stmt);
			return -ENOMEM;
		}
		(*ret_group)[(*ret_n)++] = (struct group){ col(stmt, 0), name };
	}
	return got;
}

static sqlite3_stmt *bind_chunk(const struct move *m, enum sql which, const struct group *g)
{
	const struct bytes *data = &m->q->frame;
	const struct slice *n = &g->name;

	if (which == CHUNK_GET)
		return db_bind(m->q, which, "iiiiii", m->inst, (__s64)n->axis, m->first, (__s64)n->weight, g->key,
			       n->ruler);
	return db_bind(m->q, which, "iiiiiib", m->inst, (__s64)n->axis, m->first, (__s64)n->weight, g->key, n->ruler,
		       data->data, data->len);
}

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

/* One slot of a group: what its chunk has plus what its hot row has.  1: there was a hot row. */
static int move_slot(const struct move *m, const struct group *g, unsigned offset)
{
	sqlite3_stmt *get = bind_hot(m->q, HOT_GET, m->inst, m->first + offset, g->key, &g->name);
	const struct chunk_part *old = &m->q->old.slot[offset];
	struct sum *sum = &m->q->scratch;
	struct slice hot;
	int got = hot_get(m->q, get, m->inst, m->first + offset, &g->name, &hot);

	if (got > 0 && old->hist_len) {
		int err = sum_two(sum, g->name.ruler, old->hist, old->hist_len, hot.hist, hot.hist_len);

		if (err)
			got = err;
		else
			chunk_put(&m->q->made, offset, sum->bytes.data, sum->bytes.len);
	} else if (got > 0) {
		chunk_put(&m->q->made, offset, hot.hist, hot.hist_len);
	}
	if (got <= 0 && old->hist_len)
		chunk_put(&m->q->made, offset, old->hist, old->hist_len);
	sqlite3_reset(get);
	return got;
}

static int drop_moved(const struct move *m, const struct group *g, __u64 moved)
{
	int err = 0;

	for (unsigned i = 0; i < CHUNK_SLOTS && !err; i++)
		if (moved >> i & 1)
			err = db_step(m->q, bind_hot(m->q, HOT_DROP, m->inst, m->first + i, g->key, &g->name));
	return err;
}

/* What is damaged stays where it is, so that reading goes on to tell of it; a good hot row beside
 * a damaged chunk stays a hot row. */
static int move_group(const struct move *m, struct group *g)
{
	struct chunk_name name = {
		.inst = m->inst, .first = m->first, .ruler = g->name.ruler, .axis = g->name.axis,
		.weight = g->name.weight, .key = g->name.key,
	};
	__u64 moved = 0;
	int err = load_chunk(m, g);

	if (err == -EBADMSG) {
		found_damage(m->q, "chunk", m->first);
		return 0;
	}
	chunk_begin(&m->q->made, &name);
	for (unsigned i = 0; i < CHUNK_SLOTS && !err; i++) {
		int got = move_slot(m, g, i);

		if (got == -EBADMSG)
			found_damage(m->q, "row", m->first + i);
		else if (got < 0)
			err = got;
		else if (got)
			moved |= 1ULL << i;
	}
	if (err || !moved)
		return err;
	bytes_clear(&m->q->frame);
	err = chunk_end(&m->q->made, &m->q->frame);
	if (!err)
		err = db_step(m->q, bind_chunk(m, CHUNK_PUT, g));
	return err ? err : drop_moved(m, g, moved);
}

/* With the label of its key, which the chunk carries.  Without one its rows are damaged. */
static int move_labelled(const struct move *m, struct group *g)
{
	sqlite3_stmt *stmt = db_bind(m->q, KEY_LABEL, "ii", g->key, m->inst);
	int got = db_step(m->q, stmt);

	if (got > 0) {
		g->name.key.bytes = sqlite3_column_blob(stmt, 0);
		g->name.key.len = (__u16)sqlite3_column_bytes(stmt, 0);
		got = move_group(m, g);
		sqlite3_reset(stmt);
	}
	return got;
}

static int move_sixty(const struct move *m)
{
	struct group *group;
	size_t n;
	int err = list_groups(m, &group, &n);

	for (size_t i = 0; i < n && !err; i++)
		err = move_labelled(m, &group[i]);
	free(group);
	return err;
}

static int move_all(struct sqlite *q, __u64 inst, __s64 before)
{
	__s64 oldest = INT64_MIN;
	int got;

	while ((got = db_fetch(q, db_bind(q, HOT_OLDEST, "ii", inst, oldest), &oldest)) > 0) {
		const struct move m = { q, inst, chunk_first(oldest) };
		int err;

		if (m.first > before - CHUNK_SLOTS)
			return 0;
		err = move_sixty(&m);
		if (err)
			return err;
		oldest = m.first + CHUNK_SLOTS;
	}
	return got;
}

int sqlite_compact(struct store *s, __u64 inst, __s64 slot)
{
	struct sqlite *q = sqlite_of(s);
	int err = db_begin(q);

	return err ? err : db_end(q, move_all(q, inst, slot));
}

/* --- forgetting --- */

static int forget(struct sqlite *q, enum sql first, enum sql last, __u64 inst, __s64 slot)
{
	int err = 0;

	for (int which = first; which <= (int)last && !err; which++)
		err = db_step(q, db_bind(q, which, "ii", inst, slot));
	return err;
}

static int expire(struct sqlite *q, __u64 inst, __s64 slot)
{
	__s64 oldest;
	int err = db_horizon(q, inst, &oldest);

	if (err || slot <= oldest)
		return err;
	err = db_step(q, db_bind(q, HORIZON_PUT, "ii", inst, slot));
	for (__s64 axis = 0; axis < MEASURES_MAX && !err; axis++)
		err = db_step(q, db_bind(q, CHUNK_EXPIRE, "iii", inst, axis, slot - CHUNK_SLOTS));
	return err ? err : forget(q, EXPIRE_FIRST, EXPIRE_LAST, inst, slot);
}

int sqlite_expire(struct store *s, __u64 inst, __s64 slot)
{
	struct sqlite *q = sqlite_of(s);
	int err = db_begin(q);

	return err ? err : db_end(q, expire(q, inst, slot));
}

int sqlite_inst_delete(struct store *s, __u64 inst)
{
	struct sqlite *q = sqlite_of(s);
	int err = db_begin(q);

	if (err)
		return err;
	for (int which = DELETE_FIRST; which <= DELETE_LAST && !err; which++)
		err = db_step(q, db_bind(q, which, "i", inst));
	if (!err)
		err = db_step(q, q->stmt[SOURCES_UNUSED]);
	return db_end(q, err);
}
