#include "aggregator/store/clickhouse/roll_sums.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_BYTES (16u << 20)	/* so many are added at once, which is quicker than one after the other */

struct roll_row {
	__s64 slot;
	struct slice slice;
	size_t at;			/* in `bytes`: the key, and then the histogram */
};

/* --- sets --- */

static int set_add(struct roll_sums *r, enum row_kind kind, bool whole, __s64 per)
{
	struct roll_set *set = &r->set[r->n_sets];

	*set = (struct roll_set){ kind, whole, per, calloc((size_t)((r->end - r->first + per - 1) / per), sizeof(*set->slot)) };
	if (!set->slot)
		return -ENOMEM;
	r->n_sets++;
	return 0;
}

int roll_sums_begin(struct roll_sums *r, __u64 slot_ns, int tier, __s64 first, __s64 end)
{
	__s64 per = tier_slots(slot_ns, tier);
	int err;

	*r = (struct roll_sums){ .slot_ns = slot_ns, .first = first, .end = end };
	err = set_add(r, (enum row_kind)tier, false, per);
	if (!err)
		err = set_add(r, (enum row_kind)(ROW_WHOLE + tier), true, per);
	if (!err && tier == 1)
		err = set_add(r, ROW_WHOLE, true, 1);
	if (!err && tier == 1)
		err = set_add(r, ROW_STEP, false, STEP_SLOTS);
	if (!err && tier == 1)
		err = set_add(r, ROW_WHOLE_STEP, true, STEP_SLOTS);
	return err;
}

void roll_sums_fini(struct roll_sums *r)
{
	for (struct roll_set *set = r->set; set < r->set + r->n_sets; set++) {
		for (__s64 i = 0; i * set->per < r->end - r->first; i++)
			slot_slices_fini(&set->slot[i], &r->keys);
		free(set->slot);
	}
	keys_fini(&r->keys);
	sum_fini(&r->scratch);
	free(r->row);
	bytes_fini(&r->bytes);
	*r = (struct roll_sums){ 0 };
}

/* --- adding --- */

static int by_slot(const void *a, const void *b)
{
	const struct roll_row *x = a, *y = b;

	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* The slices ascend by slot, as the rows do. */
static int set_take(struct roll_sums *r, struct roll_set *set, const struct slice *slice)
{
	int err = 0;

	for (size_t at = 0, to; at < r->n_rows && !err; at = to) {
		__s64 place = (r->row[at].slot - r->first) / set->per;

		for (to = at + 1; to < r->n_rows && (r->row[to].slot - r->first) / set->per == place;)
			to++;
		err = slot_slices_add(&set->slot[place], &r->keys, &r->scratch, slice + at, to - at);
	}
	return err;
}

static int take_waiting(struct roll_sums *r)
{
	struct slice *slice = malloc(2 * (r->n_rows + 1) * sizeof(*slice)), *whole = slice + r->n_rows;
	int err = slice ? r->bytes.err : -ENOMEM;

	if (!err && r->n_rows)
		qsort(r->row, r->n_rows, sizeof(*r->row), by_slot);
	for (size_t i = 0; i < r->n_rows && !err; i++) {
		slice[i] = r->row[i].slice;
		slice[i].key.bytes = r->bytes.data + r->row[i].at;
		slice[i].hist = slice[i].key.bytes + slice[i].key.len;
		whole[i] = slice[i];
		whole[i].key.len = 0;
	}
	for (size_t i = 0; i < r->n_sets && !err; i++)
		err = set_take(r, &r->set[i], r->set[i].whole ? whole : slice);
	free(slice);
	r->n_rows = 0;
	bytes_clear(&r->bytes);
	return err;
}

static const __u8 empty[5];		/* a histogram: count, sum, min, max, number of cells */

int roll_sums_add(struct roll_sums *r, __s64 slot, const struct slice *s, bool late)
{
	struct roll_row row = { slot, *s, r->bytes.len };
	int err = slot >= r->first && slot < r->end ? array_grow(&r->row, r->n_rows, &r->rows_room, sizeof(*r->row)) : -EINVAL;

	if (err)
		return err;
	bytes_put(&r->bytes, s->key.bytes, s->key.len);
	row.slice.hist_len = late ? sizeof(empty) : s->hist_len;
	bytes_put(&r->bytes, late ? empty : s->hist, row.slice.hist_len);
	r->row[r->n_rows++] = row;
	return r->bytes.err ? r->bytes.err : r->bytes.len > WAITING_BYTES ? take_waiting(r) : 0;
}

/* --- rows --- */

static void put_slot(const struct slot_slices *from, struct row *row, struct bytes *out)
{
	for (size_t i = 0; i < from->n_entries; i++) {
		const struct slot_slices_entry *e = &from->entry[i];
		const struct slice s = { .ruler = e->ruler, .axis = e->axis, .weight = e->weight, .key = e->key->labels,
					 .hist = e->hist, .hist_len = e->hist_len };

		row->slice = &s;
		row_put(out, row);
	}
}

int roll_sums_put(struct roll_sums *r, const struct row *like, struct bytes *out)
{
	struct row row = *like;
	int err = take_waiting(r);

	row.slot_ns = r->slot_ns;
	row.source = "";
	for (struct roll_set *set = r->set; set < r->set + r->n_sets && !err; set++) {
		row.kind = set->kind;
		for (__s64 i = 0; i * set->per < r->end - r->first; i++) {
			row.slot = r->first + i * set->per;
			put_slot(&set->slot[i], &row, out);
		}
	}
	return err ? err : out->err;
}
