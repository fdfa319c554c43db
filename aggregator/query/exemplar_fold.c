#include "aggregator/query/exemplar_fold.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct exemplar_fold {
	struct exemplar_wish wish;
	__u64 missed;
	__s64 slot;			/* the slot that is being filled */
	struct exemplar_bytes **part;	/* its batches */
	size_t n_parts, parts_room;
	struct exemplar_listed *one;	/* all exemplars of these batches */
	size_t n_ones, ones_room;
	struct exemplar_listed *list;	/* the worst first; at most wish.n + 1 */
	size_t n_listed;
};

int exemplar_fold_new(const struct exemplar_wish *wish, struct exemplar_fold **ret_fold)
{
	struct exemplar_fold *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->wish = *wish;
	f->list = calloc(wish->n + 1, sizeof(*f->list));
	if (!f->list) {
		free(f);
		return -ENOMEM;
	}
	*ret_fold = f;
	return 0;
}

static void release(struct exemplar_bytes *b)
{
	if (!--b->n_users)
		free(b);
}

void exemplar_fold_free(struct exemplar_fold *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_listed; i++)
		release(f->list[i].of);
	for (size_t i = 0; i < f->n_parts; i++)
		release(f->part[i]);
	free(f->part);
	free(f->one);
	free(f->list);
	free(f);
}

/* ---- of one slot ---- */

/* Falling values; the order of equal ones does not depend on which source reported them first. */
static int worse(const void *a, const void *b)
{
	const struct exemplar_listed *x = a, *y = b;
	int order = (x->event.measure[0] < y->event.measure[0]) - (x->event.measure[0] > y->event.measure[0]);

	if (!order)
		order = (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
	return order ? order : strcmp(x->of->source, y->of->source);
}

static int collect(struct exemplar_fold *f)
{
	int err = 0;

	f->n_ones = 0;
	for (size_t i = 0; i < f->n_parts; i++) {
		struct exemplars e = f->part[i]->head;
		struct exemplar_listed one = { .of = f->part[i] };

		while (!err && exemplars_next(&e, &one.event) > 0) {
			one.end_ns = one.of->slot * (__s64)f->wish.slot_ns + (__s64)one.event.since_ns;
			err = array_grow(&f->one, f->n_ones, &f->ones_room, sizeof(one));
			if (!err)
				f->one[f->n_ones++] = one;
		}
	}
	return err;
}

/* The worst of one source need not be among the worst of all sources: unmarks those that are not. */
static void settle_worst(struct exemplar_fold *f)
{
	size_t n = 0;

	qsort(f->one, f->n_ones, sizeof(*f->one), worse);
	for (size_t i = 0; i < f->n_ones; i++)
		if (f->one[i].event.why & EXEMPLAR_WORST && n++ >= f->wish.n_worst)
			f->one[i].event.why &= (__u8)~EXEMPLAR_WORST;
}

static void settle_drawn(struct exemplar_fold *f)
{
	struct exemplar_listed *best[EXEMPLAR_DECADES] = { NULL };

	for (struct exemplar_listed *one = f->one; one < f->one + f->n_ones; one++) {
		struct exemplar_listed **at = &best[exemplar_decade(one->event.measure[0])];

		if (!(one->event.why & EXEMPLAR_DRAWN))
			continue;
		if (*at && (*at)->event.tag >= one->event.tag) {
			one->event.why &= (__u8)~EXEMPLAR_DRAWN;
			continue;
		}
		if (*at)
			(*at)->event.why &= (__u8)~EXEMPLAR_DRAWN;
		*at = one;
	}
}

/* ---- of all slots ---- */

static bool is_wished(const struct exemplar_wish *w, const struct exemplar_event *t)
{
	return t->why & w->why && t->measure[0] >= w->min && (!w->max || t->measure[0] < w->max);
}

static void list_one(struct exemplar_fold *f, const struct exemplar_listed *one)
{
	size_t from = array_place(f->n_listed, at, worse(&f->list[at], one) <= 0);

	if (from >= f->wish.n)
		return;
	memmove(&f->list[from + 1], &f->list[from], (f->n_listed - from) * sizeof(*f->list));
	f->list[from] = *one;
	one->of->n_users++;
	if (f->n_listed < f->wish.n)
		f->n_listed++;
	else
		release(f->list[f->n_listed].of);
}

static int settle(struct exemplar_fold *f)
{
	int err = collect(f);

	if (!err && f->n_ones) {
		settle_worst(f);
		settle_drawn(f);
	}
	for (size_t i = 0; i < f->n_ones && !err; i++)
		if (is_wished(&f->wish, &f->one[i].event))
			list_one(f, &f->one[i]);
	for (size_t i = 0; i < f->n_parts; i++)
		release(f->part[i]);
	f->n_parts = 0;
	return err;
}

int exemplar_fold_add(struct exemplar_fold *f, const char *source, __s64 slot, const __u8 *data, size_t len)
{
	struct exemplar_bytes *b;
	int err = f->n_parts && slot != f->slot ? settle(f) : 0;

	if (!err)
		err = array_grow(&f->part, f->n_parts, &f->parts_room, sizeof(*f->part));
	b = err ? NULL : malloc(sizeof(*b) + len);
	if (!b)
		return err ? err : -ENOMEM;
	b->slot = f->slot = slot;
	b->n_users = 1;
	snprintf(b->source, sizeof(b->source), "%s", source);
	memcpy(b->data, data, len);
	err = exemplars_open(&b->head, b->data, len);
	if (err) {
		free(b);
		return err;
	}
	f->missed += b->head.missed;
	f->part[f->n_parts++] = b;
	return 0;
}

int exemplar_fold_list(struct exemplar_fold *f, const struct exemplar_listed **ret_list, size_t *ret_n, __u64 *ret_missed)
{
	int err = settle(f);

	if (err)
		return err;
	*ret_list = f->list;
	*ret_n = f->n_listed;
	*ret_missed = f->missed;
	return 0;
}
