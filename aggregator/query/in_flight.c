#include "aggregator/query/in_flight.h"
#include "aggregator/query/keytable.h"
#include "collector/core/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {				/* from one slice */
	__s64 slot;
	size_t key;
	__u64 count, oldest;
	double age;			/* sum of all ages, from the lower edges of their buckets */
};

struct in_flight {
	struct query q;
	__s64 first, last;
	__u64 min, max;
	struct keytable keys;
	size_t n_entries, room;
	struct entry *entry;
	__s64 covered;			/* the last slot that any source reported; -1: none */
	struct store_reader reader;
	int err;
};

/* ---- slices ---- */

/* Takes the part of a slice within the range; false: empty. */
static bool within(struct in_flight *r, const struct slice *s, struct entry *e)
{
	__u32 from = ruler_cell(s->ruler, r->min), to = r->max ? ruler_cell(s->ruler, r->max - 1) : ruler_cells(s->ruler) - 1;
	struct hist_reader h;

	r->err = hist_reader_open(&h, s->ruler, s->hist, s->hist_len);
	while (!r->err && hist_reader_next(&h)) {
		__u64 last = ruler_last(s->ruler, h.cell);

		if (h.cell < from || h.cell > to)
			continue;
		e->count += h.value;
		e->age += (double)h.value * (double)ruler_first(s->ruler, h.cell);
		e->oldest = last < h.max ? last : h.max;
	}
	r->err = r->err ? r->err : h.cursor.err;
	return !r->err && e->count;
}

static void running_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct in_flight *r = arg;
	struct entry e = { .slot = slot };
	long key;

	if (r->err || slot < r->first || slot > r->last || s->axis != r->q.axis || s->weight || !query_selects(&r->q, &s->key) ||
	    !within(r, s, &e))
		return;
	key = keytable_at(&r->keys, &s->key);
	if (array_grow(&r->entry, r->n_entries, &r->room, sizeof(*r->entry)))
		key = -ENOMEM;
	if (key < 0) {
		r->err = (int)key;
		return;
	}
	e.key = (size_t)key;
	r->entry[r->n_entries++] = e;
}

static void running_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct in_flight *r = arg;

	last = last < r->last ? last : r->last;
	if (first <= last && last >= r->first && last > r->covered)
		r->covered = last;
}

/* ---- making and freeing ---- */

int in_flight_new(const struct query *q, __s64 n_slots, __u64 min, __u64 max, struct in_flight **ret_in_flight)
{
	struct in_flight *r;

	if (q->axis < 0 || (size_t)q->axis >= q->inst->n_measures || n_slots < 1 || (max && max <= min))
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	*r = (struct in_flight){ .q = *q, .min = min, .max = max, .covered = -1 };
	query_slots(q, &r->first, &r->last);
	r->first = r->last - r->first >= n_slots ? r->last - n_slots + 1 : r->first;
	r->reader = (struct store_reader){ .arg = r, .slice = running_slice, .cover = running_cover };
	*ret_in_flight = r;
	return 0;
}

void in_flight_free(struct in_flight *r)
{
	if (!r)
		return;
	keytable_fini(&r->keys);
	free(r->entry);
	free(r);
}

void in_flight_slots(const struct in_flight *r, __s64 *ret_first, __s64 *ret_last)
{
	*ret_first = r->first;
	*ret_last = r->last;
}

const struct store_reader *in_flight_reader(struct in_flight *r)
{
	return &r->reader;
}

int in_flight_error(const struct in_flight *r)
{
	return r->err;
}

/* ---- which slot ---- */

__s64 in_flight_last(const struct in_flight *r)
{
	return r->covered;
}

static int by_slot(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->slot > y->slot) - (x->slot < y->slot);
}

__s64 in_flight_most(const struct in_flight *r)
{
	double most = 0, age = 0;
	__s64 slot = -1;

	if (r->n_entries)
		qsort(r->entry, r->n_entries, sizeof(*r->entry), by_slot);
	for (size_t i = 0; i < r->n_entries; i++) {
		age = (i && r->entry[i].slot == r->entry[i - 1].slot ? age : 0) + r->entry[i].age;
		if (age >= most) {
			most = age;
			slot = r->entry[i].slot;
		}
	}
	return slot;
}

/* ---- totals ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct in_flight_total *)a)->text, ((const struct in_flight_total *)b)->text);
}

static int by_count(const void *a, const void *b)
{
	const struct in_flight_total *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->text, y->text);
}

/* Merges totals of the same text; t is sorted by text. */
static size_t merge(struct in_flight_total *t, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && !strcmp(t[kept - 1].text, t[i].text)) {
			t[kept - 1].count += t[i].count;
			t[kept - 1].other = t[kept - 1].other || t[i].other;
			t[kept - 1].oldest = t[i].oldest > t[kept - 1].oldest ? t[i].oldest : t[kept - 1].oldest;
		} else {
			t[kept++] = t[i];
		}
	}
	return kept;
}

int in_flight_totals(const struct in_flight *r, __s64 slot, __u32 drop, struct in_flight_total **ret_total, size_t *ret_n)
{
	struct query q = r->q;
	struct in_flight_total *t;
	size_t n = 0;
	int err = 0;

	q.drop = drop;
	for (size_t i = 0; i < r->n_entries; i++)
		n += r->entry[i].slot == slot;
	t = calloc(n + 1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < r->n_entries && !err; i++)
		if (r->entry[i].slot == slot) {
			t[n].count = r->entry[i].count;
			t[n].oldest = r->entry[i].oldest;
			err = query_key_text(&q, &r->keys.key[r->entry[i].key], t[n].text, &t[n].other);
			n++;
		}
	if (err) {
		free(t);
		return err;
	}
	qsort(t, n, sizeof(*t), by_text);
	n = merge(t, n);
	qsort(t, n, sizeof(*t), by_count);
	*ret_total = t;
	*ret_n = n;
	return 0;
}
