/* store_memory.c - a store that ends with its process, for tests and private servers. */
#include "store.h"

#include "array.h"
#include "pile.h"
#include "witness.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct name {				/* of a batch: what makes it one that is known */
	char source[SOURCE_MAX];
	__u64 incarnation;
	__s64 slot, last;
	__u32 seq;
};

struct filed {				/* one slot */
	__s64 slot;
	struct pile pile;
};

struct drawer {				/* one instrumentation */
	struct drawer *next;
	__u64 inst;
	char *json;			/* NULL: data without an instrumentation */
	__s64 horizon;			/* what is older was dropped */
	size_t n_filed, filed_room;
	struct filed *filed;		/* ascending slots */
	size_t n_names, names_room;
	struct name *name;		/* ascending, see name_compare() */
	struct keys keys;
	struct witness witness;
};

struct memory {
	struct store store;
	struct drawer *drawer;
	struct sum scratch;
	__u64 next_id;
	char uuid[40];
};

static struct memory *memory_of(struct store *s)
{
	s->reason[0] = 0;
	return (struct memory *)s;
}

static struct drawer **find(struct memory *m, __u64 inst)
{
	struct drawer **at = &m->drawer;

	while (*at && (*at)->inst < inst)
		at = &(*at)->next;
	return at;
}

static struct drawer *drawer_of(struct memory *m, __u64 inst)
{
	struct drawer *d = *find(m, inst);

	return d && d->inst == inst ? d : NULL;
}

static struct drawer *drawer_make(struct memory *m, __u64 inst)
{
	struct drawer **at = find(m, inst), *d = *at;

	if (d && d->inst == inst)
		return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->inst = inst;
	d->horizon = INT64_MIN;
	d->next = *at;
	*at = d;
	return d;
}

static void drawer_free(struct drawer *d)
{
	for (size_t i = 0; i < d->n_filed; i++)
		pile_fini(&d->filed[i].pile, &d->keys);
	free(d->filed);
	free(d->name);
	keys_fini(&d->keys);
	witness_fini(&d->witness);
	free(d->json);
	free(d);
}

/* --- adding --- */

static int name_compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = (x->slot > y->slot) - (x->slot < y->slot);

	if (!order)
		order = strcmp(x->source, y->source);
	if (!order)
		order = (x->incarnation > y->incarnation) - (x->incarnation < y->incarnation);
	if (!order)
		order = (x->seq > y->seq) - (x->seq < y->seq);
	return order;
}

/* Where the name is, or belongs. */
static size_t name_place(const struct drawer *d, const struct name *name)
{
	size_t from = 0, to = d->n_names;

	while (from < to) {
		size_t at = (from + to) / 2;

		if (name_compare(&d->name[at], name) < 0)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

/* The index of the first filed slot that is not before `slot`. */
static size_t place_of(const struct drawer *d, __s64 slot)
{
	size_t from = 0, to = d->n_filed;

	while (from < to) {
		size_t at = (from + to) / 2;

		if (d->filed[at].slot < slot)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

static int file_slices(struct drawer *d, struct sum *scratch, const struct batch *b)
{
	size_t at = place_of(d, b->slot);
	struct pile first = { 0 };
	int err;

	if (at < d->n_filed && d->filed[at].slot == b->slot)
		return pile_add(&d->filed[at].pile, &d->keys, scratch, b->slice, b->n_slices);
	err = array_grow(&d->filed, d->n_filed, &d->filed_room, sizeof(*d->filed));
	if (!err)
		err = pile_add(&first, &d->keys, scratch, b->slice, b->n_slices);
	if (err)
		return err;
	memmove(&d->filed[at + 1], &d->filed[at], (d->n_filed - at) * sizeof(*d->filed));
	d->filed[at] = (struct filed){ b->slot, first };
	d->n_filed++;
	return 0;
}

static void file_witness(struct drawer *d, const struct batch *b, __s64 last)
{
	witness_cover(&d->witness, b->source, b->slot, last);
	if (b->loss.n)
		witness_lose(&d->witness, b->source, &b->loss);
	if (b->clock_step_ns)
		witness_step(&d->witness, b->slot, b->clock_step_ns);
}

static int add_one(struct memory *m, const struct batch *b, bool *ret_new)
{
	struct name name = { .incarnation = b->incarnation, .slot = b->slot, .seq = b->seq, .last = witness_last(b) };
	struct drawer *d = drawer_make(m, b->inst);
	size_t at;
	int err;

	if (!d)
		return -ENOMEM;
	strncpy(name.source, b->source, SOURCE_MAX - 1);
	at = name_place(d, &name);
	if (name.last < d->horizon || (at < d->n_names && !name_compare(&d->name[at], &name)))
		return 0;
	err = array_grow(&d->name, d->n_names, &d->names_room, sizeof(name));
	if (!err)
		err = witness_reserve(&d->witness, b->source);
	if (!err && b->n_slices)
		err = file_slices(d, &m->scratch, b);
	if (err)
		return err;
	memmove(&d->name[at + 1], &d->name[at], (d->n_names - at) * sizeof(name));
	d->name[at] = name;
	d->n_names++;
	file_witness(d, b, name.last);
	*ret_new = true;
	return 0;
}

/* Nothing here is undone, so what can be refused is refused before anything is added.  Out of
 * memory between two batches is the one case in which only the first stays: it is known then, and
 * is not added again when all are given again. */
static int memory_add(struct store *s, const struct batch *batch, size_t n, bool *ret_new)
{
	struct memory *m = memory_of(s);
	int err = 0;

	memset(ret_new, 0, n * sizeof(*ret_new));
	for (size_t i = 0; i < n && !err; i++)
		err = store_check(s, &batch[i]);
	for (size_t i = 0; i < n && !err; i++)
		err = add_one(m, &batch[i], &ret_new[i]);
	return err;
}

/* --- reading --- */

static int memory_read(struct store *s, __u64 inst, __s64 first, __s64 last, int axis,
		       const struct store_reader *reader)
{
	struct drawer *d = drawer_of(memory_of(s), inst);

	if (!d)
		return 0;
	if (first < d->horizon)
		first = d->horizon;
	for (size_t i = place_of(d, first); reader->slice && i < d->n_filed && d->filed[i].slot <= last; i++)
		pile_read(&d->filed[i].pile, d->filed[i].slot, axis, reader);
	witness_read(&d->witness, first, last, reader);
	return 0;
}

/* --- instrumentations --- */

static int memory_inst_put(struct store *s, __u64 inst, const char *json)
{
	struct memory *m = memory_of(s);
	struct drawer *d = drawer_make(m, inst);
	char *copy = d ? strdup(json) : NULL;

	if (!copy)
		return -ENOMEM;
	free(d->json);
	d->json = copy;
	if (inst >= m->next_id)
		m->next_id = inst + 1;
	return 0;
}

static int memory_inst_delete(struct store *s, __u64 inst)
{
	struct drawer **at = find(memory_of(s), inst), *d = *at;

	if (d && d->inst == inst) {
		*at = d->next;
		drawer_free(d);
	}
	return 0;
}

static int memory_inst_each(struct store *s, void (*each)(void *arg, __u64 inst, const char *json), void *arg)
{
	for (struct drawer *d = memory_of(s)->drawer; d; d = d->next)
		if (d->json)
			each(arg, d->inst, d->json);
	return 0;
}

static int memory_next_id(struct store *s, __u64 *ret_id)
{
	*ret_id = memory_of(s)->next_id++;
	return 0;
}

static int memory_identity(struct store *s, char ret_uuid[40])
{
	memcpy(ret_uuid, memory_of(s)->uuid, 40);
	return 0;
}

/* --- forgetting --- */

static void forget_names(struct drawer *d, __s64 slot)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_names; i++)
		if (d->name[i].last >= slot)
			d->name[n++] = d->name[i];
	d->n_names = n;
}

static void forget_slots(struct drawer *d, __s64 slot)
{
	size_t gone = place_of(d, slot);

	for (size_t i = 0; i < gone; i++)
		pile_fini(&d->filed[i].pile, &d->keys);
	d->n_filed -= gone;
	if (gone)
		memmove(d->filed, d->filed + gone, d->n_filed * sizeof(*d->filed));
}

static int memory_expire(struct store *s, __u64 inst, __s64 slot)
{
	struct drawer *d = drawer_of(memory_of(s), inst);

	if (!d || slot <= d->horizon)
		return 0;
	d->horizon = slot;
	forget_names(d, slot);
	forget_slots(d, slot);
	witness_trim(&d->witness, slot);
	return 0;
}

static int memory_compact(struct store *s, __u64 inst, __s64 slot)
{
	return 0;			/* there is one layout only */
}

static void memory_close(struct store *s)
{
	struct memory *m = memory_of(s);
	struct drawer *next;

	for (struct drawer *d = m->drawer; d; d = next) {
		next = d->next;
		drawer_free(d);
	}
	sum_fini(&m->scratch);
	free(m);
}

static const struct store_ops memory_ops = {
	.close = memory_close,
	.add = memory_add,
	.read = memory_read,
	.inst_put = memory_inst_put,
	.inst_delete = memory_inst_delete,
	.inst_each = memory_inst_each,
	.next_id = memory_next_id,
	.identity = memory_identity,
	.expire = memory_expire,
	.compact = memory_compact,
};

int store_memory_open(struct store **ret_store)
{
	struct memory *m = calloc(1, sizeof(*m));
	int err = m ? store_uuid(m->uuid) : -ENOMEM;

	if (err) {
		free(m);
		return err;
	}
	m->store.ops = &memory_ops;
	m->next_id = 1;
	*ret_store = &m->store;
	return 0;
}
