#include "aggregator/store/shards/private.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH "shards.length."

size_t length_place(const struct shards *g, __u64 inst)
{
	return array_place(g->n_lengths, at, g->length[at].inst < inst);
}

void length_forget(struct shards *g, size_t at)
{
	memmove(&g->length[at], &g->length[at + 1], (--g->n_lengths - at) * sizeof(*g->length));
}

void length_name(__u64 inst, char ret_name[STORE_NAME_MAX])
{
	snprintf(ret_name, STORE_NAME_MAX, LENGTH "%llu", (unsigned long long)inst);
}

static int length_read(struct shards *g, __u64 inst, __u64 *ret_slot_ns)
{
	char name[STORE_NAME_MAX], text[24];
	int err;

	length_name(inst, name);
	err = home_called(g, g->home->store->ops->recall(g->home->store, name, text, sizeof(text)));
	if (!err)
		*ret_slot_ns = strtoull(text, NULL, 10);
	return err;
}

/* The length of a new instrumentation is that of its first batch; until length_keep() it may still be refused. */
static int length_know(struct shards *g, const struct batch *b, size_t at)
{
	struct length fresh = { .inst = b->inst };
	int err = length_read(g, b->inst, &fresh.slot_ns);

	if (!err)
		err = array_grow(&g->length, g->n_lengths, &g->lengths_room, sizeof(fresh));
	if (err)
		return err;
	fresh.is_kept = fresh.slot_ns > 0;
	if (!fresh.is_kept)
		fresh.slot_ns = b->slot_ns;
	memmove(&g->length[at + 1], &g->length[at], (g->n_lengths++ - at) * sizeof(fresh));
	g->length[at] = fresh;
	return 0;
}

static int length_check(struct shards *g, const struct batch *b)
{
	size_t at = length_place(g, b->inst);
	int err = at < g->n_lengths && g->length[at].inst == b->inst ? 0 : length_know(g, b, at);

	if (err || g->length[at].slot_ns == b->slot_ns)
		return err;
	return fail(g, -EBADMSG, "a batch of %s has slots of %llu ns, not of %llu ns", b->source, (unsigned long long)b->slot_ns,
		    (unsigned long long)g->length[at].slot_ns);
}

/* Another heatscoped may have written one at the same time: the last one stays. */
static int length_keep(struct shards *g, struct length *length)
{
	struct store *s = g->home->store;
	char name[STORE_NAME_MAX], text[24];
	__u64 slot_ns;
	int err;

	length_name(length->inst, name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)length->slot_ns);
	err = home_called(g, s->ops->remember(s, name, text));
	if (!err)
		err = length_read(g, length->inst, &slot_ns);
	if (!err && slot_ns != length->slot_ns)
		err = fail(g, -EAGAIN, "another heatscoped has batches of instrumentation %llu with slots of %llu ns",
			   (unsigned long long)length->inst, (unsigned long long)slot_ns);
	length->is_kept = !err;
	return err;
}

/* Refuses before any text is written. */
int lengths_check(struct shards *g, const struct batch *batch, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = length_check(g, &batch[i]);
	for (size_t i = 0; i < g->n_lengths && !err; i++)
		err = g->length[i].is_kept ? 0 : length_keep(g, &g->length[i]);
	for (size_t i = g->n_lengths; i-- > 0;)
		if (!g->length[i].is_kept)
			length_forget(g, i);
	return err;
}
