/* store_kit.h - makes random batches for tests of stores and of the cube, and adds up all that is read.
 *
 *      batches --gather_batch()--> gathered --gathered_bytes()--> bytes  <--  what read() gave
 *
 * Law     equal data give equal bytes, whatever the order and the pieces.
 */
#ifndef HEATSCOPE_STORE_KIT_H
#define HEATSCOPE_STORE_KIT_H

#include "aggregator/store/store.h"

#define KIT_INST 7

struct kit_shape {			/* what random batches look like */
	int n_sources, n_keys, n_axes, n_slices;
	__s64 first, last;		/* slots */
	int losses;			/* one batch in so many has a loss; 0: none */
};

/* Makes n batches with different names; free with kit_free(). */
struct batch *kit_batches(const struct kit_shape *shape, size_t n);
void kit_free(struct batch *batch, size_t n);
void kit_shuffle(struct batch *batch, size_t n);

/* Makes one batch with one slice of `n` events of `value`; free with kit_free(b, 1). */
struct batch *kit_batch(const char *source, __s64 slot, __u32 seq, const char *key, __u64 value, __u64 n);

struct gathered;
struct gathered *gathered_new(__s64 first, __s64 last, int axis);
void gathered_free(struct gathered *g);
const struct store_reader *gathered_reader(struct gathered *g);
void gather_batch(struct gathered *g, const struct batch *b);	/* what lies in first..last */
/* Adds up all that lies in first..last of these batches, in the simplest way. */
struct gathered *gathered_sum(const struct batch *batch, size_t n, __s64 first, __s64 last, int axis);
void gathered_bytes(struct gathered *g, struct bytes *ret);

/* Collects what a store returns for this range: slots by tier, all keys as one if it says so. */
struct gathered *gathered_range(const struct store_range *range);
void gathered_only_slices(struct gathered *g);
__u64 gathered_sparse(const struct gathered *g);	/* source-slots of which it is not known which */
bool gathered_dropped(const struct gathered *g, __s64 *ret_first, __s64 *ret_last);

__u64 gathered_events(const struct gathered *g);	/* sum of the counts of the slices */
__u64 gathered_lost(const struct gathered *g);
__u64 gathered_covered(const struct gathered *g);	/* source-slots, each once */
size_t gathered_pieces(const struct gathered *g);	/* slices as they came */
void gathered_without_loss(struct gathered *g);

/* Reads all of it into `ret`, and the return value of read(). */
int kit_read_range(struct store *s, const struct store_range *range, struct gathered **ret);
int kit_read(struct store *s, __s64 first, __s64 last, int axis, struct gathered **ret);

bool kit_same(struct gathered *a, struct gathered *b);

/* Fails the test if the two differ. */
void kit_assert_same(struct gathered *a, struct gathered *b);

/* Fails the test if what a store counts is not what its slices hold.  Asked for twice: the second time they are
 * remembered. */
void kit_assert_counts(struct store *s, const struct store_range *range);

#endif
