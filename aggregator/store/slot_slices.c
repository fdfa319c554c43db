#include "aggregator/store/slot_slices.h"
#include "collector/core/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A slot is changed on a copy of its entries.  `fresh` says which histograms belong to the copy, so
 * that either the old or the new ones can be freed when it is clear which of the two stays. */
enum { REPLACED = 1, ADDED = 2 };

void slot_slices_fini(struct slot_slices *p, struct keys *keys)
{
	for (size_t i = 0; i < p->n_entries; i++) {
		keys_drop(keys, p->entry[i].key);
		free(p->entry[i].hist);
	}
	free(p->entry);
	memset(p, 0, sizeof(*p));
}

static int compare(const struct slice *x, const struct slice *y)
{
	int order = (int)x->axis - (int)y->axis;

	if (!order)
		order = (int)x->weight - (int)y->weight;
	if (!order)
		order = labels_compare(&x->key, &y->key);
	return order ? order : (x->ruler > y->ruler) - (x->ruler < y->ruler);
}

static int compare_entry(const struct slot_slices_entry *e, const struct slice *s)
{
	return compare(&(struct slice){ .axis = e->axis, .weight = e->weight, .key = e->key->labels, .ruler = e->ruler }, s);
}

/* Finds the first entry that is not before s. */
static size_t place_of(const struct slot_slices *p, const struct slice *s)
{
	return array_place(p->n_entries, at, compare_entry(&p->entry[at], s) < 0);
}

static __u8 *copy_of(const __u8 *data, size_t len)
{
	__u8 *copy = malloc(len ? len : 1);

	if (copy && len)
		memcpy(copy, data, len);
	return copy;
}

/* Adds n slices of its name to an entry of the copy. */
static int merge_slices(struct slot_slices_entry *e, struct sum *scratch, const struct slice *const *s, size_t n)
{
	int err = sum_begin(scratch, e->ruler);
	__u8 *hist;

	if (!err)
		err = sum_add(scratch, e->hist, e->hist_len);
	for (size_t i = 0; i < n && !err; i++)
		err = sum_add(scratch, s[i]->hist, s[i]->hist_len);
	if (!err)
		err = sum_end(scratch);
	hist = err ? NULL : copy_of(scratch->bytes.data, scratch->bytes.len);
	if (!hist)
		return err ? err : -ENOMEM;
	if (e->fresh)
		free(e->hist);
	else
		e->fresh = REPLACED;
	e->hist = hist;
	e->hist_len = (__u32)scratch->bytes.len;
	return 0;
}

/* Makes *e the entry of a new slice. */
static int new_entry(struct slot_slices_entry *e, struct keys *keys, const struct slice *s)
{
	int err = hist_check(s->ruler, s->hist, s->hist_len);

	if (err)
		return err;
	*e = (struct slot_slices_entry){ .ruler = s->ruler, .axis = (__u8)s->axis, .weight = (__u8)s->weight, .fresh = ADDED,
					 .hist_len = s->hist_len };
	e->hist = copy_of(s->hist, s->hist_len);
	e->key = e->hist ? keys_take(keys, &s->key) : NULL;
	if (!e->key) {
		free(e->hist);
		return -ENOMEM;
	}
	return 0;
}

static int compare_slices(const void *a, const void *b)
{
	return compare(*(const struct slice *const *)a, *(const struct slice *const *)b);
}

static void append(struct slot_slices *copy, const struct slot_slices_entry *entry, size_t n)
{
	if (n)
		memcpy(copy->entry + copy->n_entries, entry, n * sizeof(*entry));
	copy->n_entries += n;
}

/* Appends to the copy, which has space, the old entries and the slices, both of which ascend.  If it fails, the old
 * entries that were not appended yet are still in `old` only.  A slot of many hosts may have a thousand times as many
 * entries as a batch has slices. */
static int merge_all(struct slot_slices *copy, const struct slot_slices *old, struct keys *keys, struct sum *scratch,
		     const struct slice *const *slice, size_t n)
{
	size_t at = 0, to, same;
	int err = 0;

	for (size_t next = 0; next < n && !err; next += same) {
		const struct slice *s = slice[next];
		bool is_new;

		if (s->axis >= MEASURES_MAX || s->weight > MEASURES_MAX)
			return -EINVAL;
		for (same = 1; next + same < n && !compare(s, slice[next + same]);)
			same++;
		to = at + array_place(old->n_entries - at, i, compare_entry(&old->entry[at + i], s) <= 0);
		append(copy, old->entry + at, to - at);
		at = to;
		is_new = !copy->n_entries || compare_entry(&copy->entry[copy->n_entries - 1], s);
		if (is_new) {
			err = new_entry(&copy->entry[copy->n_entries], keys, s);
			copy->n_entries += !err;
		}
		if (!err && same > is_new)
			err = merge_slices(&copy->entry[copy->n_entries - 1], scratch, slice + next + is_new, same - is_new);
	}
	if (!err)
		append(copy, old->entry + at, old->n_entries - at);
	return err;
}

static void discard_copy(struct slot_slices *copy, struct keys *keys)
{
	for (size_t i = 0; i < copy->n_entries; i++) {
		if (copy->entry[i].fresh)
			free(copy->entry[i].hist);
		if (copy->entry[i].fresh == ADDED)
			keys_drop(keys, copy->entry[i].key);
	}
	free(copy->entry);
}

/* Both have the same order, and the copy contains all old entries. */
static void keep_copy(struct slot_slices *p, struct slot_slices *copy)
{
	struct slot_slices_entry *old = p->entry;

	for (size_t i = 0; i < copy->n_entries; i++) {
		if (copy->entry[i].fresh == REPLACED)
			free(old->hist);
		if (copy->entry[i].fresh != ADDED)
			old++;
		copy->entry[i].fresh = 0;
	}
	free(p->entry);
	*p = *copy;
}

int slot_slices_add(struct slot_slices *p, struct keys *keys, struct sum *scratch, const struct slice *slice, size_t n)
{
	const struct slice **sorted = n ? malloc(n * sizeof(*sorted)) : NULL;
	struct slot_slices copy = { 0 };
	int err;

	if (!n)
		return 0;
	copy.entry = sorted ? malloc((p->n_entries + n) * sizeof(*copy.entry)) : NULL;
	if (!copy.entry) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = &slice[i];
	qsort(sorted, n, sizeof(*sorted), compare_slices);
	err = merge_all(&copy, p, keys, scratch, sorted, n);
	if (err)
		discard_copy(&copy, keys);
	else
		keep_copy(p, &copy);
	free(sorted);
	return err;
}

void slot_slices_read(const struct slot_slices *p, __s64 slot, int axis, int weight, const struct store_reader *reader)
{
	const struct slice from = { .axis = (__u16)(axis < 0 ? 0 : axis), .weight = (__u16)(axis < 0 || weight < 0 ? 0 : weight) };

	for (size_t i = place_of(p, &from); i < p->n_entries; i++) {
		const struct slot_slices_entry *e = &p->entry[i];
		const struct slice s = {
			.ruler = e->ruler, .axis = e->axis, .weight = e->weight, .key = e->key->labels,
			.hist = e->hist, .hist_len = e->hist_len,
		};

		if (axis >= 0 && (e->axis != axis || (weight >= 0 && e->weight > weight)))
			break;
		if (weight < 0 || e->weight == weight)
			reader->slice(reader->arg, slot, &s);
	}
}
