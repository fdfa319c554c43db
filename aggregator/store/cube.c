#include "aggregator/store/cube.h"

#include "aggregator/store/slot_slices.h"
#include "aggregator/store/observation.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define SLOTS_MAX (1u << 25)		/* a year of seconds */

/* One instrumentation.  Every slot_slices of the ring belongs to a slot of newest - n_slots + 1 .. newest:
 * it is emptied when the range moves past its slot, so it needs no tag. */
struct ring {
	struct ring *next;
	__u64 inst;
	size_t n_slots;
	struct slot_slices *slices;
	bool has_data, loaded;
	__s64 newest;			/* valid if has_data */
	__s64 since;			/* older slots were never given to this ring */
	bool has_gap;
	__s64 gap_first, gap_last;	/* valid if has_gap: slots that were forgotten when the clock was set back, or
					 * never loaded */
	struct keys keys;
	struct observation observation;
};

struct cube {
	struct ring *ring;
	struct sum scratch;
};

static struct ring *ring_of(const struct cube *c, __u64 inst)
{
	struct ring *r = c->ring;

	while (r && r->inst != inst)
		r = r->next;
	return r;
}

static __s64 ring_oldest(const struct ring *r, __s64 newest)
{
	__s64 oldest = newest - (__s64)r->n_slots + 1;

	if (r->has_gap && newest >= r->gap_first && oldest <= r->gap_last)
		oldest = r->gap_last + 1;
	return oldest > r->since ? oldest : r->since;
}

static struct slot_slices *slices_of(const struct ring *r, __s64 slot)
{
	__s64 at = slot % (__s64)r->n_slots;

	return &r->slices[at < 0 ? at + (__s64)r->n_slots : at];
}

static void ring_empty(struct ring *r)
{
	for (size_t i = 0; i < r->n_slots; i++)
		slot_slices_fini(&r->slices[i], &r->keys);
	keys_fini(&r->keys);
	observation_fini(&r->observation);
	r->has_data = false;
	r->since = INT64_MIN;
}

static void ring_free(struct ring *r)
{
	ring_empty(r);
	free(r->slices);
	free(r);
}

/* Moves the range so that `newest` is in it, and forgets the slices that leave it. */
static void ring_advance(struct ring *r, __s64 newest)
{
	if (!r->has_data) {
		r->has_data = true;
		r->newest = newest;
	}
	if (newest <= r->newest)
		return;
	if ((__u64)newest - (__u64)r->newest >= r->n_slots)
		r->newest = newest - (__s64)r->n_slots;
	while (r->newest < newest)
		slot_slices_fini(slices_of(r, ++r->newest), &r->keys);
}

/* --- opening and closing --- */

int cube_new(struct cube **ret_cube)
{
	struct cube *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*ret_cube = c;
	return 0;
}

void cube_free(struct cube *c)
{
	if (!c)
		return;
	while (c->ring)
		cube_drop(c, c->ring->inst);
	sum_fini(&c->scratch);
	free(c);
}

int cube_open(struct cube *c, __u64 inst, size_t n_slots)
{
	struct ring *r;

	if (ring_of(c, inst))
		return -EEXIST;
	if (!n_slots || n_slots > SLOTS_MAX)
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->slices = calloc(n_slots, sizeof(*r->slices));
	if (!r->slices) {
		free(r);
		return -ENOMEM;
	}
	r->inst = inst;
	r->n_slots = n_slots;
	r->since = INT64_MIN;
	r->next = c->ring;
	c->ring = r;
	return 0;
}

void cube_drop(struct cube *c, __u64 inst)
{
	struct ring **at = &c->ring, *r;

	while (*at && (*at)->inst != inst)
		at = &(*at)->next;
	r = *at;
	if (!r)
		return;
	*at = r->next;
	ring_free(r);
}

/* Moves the slots that fit into the new ring; empties the others. */
static void ring_move(struct ring *r, struct slot_slices *slices, size_t n_slots)
{
	__s64 oldest = ring_oldest(r, r->newest), first = r->newest - (__s64)n_slots + 1;
	struct ring moved = { .n_slots = n_slots, .slices = slices };

	first = first > oldest ? first : oldest;
	for (__s64 slot = oldest; slot <= r->newest; slot++) {
		if (slot < first)
			slot_slices_fini(slices_of(r, slot), &r->keys);
		else
			*slices_of(&moved, slot) = *slices_of(r, slot);
	}
	r->since = first;
	observation_trim(&r->observation, first);
}

int cube_resize(struct cube *c, __u64 inst, size_t n_slots)
{
	struct ring *r = ring_of(c, inst);
	struct slot_slices *slices;

	if (!r)
		return -ENOENT;
	if (!n_slots || n_slots > SLOTS_MAX)
		return -EINVAL;
	if (n_slots == r->n_slots)
		return 0;
	slices = calloc(n_slots, sizeof(*slices));
	if (!slices)
		return -ENOMEM;
	if (r->has_data)
		ring_move(r, slices, n_slots);
	free(r->slices);
	r->slices = slices;
	r->n_slots = n_slots;
	return 0;
}

/* --- adding --- */

/* Adds slices of one slot; after an error nothing has changed, not even the range. */
static int ring_add(struct ring *r, struct sum *scratch, __s64 slot, const struct slice *slice, size_t n)
{
	struct slot_slices first = { 0 };
	bool newer = !r->has_data || slot > r->newest;
	int err = slot_slices_add(newer ? &first : slices_of(r, slot), &r->keys, scratch, slice, n);

	if (!err && newer) {
		ring_advance(r, slot);
		*slices_of(r, slot) = first;
	}
	return err;
}

/* observation_reserve() has made room for it. */
static void add_observation(struct ring *r, const struct batch *b, __s64 oldest)
{
	struct mark mark[BATCH_MARKS_MAX];
	__s64 last = observation_last(b);
	size_t n;

	if (last >= oldest)
		observation_cover(&r->observation, b->source, b->slot > oldest ? b->slot : oldest, last);
	if (b->loss.n && b->loss.last >= oldest)
		observation_lose(&r->observation, b->source, &b->loss);
	for (n = batch_marks(b, mark); n > 0 && b->slot >= oldest; n--)
		observation_mark(&r->observation, &mark[n - 1]);
}

int cube_add(struct cube *c, const struct batch *b)
{
	struct ring *r = ring_of(c, b->inst);
	__s64 last = observation_last(b), oldest, was;
	int err;

	if (!r)
		return -ENOENT;
	was = r->has_data ? ring_oldest(r, r->newest) : INT64_MIN;
	oldest = ring_oldest(r, r->has_data && r->newest > last ? r->newest : last);
	if (last < oldest && !(b->loss.n && b->loss.last >= oldest))
		return -ESTALE;
	err = observation_reserve(&r->observation, b->source);
	if (!err && b->n_slices && b->slot >= oldest)
		err = ring_add(r, &c->scratch, b->slot, b->slice, b->n_slices);
	if (err)
		return err;
	ring_advance(r, last);
	add_observation(r, b, oldest);
	if (oldest > was)		/* at the end: it must not drop what was reserved before it is used */
		observation_trim(&r->observation, oldest);
	return 0;
}

static void ring_leave(struct ring *r, __s64 first, __s64 last)
{
	r->gap_first = r->has_gap && r->gap_first < first ? r->gap_first : first;
	r->gap_last = r->has_gap && r->gap_last > last ? r->gap_last : last;
	r->has_gap = true;
}

void cube_leave(struct cube *c, __u64 inst, __s64 first, __s64 last)
{
	struct ring *r = ring_of(c, inst);

	if (r)
		ring_leave(r, first, last);
}

bool cube_set_back(struct cube *c, __u64 inst, __s64 now)
{
	struct ring *r = ring_of(c, inst);
	__s64 oldest = r && r->has_data ? ring_oldest(r, r->newest) : now;

	if (oldest <= now)
		return false;
	ring_leave(r, oldest, r->newest);
	ring_empty(r);
	r->since = now;
	r->newest = now;
	r->has_data = true;
	return true;
}

int cube_fold(struct cube *c, const struct batch *b)
{
	struct ring *r = ring_of(c, b->inst);
	__s64 oldest, was;
	int err;

	if (!r)
		return -ENOENT;
	was = r->has_data ? ring_oldest(r, r->newest) : INT64_MIN;
	oldest = ring_oldest(r, r->has_data && r->newest > b->slot ? r->newest : b->slot);
	if (b->slot < oldest)
		return -ESTALE;
	err = ring_add(r, &c->scratch, b->slot, b->slice, b->n_slices);
	if (!err && oldest > was)
		observation_trim(&r->observation, oldest);
	return err;
}

/* --- loading --- */

struct loading {
	struct cube *cube;
	struct ring *ring;
	int err;
};

static void load_slice(void *arg, __s64 slot, const struct slice *s)
{
	struct loading *l = arg;

	if (!l->err)
		l->err = ring_add(l->ring, &l->cube->scratch, slot, s, 1);
}

static void load_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct loading *l = arg;

	if (!l->err)
		l->err = observation_reserve(&l->ring->observation, source);
	if (l->err)
		return;
	ring_advance(l->ring, last);
	observation_cover(&l->ring->observation, source, first, last);
}

static void load_loss(void *arg, const char *source, const struct loss *loss)
{
	struct loading *l = arg;

	if (!l->err)
		l->err = observation_reserve(&l->ring->observation, source);
	if (!l->err)
		observation_lose(&l->ring->observation, source, loss);
}

static void load_mark(void *arg, const struct mark *mark)
{
	struct loading *l = arg;

	if (!l->err)
		l->err = observation_reserve(&l->ring->observation, "");
	if (!l->err)
		observation_mark(&l->ring->observation, mark);
}

int cube_load(struct cube *c, __u64 inst, struct store *s, __s64 first, __s64 last)
{
	struct loading l = { .cube = c, .ring = ring_of(c, inst) };
	const struct store_reader reader = { .arg = &l, .slice = load_slice, .cover = load_cover, .loss = load_loss,
					     .mark = load_mark };
	struct store_range range;
	int err;

	if (!l.ring)
		return -ENOENT;
	if (l.ring->has_data || l.ring->loaded)
		return -EEXIST;
	if ((__u64)last - (__u64)first >= l.ring->n_slots)
		first = last - (__s64)l.ring->n_slots + 1;
	range = (struct store_range){ .first = first, .last = last, .axis = -1, .weight = -1 };
	err = s->ops->read(s, inst, &range, &reader);
	if (!err)
		err = l.err;
	if (err) {
		ring_empty(l.ring);
		return err;
	}
	l.ring->loaded = true;
	l.ring->since = first;
	return 0;
}

/* --- reading --- */

int cube_read(const struct cube *c, __u64 inst, __s64 first, __s64 last, int axis, int weight,
	      const struct store_reader *reader)
{
	const struct ring *r = ring_of(c, inst);
	__s64 oldest;

	if (!r)
		return -ENOENT;
	if (!r->has_data)
		return 0;
	oldest = ring_oldest(r, r->newest);
	if (first < oldest)
		first = oldest;
	observation_read(&r->observation, first, last, reader);
	if (last > r->newest)
		last = r->newest;
	for (__s64 slot = first; reader->slice && slot <= last; slot++)
		slot_slices_read(slices_of(r, slot), slot, axis, weight, reader);
	return 0;
}

bool cube_answers(const struct cube *c, __u64 inst, __s64 slot)
{
	const struct ring *r = ring_of(c, inst);

	if (!r || slot < r->since)
		return false;
	return r->has_data ? slot >= ring_oldest(r, r->newest) : !r->has_gap || slot > r->gap_last;
}

int cube_range(const struct cube *c, __u64 inst, __s64 *ret_first, __s64 *ret_last)
{
	const struct ring *r = ring_of(c, inst);

	if (!r || !r->has_data)
		return -ENOENT;
	*ret_first = ring_oldest(r, r->newest);
	*ret_last = r->newest;
	return 0;
}
