/* fuzz_store.c - decodes any bytes as data of a damaged store: a chunk, the inside of one, a histogram, exemplars.
 *
 * The first byte says which.  A decoded chunk must encode to one that decodes to the same. */
#include "aggregator/store/chunk.h"
#include "aggregator/query/exemplar_fold.h"
#include "aggregator/store/sum.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const __u8 *data, size_t len);

static void insist(bool holds)
{
	if (!holds)
		abort();
}

/* hist_check() and sum_add() agree on what a histogram is. */
static void try_hist(__u64 ruler, const __u8 *data, size_t len)
{
	struct sum s = { 0 };

	if (!sum_begin(&s, ruler))
		insist(!hist_check(ruler, data, len) == !sum_add(&s, data, len));
	sum_fini(&s);
}

static void write_again(const struct chunk *c, struct chunk *made, struct bytes *out)
{
	chunk_begin(made, &c->name);
	for (unsigned i = 0; i < CHUNK_SLOTS; i++)
		if (c->slot[i].hist_len)
			chunk_put(made, i, c->slot[i].hist, c->slot[i].hist_len);
	insist(!chunk_end(made, out));
}

static void try_chunk(const struct chunk *c)
{
	struct chunk made = { 0 }, again = { 0 };
	struct bytes out = { 0 };

	for (unsigned i = 0; i < CHUNK_SLOTS; i++)
		try_hist(c->name.ruler, c->slot[i].hist, c->slot[i].hist_len);
	write_again(c, &made, &out);
	insist(!chunk_decode(&again, out.data, out.len));
	insist(!labels_compare(&again.name.key, &c->name.key));
	for (unsigned i = 0; i < CHUNK_SLOTS; i++) {
		insist(again.slot[i].hist_len == c->slot[i].hist_len);
		insist(!c->slot[i].hist_len || !memcmp(again.slot[i].hist, c->slot[i].hist, c->slot[i].hist_len));
	}
	bytes_fini(&out);
	chunk_fini(&made);
	chunk_fini(&again);
}

/* Exemplars that passed the check can be read to their end, and the fold returns no more than requested. */
static void try_exemplars(const __u8 *data, size_t len)
{
	const struct exemplar_wish w = { .slot_ns = 1000000000, .n_worst = 3, .n = 5, .why = EXEMPLAR_WORST | EXEMPLAR_DRAWN };
	const struct exemplar_listed *list;
	struct exemplar_fold *f;
	__u64 missed;
	size_t n;

	if (exemplars_check(data, len, w.slot_ns))
		return;
	insist(!exemplar_fold_new(&w, &f));
	insist(!exemplar_fold_add(f, "a", 1, data, len) && !exemplar_fold_add(f, "b", 1, data, len) &&
	       !exemplar_fold_add(f, "a", 2, data, len));
	insist(!exemplar_fold_list(f, &list, &n, &missed) && n <= w.n);
	exemplar_fold_free(f);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t len)
{
	struct chunk c = { 0 };

	if (!len)
		return 0;
	data++, len--;
	if (data[-1] == 'e')
		try_exemplars(data, len);
	else if (data[-1] % 3 == 0 && !chunk_decode(&c, data, len))
		try_chunk(&c);
	else if (data[-1] % 3 == 1 && !chunk_parse(&c, data, len))
		try_chunk(&c);
	else if (data[-1] % 3 == 2)
		try_hist(RULER(UNIT_NS, 5, 10, 39), data, len);
	chunk_fini(&c);
	return 0;
}
