#include "aggregator/store/sqlite/sqlite.h"

#include "aggregator/store/observation.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sqlite *sqlite_of(struct store *s)
{
	s->reason[0] = 0;
	return (struct sqlite *)s;
}

/* --- adding --- */

static int row_id(struct sqlite *q, sqlite3_stmt *get, sqlite3_stmt *add, __s64 *ret_id)
{
	int got = db_fetch(q, get, ret_id);

	if (got)
		return got < 0 ? got : 0;
	got = db_step(q, add);
	if (!got)
		*ret_id = sqlite3_last_insert_rowid(q->db);
	return got;
}

static int source_id(struct sqlite *q, const char *name, __s64 *ret_id)
{
	return row_id(q, db_bind(q, SOURCE_GET, "t", name), db_bind(q, SOURCE_ADD, "t", name), ret_id);
}

static int key_id(struct sqlite *q, __u64 inst, const struct labels *key, __s64 *ret_id)
{
	return row_id(q, db_bind(q, KEY_GET, "ib", inst, key->bytes, (size_t)key->len),
		      db_bind(q, KEY_ADD, "ib", inst, key->bytes, (size_t)key->len), ret_id);
}

sqlite3_stmt *bind_hot(struct sqlite *q, enum sql which, const struct place *at, __s64 key, const struct slice *s)
{
	if (which == HOT_GET)
		return db_bind(q, which, "iiiiiii", at->inst, (__s64)at->tier, (__s64)s->axis, at->slot, key,
			       (__s64)s->weight, s->ruler);
	return db_bind(q, which, "iiiiiiibi", at->inst, (__s64)at->tier, (__s64)s->axis, at->slot, key, (__s64)s->weight,
		       s->ruler, s->hist, (size_t)s->hist_len, slice_crc(at, s));
}

int hot_get(struct sqlite *q, sqlite3_stmt *stmt, const struct place *at, const struct slice *name, struct slice *ret)
{
	int got = db_step(q, stmt);

	if (got <= 0)
		return got;
	*ret = *name;
	ret->hist = sqlite3_column_blob(stmt, 0);
	ret->hist_len = (__u32)sqlite3_column_bytes(stmt, 0);
	return col(stmt, 1) == slice_crc(at, ret) ? 1 : -EBADMSG;
}

int add_loss(struct sqlite *q, __u64 inst, const char *source, __s64 source_id, const struct loss *l)
{
	return db_step(q, db_bind(q, LOSS_ADD, "iiiiiii", inst, l->last, l->first, source_id, l->n, l->sum,
				  loss_crc(inst, source, l)));
}

int add_damage(struct sqlite *q, __u64 inst, __s64 first, __s64 last)
{
	return add_loss(q, inst, "", 0, &(struct loss){ .n = 1, .first = first, .last = last });
}

/* Adds to an existing row. */
static int amend_row(struct sqlite *q, const struct place *at, __s64 key, const struct slice *s, __s64 first, __s64 last)
{
	sqlite3_stmt *get = bind_hot(q, HOT_GET, at, key, s);
	struct slice old, sum = *s;
	int err = hot_get(q, get, at, s, &old);

	if (err > 0)
		err = sum_two(&q->scratch, s->ruler, old.hist, old.hist_len, s->hist, s->hist_len);
	sqlite3_reset(get);
	if (!err) {
		sum.hist = q->scratch.bytes.data;
		sum.hist_len = (__u32)q->scratch.bytes.len;
	} else if (err == -EBADMSG) {
		found_damage(q, "row", first);
		err = add_damage(q, at->inst, first, last);
	}
	return err ? err : db_step(q, bind_hot(q, HOT_PUT, at, key, &sum));
}

int hot_add(struct sqlite *q, const struct place *at, __s64 key, const struct slice *s, __s64 first, __s64 last)
{
	int err = db_step(q, bind_hot(q, HOT_ADD, at, key, s));

	if (!err && !sqlite3_changes(q->db))
		err = amend_row(q, at, key, s, first, last);
	return err;
}

static int add_slices(struct sqlite *q, const struct batch *b)
{
	const struct place at = { b->inst, 0, b->slot };
	const struct labels *known = NULL;	/* slices of one key usually follow each other */
	__s64 key = 0;
	int err = 0;

	for (size_t i = 0; i < b->n_slices && !err; i++) {
		if (!known || labels_compare(known, &b->slice[i].key))
			err = key_id(q, b->inst, &b->slice[i].key, &key);
		known = &b->slice[i].key;
		if (!err)
			err = hot_add(q, &at, key, &b->slice[i], b->slot, b->slot);
	}
	return err;
}

/* Widens first..last by the intervals that overlap or touch it.  Intervals of thinned coverage
 * (see coverage_compact.h) never overlap it, and stay separate if they touch it. */
static int cover_join(struct sqlite *q, __u64 inst, __s64 source, const char *name, __s64 *first, __s64 *last)
{
	sqlite3_stmt *near = db_bind(q, COVER_NEAR, "iii", inst, source, *last + 1);
	int got;

	while ((got = db_step(q, near)) > 0) {
		__s64 from = col(near, 0), to = col(near, 1);
		__u64 n = (__u64)col(near, 2);

		if (col(near, 3) != cover_crc(inst, name, from, to, n))
			continue;
		if (to < *first - 1 || n != (__u64)(to - from) + 1)
			break;
		*first = from < *first ? from : *first;
		*last = to > *last ? to : *last;
	}
	sqlite3_reset(near);
	return got < 0 ? got : 0;
}

static int add_cover(struct sqlite *q, const struct batch *b, __s64 source, __s64 oldest)
{
	__s64 first = b->slot > oldest ? b->slot : oldest, last = observation_last(b);
	int err = cover_join(q, b->inst, source, b->source, &first, &last);

	if (!err)
		err = db_step(q, db_bind(q, COVER_DROP, "iiii", b->inst, source, first, last));
	if (!err)
		err = db_step(q, db_bind(q, COVER_ADD, "iiiiii", b->inst, source, first, last, last - first + 1,
				   cover_crc(b->inst, b->source, first, last, (__u64)(last - first) + 1)));
	return err;
}

static int add_exemplars(struct sqlite *q, const struct batch *b, __s64 source)
{
	if (!b->exemplars_len)
		return 0;
	return db_step(q, db_bind(q, EXEMPLARS_ADD, "iiibi", b->inst, b->slot, source, b->exemplars, b->exemplars_len,
				  exemplars_crc(b->inst, b->source, b->slot, b->exemplars, b->exemplars_len)));
}

static int add_observation(struct sqlite *q, const struct batch *b, __s64 source, __s64 oldest)
{
	struct mark mark[BATCH_MARKS_MAX];
	int err = add_cover(q, b, source, oldest);
	size_t n;

	if (!err && b->loss.n)
		err = add_loss(q, b->inst, b->source, source, &b->loss);
	for (n = batch_marks(b, mark); n > 0 && !err; n--)
		err = db_step(q, db_bind(q, MARK_ADD, "iiiii", b->inst, b->slot, (__s64)mark[n - 1].kind, mark[n - 1].value,
				   mark_crc(b->inst, &mark[n - 1])));
	return err;
}

/* The first batch sets the length of the slots, which never changes after that. */
static int learn_slot_length(struct sqlite *q, const struct batch *b, struct known *ret_known)
{
	int err = store_check(&q->store, b);

	if (!err)
		err = db_known(q, b->inst, ret_known);
	if (err || ret_known->slot_ns == b->slot_ns)
		return err;
	if (ret_known->slot_ns)
		return refuse_in(-EBADMSG, q->store.reason, sizeof(q->store.reason), "a batch of %s has slots of %llu "
			"ns, not of %llu ns", b->source, (unsigned long long)b->slot_ns,
			(unsigned long long)ret_known->slot_ns);
	return db_know_slot(q, b->inst, b->slot_ns);
}

static int add_batch(struct sqlite *q, const struct batch *b, bool *ret_new)
{
	__s64 source = 0, oldest, last = observation_last(b);
	struct known known;
	int err = learn_slot_length(q, b, &known);

	oldest = err ? 0 : known.dropped[0].before;
	if (err || last < oldest)
		return err;
	err = source_id(q, b->source, &source);
	if (!err)
		err = db_step(q, db_bind(q, SEEN_ADD, "iiiiii", b->inst, b->slot, source, b->incarnation, (__s64)b->seq, last));
	if (err || !sqlite3_changes(q->db))
		return err;
	*ret_new = true;
	err = add_slices(q, b);
	if (!err)
		err = add_observation(q, b, source, oldest);
	if (!err)
		err = add_exemplars(q, b, source);
	return err;
}

static int add_all(struct sqlite *q, const struct batch *batch, size_t n, bool *ret_new)
{
	int err = db_begin(q);

	memset(ret_new, 0, n * sizeof(*ret_new));
	if (err)
		return err;
	for (size_t i = 0; i < n && !err; i++)
		err = add_batch(q, &batch[i], &ret_new[i]);
	err = db_end(q, err);
	if (err)
		memset(ret_new, 0, n * sizeof(*ret_new));
	return err;
}

/* Where the file may not grow, old data are dropped first. */
static int sqlite_add(struct store *s, const struct batch *batch, size_t n, bool *ret_new)
{
	struct sqlite *q = sqlite_of(s);
	int err = add_all(q, batch, n, ret_new);

	while (err == -ENOSPC && q->max_pages && !db_make_room(q))
		err = add_all(q, batch, n, ret_new);
	if (!err)
		s->reason[0] = 0;
	return err;
}

static int sqlite_oldest(struct store *s, __u64 inst, __s64 *ret_slot)
{
	struct known known;
	int err = db_known(sqlite_of(s), inst, &known);

	if (!err)
		*ret_slot = known.dropped[0].before;
	return err;
}

/* --- instrumentations --- */

static int sqlite_inst_put(struct store *s, __u64 inst, const char *json)
{
	struct sqlite *q = sqlite_of(s);
	int err = db_begin(q);

	if (err)
		return err;
	err = db_step(q, db_bind(q, INST_PUT, "it", inst, json));
	if (!err)
		err = db_step(q, db_bind(q, ID_RAISE, "i", inst));
	return db_end(q, err);
}

static int sqlite_inst_each(struct store *s, void (*each)(void *arg, __u64 inst, const char *json), void *arg)
{
	struct sqlite *q = sqlite_of(s);
	sqlite3_stmt *stmt = q->stmt[INST_EACH];
	int got;

	while ((got = db_step(q, stmt)) > 0)
		each(arg, (__u64)col(stmt, 0), (const char *)sqlite3_column_text(stmt, 1));
	return got;
}

static int sqlite_next_id(struct store *s, __u64 *ret_id)
{
	struct sqlite *q = sqlite_of(s);
	__s64 id = 1;
	int err = db_begin(q);

	if (err)
		return err;
	err = db_fetch(q, db_bind(q, META_GET, "t", "next_id"), &id);
	if (!err)
		err = refuse_in(-EBADMSG, s->reason, sizeof(s->reason), "the store: damaged, it has no next id");
	if (err > 0)
		err = db_step(q, db_bind(q, META_PUT, "ti", "next_id", id + 1));
	err = db_end(q, err);
	if (!err)
		*ret_id = (__u64)id;
	return err;
}

static int sqlite_identity(struct store *s, char ret_uuid[40])
{
	struct sqlite *q = sqlite_of(s);
	sqlite3_stmt *stmt = db_bind(q, META_GET, "t", "uuid");
	int got = db_step(q, stmt);

	if (got > 0) {
		snprintf(ret_uuid, 40, "%s", (const char *)sqlite3_column_text(stmt, 0));
		sqlite3_reset(stmt);
		return 0;
	}
	return got ? got : -EBADMSG;
}

/* Next to our own names in the table. */
#define REMEMBERED "kept."

static int sqlite_remember(struct store *s, const char *name, const char *text)
{
	struct sqlite *q = sqlite_of(s);
	char full[80];
	int err = db_begin(q);

	if (err)
		return err;
	snprintf(full, sizeof(full), REMEMBERED "%s", name);
	if (*text)
		err = db_step(q, db_bind(q, META_PUT, "tt", full, text));
	else
		err = db_step(q, db_bind(q, META_DROP, "t", full));
	return db_end(q, err);
}

static int sqlite_recall(struct store *s, const char *name, char *ret_text, size_t room)
{
	struct sqlite *q = sqlite_of(s);
	char full[80];
	sqlite3_stmt *stmt;
	int got;

	snprintf(full, sizeof(full), REMEMBERED "%s", name);
	stmt = db_bind(q, META_GET, "t", full);
	got = db_step(q, stmt);
	snprintf(ret_text, room, "%s", got > 0 ? col_text(stmt, 0) : "");
	sqlite3_reset(stmt);
	return got < 0 ? got : 0;
}

/* Names are compared byte by byte; no name contains a byte as high as the one at `end`. */
static int sqlite_recall_each(struct store *s, const char *prefix, void (*each)(void *arg, const char *name, const char *text),
			      void *arg)
{
	struct sqlite *q = sqlite_of(s);
	char first[80], end[80];
	sqlite3_stmt *stmt;
	int got;

	snprintf(first, sizeof(first), REMEMBERED "%s", prefix);
	snprintf(end, sizeof(end), REMEMBERED "%s\xff", prefix);
	stmt = db_bind(q, META_EACH, "tt", first, end);
	while ((got = db_step(q, stmt)) > 0)
		each(arg, col_text(stmt, 0) + strlen(REMEMBERED), col_text(stmt, 1));
	return got;
}

/* --- opening --- */

static void sqlite_close(struct store *s)
{
	struct sqlite *q = sqlite_of(s);

	db_close(q);
	sum_fini(&q->scratch);
	sum_fini(&q->up);
	chunk_fini(&q->old);
	chunk_fini(&q->made);
	chunk_fini(&q->whole);
	chunk_cache_fini(&q->chunk_cache);
	for (int i = 0; i < CHUNK_SLOTS; i++)
		hist_fini(&q->total[i]);
	bytes_fini(&q->frame);
	bytes_fini(&q->bytes);
	free(q->known);
	free(q);
}

static void sqlite_memory(const struct store *s, struct store_memory *ret_memory)
{
	const struct sqlite *q = (const struct sqlite *)s;
	int pages = 0, most;

	sqlite3_db_status(q->db, SQLITE_DBSTATUS_CACHE_USED, &pages, &most, 0);
	*ret_memory = (struct store_memory){ .pages = (__u64)pages, .sums = chunk_cache_bytes(&q->chunk_cache) };
}

static const struct store_ops sqlite_ops = {
	.close = sqlite_close,
	.add = sqlite_add,
	.read = sqlite_read,
	.inst_put = sqlite_inst_put,
	.inst_delete = sqlite_inst_delete,
	.inst_each = sqlite_inst_each,
	.next_id = sqlite_next_id,
	.identity = sqlite_identity,
	.remember = sqlite_remember,
	.recall = sqlite_recall,
	.recall_each = sqlite_recall_each,
	.expire = sqlite_expire,
	.oldest = sqlite_oldest,
	.compact = sqlite_compact,
	.limit = sqlite_limit,
	.shrink = sqlite_shrink,
	.memory = sqlite_memory,
};

int store_sqlite_open(const char *path, struct store **ret_store, char *reason, size_t room)
{
	struct sqlite *q = calloc(1, sizeof(*q));
	int err;

	if (!q)
		return refuse_in(-ENOMEM, reason, room, "%s: no memory", path);
	q->store.ops = &sqlite_ops;
	err = db_open(q, path);
	if (err) {
		snprintf(reason, room, "%s: %s", path, q->store.reason);
		sqlite_close(&q->store);
		return err;
	}
	*ret_store = &q->store;
	return 0;
}
