/* make_day - a recording repeated to be as long as one likes, ending when one likes: for soaking, see test/e2e/soak.
 *
 *      make_day RECORDING OUT FROM SECONDS       FROM: seconds since the epoch
 *
 * Repeats follow each other without a gap; counts are those of the recording.
 */
#include "collector/probe/recording.h"

#include <stdio.h>
#include <stdlib.h>

static int fails(const char *what)
{
	fprintf(stderr, "make_day: %s\n", what);
	return 1;
}

static void batch_shift(struct batch *b, __s64 slots)
{
	b->slot += slots;
	if (b->loss.n) {
		b->loss.first += slots;
		b->loss.last += slots;
	}
}

/* Slots from its first batch to the end of its last. */
static __s64 length_of(const struct recorded *from)
{
	__s64 end = from->first_slot;

	for (size_t i = 0; i < from->n_batches; i++)
		if (from->batch[i].slot + 1 > end)
			end = from->batch[i].slot + 1;
	return end - from->first_slot;
}

static int repeat(struct recorder *out, const struct recorded *from, __s64 first_slot, __s64 n_slots)
{
	__s64 length = length_of(from), at;
	struct batch b;
	int err = recorder_begin(out, &from->in, &from->metric);

	for (at = 0; at < n_slots && !err; at += length) {
		for (size_t i = 0; i < from->n_batches && !err; i++) {
			err = batch_decode(from->batch[i].data, from->batch[i].len, &b);
			if (err)
				break;
			batch_shift(&b, first_slot + at - from->first_slot);
			if (b.slot < first_slot + n_slots)
				err = recorder_batch(out, &b);
			batch_fini(&b);
		}
	}
	return err;
}

int main(int argc, char **argv)
{
	char reason[REASON_MAX];
	struct recording *r;
	struct recorder *out;
	int err = 0, closed;

	if (argc != 5)
		return fails("usage: make_day RECORDING OUT FROM SECONDS");
	if (recording_read(argv[1], &r, reason))
		return fails(reason);
	if (recorder_open(argv[2], &out)) {
		recording_free(r);
		return fails("the output cannot be written");
	}
	for (size_t i = 0; i < r->n_insts && !err; i++) {
		const struct recorded *from = &r->inst[i];
		__s64 slots_per_s = 1000000000 / from->in.slot_ns;

		if (from->n_batches)
			err = repeat(out, from, atoll(argv[3]) * slots_per_s, atoll(argv[4]) * slots_per_s);
	}
	closed = recorder_close(out);
	recording_free(r);
	return err || closed ? fails("writing failed") : 0;
}
