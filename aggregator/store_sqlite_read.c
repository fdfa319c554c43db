#include "store_sqlite.h"

#include <stdint.h>

struct reading {
	struct sqlite *q;
	__u64 inst;
	__s64 first, last;
	int axis;
	const struct store_reader *reader;
};

/* Something is there that can not be read: at least one event. */
static void tell_damage(struct reading *r, const char *what, __s64 first, __s64 last)
{
	const struct loss loss = { .n = 1, .first = first, .last = last };

	found_damage(r->q, what, first);
	if (r->reader->loss)
		r->reader->loss(r->reader->arg, "", &loss);
}

static void read_hot_row(struct reading *r, sqlite3_stmt *stmt)
{
	const struct slice s = {
		.axis = (__u16)col(stmt, 1), .weight = (__u16)col(stmt, 2), .ruler = (__u64)col(stmt, 3),
		.key = { sqlite3_column_blob(stmt, 4), (__u16)sqlite3_column_bytes(stmt, 4) },
		.hist = sqlite3_column_blob(stmt, 5), .hist_len = (__u32)sqlite3_column_bytes(stmt, 5),
	};
	__s64 slot = col(stmt, 0);

	if (col(stmt, 6) != slice_crc(r->inst, slot, &s))
		tell_damage(r, "row", slot, slot);
	else
		r->reader->slice(r->reader->arg, slot, &s);
}

static int read_hot(struct reading *r)
{
	sqlite3_stmt *stmt = db_bind(r->q, HOT_READ, "iiii", r->inst, r->first, r->last, (__s64)r->axis);
	int got;

	while ((got = db_step(r->q, stmt)) > 0)
		read_hot_row(r, stmt);
	return got;
}

static void read_chunk(struct reading *r, int axis, __s64 first, const void *data, size_t len)
{
	struct chunk *c = &r->q->old;
	int err = chunk_decode(c, data, len);
	struct slice s = {
		.ruler = c->name.ruler, .axis = c->name.axis, .weight = c->name.weight, .key = c->name.key,
	};

	if (err || c->name.inst != r->inst || c->name.first != first || c->name.axis != axis) {
		tell_damage(r, "chunk", first, first + CHUNK_SLOTS - 1);
		return;
	}
	for (int i = 0; i < CHUNK_SLOTS; i++) {
		if (!c->slot[i].hist_len || first + i < r->first || first + i > r->last)
			continue;
		s.hist = c->slot[i].hist;
		s.hist_len = c->slot[i].hist_len;
		r->reader->slice(r->reader->arg, first + i, &s);
	}
}

static int read_chunks(struct reading *r, int axis)
{
	__s64 from = r->first > INT64_MIN + CHUNK_SLOTS ? r->first - CHUNK_SLOTS + 1 : INT64_MIN;
	sqlite3_stmt *stmt = db_bind(r->q, CHUNK_READ, "iiii", r->inst, (__s64)axis, from, r->last);
	int got;

	while ((got = db_step(r->q, stmt)) > 0)
		read_chunk(r, axis, col(stmt, 0), sqlite3_column_blob(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1));
	return got;
}

static int read_slices(struct reading *r)
{
	int err = read_hot(r);

	for (int axis = 0; axis < MEASURES_MAX && !err; axis++)
		if (r->axis < 0 || r->axis == axis)
			err = read_chunks(r, axis);
	return err;
}

static const char *text_of(sqlite3_stmt *stmt, int i)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);

	return text ? text : "";
}

static int read_cover(struct reading *r)
{
	sqlite3_stmt *stmt = db_bind(r->q, COVER_READ, "iii", r->inst, r->first, r->last);
	int got;

	while ((got = db_step(r->q, stmt)) > 0) {
		const char *source = text_of(stmt, 0);
		__s64 first = col(stmt, 1), last = col(stmt, 2);

		if (col(stmt, 3) != cover_crc(r->inst, source, first, last))
			found_damage(r->q, "coverage", first);
		else
			r->reader->cover(r->reader->arg, source, first > r->first ? first : r->first,
					 last < r->last ? last : r->last);
	}
	return got;
}

static int read_losses(struct reading *r)
{
	sqlite3_stmt *stmt = db_bind(r->q, LOSS_READ, "iii", r->inst, r->first, r->last);
	int got;

	while ((got = db_step(r->q, stmt)) > 0) {
		const struct loss l = { (__u64)col(stmt, 1), (__u64)col(stmt, 2), col(stmt, 3), col(stmt, 4) };

		if (col(stmt, 5) != loss_crc(r->inst, text_of(stmt, 0), &l))
			tell_damage(r, "loss", r->first, r->last);
		else
			r->reader->loss(r->reader->arg, text_of(stmt, 0), &l);
	}
	return got;
}

static int read_steps(struct reading *r)
{
	sqlite3_stmt *stmt = db_bind(r->q, STEP_READ, "iii", r->inst, r->first, r->last);
	int got;

	while ((got = db_step(r->q, stmt)) > 0) {
		if (col(stmt, 2) != step_crc(r->inst, col(stmt, 0), col(stmt, 1)))
			found_damage(r->q, "clock step", col(stmt, 0));
		else
			r->reader->clock_step(r->reader->arg, col(stmt, 0), col(stmt, 1));
	}
	return got;
}

int sqlite_read(struct store *s, __u64 inst, __s64 first, __s64 last, int axis,
		       const struct store_reader *reader)
{
	struct reading r = { sqlite_of(s), inst, first, last, axis, reader };
	__s64 oldest;
	int err = db_horizon(r.q, inst, &oldest);

	if (r.first < oldest)
		r.first = oldest;
	if (!err && reader->slice)
		err = read_slices(&r);
	if (!err && reader->cover)
		err = read_cover(&r);
	if (!err && reader->loss)
		err = read_losses(&r);
	if (!err && reader->clock_step)
		err = read_steps(&r);
	return err;
}
