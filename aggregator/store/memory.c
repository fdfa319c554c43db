/* memory.c - implements a store in memory, which ends with its process, for tests and private servers. */
#include "aggregator/store/store.h"

#include "collector/core/array.h"
#include "aggregator/store/slot_slices.h"
#include "aggregator/store/observation.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {				/* identifies a batch that was added */
	char source[SOURCE_MAX];
	__u64 incarnation;
	__s64 slot, last;
	__u32 seq;
};

struct filed {				/* one slot of a tier */
	__s64 slot;			/* its first slot of tier 0 */
	struct slot_slices slices;
};

struct tier_data {				/* a tier */
	size_t n_filed, room;
	struct filed *filed;		/* ascending slots */
	__s64 gone, horizon;		/* slots gone..horizon-1 were dropped; equal: nothing was dropped */
};

struct exemplar_set {			/* the exemplars of a batch */
	__s64 slot;
	char source[SOURCE_MAX];
	__u8 *data;
	size_t len;
};

struct inst_data {				/* one instrumentation */
	struct inst_data *next;
	__u64 inst;
	char *json;			/* NULL: data without an instrumentation */
	__u64 slot_ns;			/* 0: nothing was added yet */
	struct tier_data shelf[TIERS];
	size_t n_names, names_room;
	struct name *name;		/* ascending, see name_compare() */
	struct keys keys;
	struct observation observation;
	size_t n_exemplar_sets, exemplar_sets_room;
	struct exemplar_set *exemplar_set;	/* ascending slots */
};

struct memory {
	struct store store;
	struct inst_data *drawer;
	struct sum scratch;
	__u64 next_id;
	char uuid[40];
	json_t *remembered;
};

static struct memory *memory_of(struct store *s)
{
	s->reason[0] = 0;
	return (struct memory *)s;
}

static struct inst_data **find(struct memory *m, __u64 inst)
{
	struct inst_data **at = &m->drawer;

	while (*at && (*at)->inst < inst)
		at = &(*at)->next;
	return at;
}

static struct inst_data *drawer_of(struct memory *m, __u64 inst)
{
	struct inst_data *d = *find(m, inst);

	return d && d->inst == inst ? d : NULL;
}

static struct inst_data *drawer_make(struct memory *m, __u64 inst)
{
	struct inst_data **at = find(m, inst), *d = *at;

	if (d && d->inst == inst)
		return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->inst = inst;
	for (int i = 0; i < TIERS; i++)
		d->shelf[i].gone = d->shelf[i].horizon = INT64_MIN;
	d->next = *at;
	*at = d;
	return d;
}

/* Drops the exemplars of slots before that one. */
static void forget_exemplars(struct inst_data *d, __s64 slot)
{
	size_t gone = 0;

	while (gone < d->n_exemplar_sets && d->exemplar_set[gone].slot < slot)
		free(d->exemplar_set[gone++].data);
	d->n_exemplar_sets -= gone;
	if (gone)
		memmove(d->exemplar_set, d->exemplar_set + gone, d->n_exemplar_sets * sizeof(*d->exemplar_set));
}

static void drawer_free(struct inst_data *d)
{
	for (struct tier_data *s = d->shelf; s < d->shelf + TIERS; s++) {
		for (size_t i = 0; i < s->n_filed; i++)
			slot_slices_fini(&s->filed[i].slices, &d->keys);
		free(s->filed);
	}
	forget_exemplars(d, INT64_MAX);
	free(d->exemplar_set);
	free(d->name);
	keys_fini(&d->keys);
	observation_fini(&d->observation);
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

/* Returns the index of the name, or where it belongs. */
static size_t name_place(const struct inst_data *d, const struct name *name)
{
	return array_place(d->n_names, at, name_compare(&d->name[at], name) < 0);
}

/* The index of the first filed slot that is not before `slot`. */
static size_t place_of(const struct tier_data *s, __s64 slot)
{
	return array_place(s->n_filed, at, s->filed[at].slot < slot);
}

static int file_slices(struct inst_data *d, struct tier_data *s, struct sum *scratch, const struct batch *b, __s64 slot)
{
	size_t at = place_of(s, slot);
	struct slot_slices first = { 0 };
	int err;

	if (at < s->n_filed && s->filed[at].slot == slot)
		return slot_slices_add(&s->filed[at].slices, &d->keys, scratch, b->slice, b->n_slices);
	err = array_grow(&s->filed, s->n_filed, &s->room, sizeof(*s->filed));
	if (!err)
		err = slot_slices_add(&first, &d->keys, scratch, b->slice, b->n_slices);
	if (err)
		return err;
	memmove(&s->filed[at + 1], &s->filed[at], (s->n_filed - at) * sizeof(*s->filed));
	s->filed[at] = (struct filed){ slot, first };
	s->n_filed++;
	return 0;
}

/* Files in all tiers at once: this store has no long-term layout that adds up later. */
static int file_in_tiers(struct inst_data *d, struct sum *scratch, const struct batch *b)
{
	int err = 0;

	for (int tier = 0; tier < TIERS && b->n_slices && !err; tier++) {
		__s64 slot = tier_down(b->slot, tier_slots(b->slot_ns, tier));

		if (slot >= d->shelf[tier].horizon)
			err = file_slices(d, &d->shelf[tier], scratch, b, slot);
	}
	return err;
}

static void file_observation(struct inst_data *d, const struct batch *b, __s64 last)
{
	__s64 oldest = d->shelf[0].horizon;
	struct mark mark[BATCH_MARKS_MAX];
	size_t n;

	observation_cover(&d->observation, b->source, b->slot > oldest ? b->slot : oldest, last);
	if (b->loss.n)
		observation_lose(&d->observation, b->source, &b->loss);
	for (n = batch_marks(b, mark); n > 0; n--)
		observation_mark(&d->observation, &mark[n - 1]);
}

/* Copies them and makes room, so that filing cannot fail. */
static int copy_exemplars(struct inst_data *d, const struct batch *b, struct exemplar_set *ret)
{
	struct exemplar_set e = { .slot = b->slot, .len = b->exemplars_len };
	int err = e.len ? array_grow(&d->exemplar_set, d->n_exemplar_sets, &d->exemplar_sets_room, sizeof(e)) : 0;

	if (!err && e.len)
		err = (e.data = malloc(e.len)) ? 0 : -ENOMEM;
	if (err)
		return err;
	if (e.len)
		memcpy(e.data, b->exemplars, e.len);
	memcpy(e.source, b->source, sizeof(e.source));
	*ret = e;
	return 0;
}

static void file_exemplars(struct inst_data *d, const struct exemplar_set *e)
{
	size_t at = d->n_exemplar_sets;

	if (!e->len)
		return;
	while (at && d->exemplar_set[at - 1].slot > e->slot)
		at--;
	memmove(&d->exemplar_set[at + 1], &d->exemplar_set[at], (d->n_exemplar_sets++ - at) * sizeof(*e));
	d->exemplar_set[at] = *e;
}

static int add_one(struct memory *m, const struct batch *b, bool *ret_new)
{
	struct name name = { .incarnation = b->incarnation, .slot = b->slot, .seq = b->seq, .last = observation_last(b) };
	struct inst_data *d = drawer_make(m, b->inst);
	struct exemplar_set exemplars = { .len = 0 };
	size_t at;
	int err;

	if (!d)
		return -ENOMEM;
	if (d->slot_ns && d->slot_ns != b->slot_ns)
		return -EBADMSG;
	d->slot_ns = b->slot_ns;
	memcpy(name.source, b->source, sizeof(name.source));
	at = name_place(d, &name);
	if (name.last < d->shelf[0].horizon || (at < d->n_names && !name_compare(&d->name[at], &name)))
		return 0;
	err = array_grow(&d->name, d->n_names, &d->names_room, sizeof(name));
	if (!err)
		err = observation_reserve(&d->observation, b->source);
	if (!err)
		err = copy_exemplars(d, b, &exemplars);
	if (!err)
		err = file_in_tiers(d, &m->scratch, b);
	if (err) {
		free(exemplars.data);
		return err;
	}
	file_exemplars(d, &exemplars);
	memmove(&d->name[at + 1], &d->name[at], (d->n_names - at) * sizeof(name));
	d->name[at] = name;
	d->n_names++;
	file_observation(d, b, name.last);
	*ret_new = true;
	return 0;
}

/* Nothing here is undone, so every refusal comes before the first batch is added.  Only if memory
 * runs out between two batches does just the first stay: it is known then, and
 * is not added again when the caller gives all of them again. */
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

/* Counts a slice, for a reader of counts. */
static void count_slice(void *arg, __s64 slot, const struct slice *s)
{
	const struct store_reader *reader = arg;
	struct hist_reader h;

	if (!hist_reader_open(&h, s->ruler, s->hist, s->hist_len))
		reader->count(reader->arg, s, h.count);
}

static int memory_read(struct store *s, __u64 inst, const struct store_range *range, const struct store_reader *reader)
{
	const struct store_reader counting = { .arg = (void *)reader, .slice = count_slice };
	const struct store_reader *slices = reader->slice ? reader : &counting;
	struct inst_data *d = drawer_of(memory_of(s), inst);
	bool any = reader->slice || reader->count;
	const struct tier_data *shelf;
	__s64 per, first, last;

	if (!d || !d->slot_ns)
		return 0;
	shelf = &d->shelf[range->tier];
	per = tier_slots(d->slot_ns, range->tier);
	first = tier_down(range->first, per);
	last = tier_down(range->last, per) + per - 1;
	if (reader->dropped && shelf->gone < shelf->horizon && shelf->gone <= last && shelf->horizon > first)
		reader->dropped(reader->arg, shelf->gone > first ? shelf->gone : first,
				shelf->horizon - 1 < last ? shelf->horizon - 1 : last);
	if (first < shelf->horizon)
		first = shelf->horizon;
	for (size_t i = place_of(shelf, first); any && i < shelf->n_filed && shelf->filed[i].slot <= last; i++)
		slot_slices_read(&shelf->filed[i].slices, shelf->filed[i].slot, range->axis, range->weight, slices);
	for (size_t i = 0; i < d->n_exemplar_sets && reader->exemplars && !range->tier; i++)
		if (d->exemplar_set[i].slot >= first && d->exemplar_set[i].slot <= last)
			reader->exemplars(reader->arg, d->exemplar_set[i].source, d->exemplar_set[i].slot, d->exemplar_set[i].data, d->exemplar_set[i].len);
	if (first <= last)
		observation_read(&d->observation, first, last, reader);
	return 0;
}

/* --- instrumentations --- */

static int memory_inst_put(struct store *s, __u64 inst, const char *json)
{
	struct memory *m = memory_of(s);
	struct inst_data *d = drawer_make(m, inst);
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
	struct inst_data **at = find(memory_of(s), inst), *d = *at;

	if (d && d->inst == inst) {
		*at = d->next;
		drawer_free(d);
	}
	return 0;
}

static int memory_inst_each(struct store *s, void (*each)(void *arg, __u64 inst, const char *json), void *arg)
{
	for (struct inst_data *d = memory_of(s)->drawer; d; d = d->next)
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

static int memory_remember(struct store *s, const char *name, const char *text)
{
	json_t *all = memory_of(s)->remembered;

	if (*text)
		return json_object_set_new(all, name, json_string(text)) ? -ENOMEM : 0;
	json_object_del(all, name);
	return 0;
}

static int memory_recall(struct store *s, const char *name, char *ret_text, size_t room)
{
	const char *text = json_string_value(json_object_get(memory_of(s)->remembered, name));

	snprintf(ret_text, room, "%s", text ? text : "");
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int memory_recall_each(struct store *s, const char *prefix, void (*each)(void *arg, const char *name, const char *text),
			      void *arg)
{
	json_t *all = memory_of(s)->remembered, *text;
	const char **found = calloc(json_object_size(all) + 1, sizeof(*found)), *name;
	size_t n = 0;

	if (!found)
		return -ENOMEM;
	json_object_foreach(all, name, text)
		if (!strncmp(name, prefix, strlen(prefix)))
			found[n++] = name;
	qsort(found, n, sizeof(*found), by_name);
	for (size_t i = 0; i < n; i++)
		each(arg, found[i], json_string_value(json_object_get(all, found[i])));
	free(found);
	return 0;
}

/* --- dropping --- */

static void forget_names(struct inst_data *d, __s64 slot)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_names; i++)
		if (d->name[i].last >= slot)
			d->name[n++] = d->name[i];
	d->n_names = n;
}

static void forget_slots(struct inst_data *d, struct tier_data *s, __s64 per, __s64 slot)
{
	__s64 oldest = observation_oldest(&d->observation, s->horizon);
	size_t gone = place_of(s, slot);

	for (size_t i = 0; i < gone; i++)
		slot_slices_fini(&s->filed[i].slices, &d->keys);
	s->n_filed -= gone;
	if (gone)
		memmove(s->filed, s->filed + gone, s->n_filed * sizeof(*s->filed));
	if (s->gone == s->horizon)
		s->gone = oldest < slot ? tier_down(oldest, per) : slot;
	s->horizon = slot;
}

static int memory_expire(struct store *s, __u64 inst, const __s64 slot[TIERS])
{
	struct inst_data *d = drawer_of(memory_of(s), inst);
	__s64 before = slot[0];

	for (int tier = 0; d && d->slot_ns && tier < TIERS; tier++) {
		__s64 per = tier_slots(d->slot_ns, tier);

		before = slot[tier] < before ? slot[tier] : before;
		if (before <= d->shelf[tier].horizon)
			continue;
		before = tier_down(before, per);
		if (before <= d->shelf[tier].horizon)
			continue;
		forget_slots(d, &d->shelf[tier], per, before);
		if (!tier) {
			forget_names(d, before);
			forget_exemplars(d, before);
		}
		if (tier == TIERS - 1)
			observation_trim(&d->observation, before);
	}
	return 0;
}

static int memory_oldest(struct store *s, __u64 inst, __s64 *ret_slot)
{
	struct inst_data *d = drawer_of(memory_of(s), inst);

	*ret_slot = d ? d->shelf[0].horizon : INT64_MIN;
	return 0;
}

static int memory_limit(struct store *s, __u64 bytes)
{
	return 0;			/* nothing: the data end with the process */
}

static int memory_shrink(struct store *s)
{
	return 0;
}

static int memory_compact(struct store *s, __u64 inst, __s64 slot)
{
	return 0;			/* nothing: there is one layout only */
}

static void memory_close(struct store *s)
{
	struct memory *m = memory_of(s);
	struct inst_data *next;

	for (struct inst_data *d = m->drawer; d; d = next) {
		next = d->next;
		drawer_free(d);
	}
	sum_fini(&m->scratch);
	json_decref(m->remembered);
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
	.remember = memory_remember,
	.recall = memory_recall,
	.recall_each = memory_recall_each,
	.expire = memory_expire,
	.oldest = memory_oldest,
	.compact = memory_compact,
	.limit = memory_limit,
	.shrink = memory_shrink,
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
	m->remembered = json_object();
	if (!m->remembered) {
		free(m);
		return -ENOMEM;
	}
	*ret_store = &m->store;
	return 0;
}
