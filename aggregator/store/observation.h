/* observation.h - what tells "nothing happened" from "nobody looked" and "part was lost".
 *
 *      who looked when (intervals per source), what was lost, and marks
 *
 * Laws    covering commutes, and what overlaps or touches becomes one interval.
 *         A loss is kept as it was given: it lies somewhere in its slots and can not be cut.
 * Errors  witness_reserve() makes room, so that the calls after it can not fail.
 * Memory  a zeroed one is empty; witness_fini() frees.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_WITNESS_H
#define HEATSCOPE_WITNESS_H

#include "aggregator/store/store.h"

struct span {
	__s64 first, last;		/* slots, inclusive */
};

struct observer {
	char source[SOURCE_MAX];
	size_t n_spans, room;
	struct span *span;		/* ascending, with gaps between */
};

struct lost {
	char source[SOURCE_MAX];
	struct loss loss;
};

struct witness {
	size_t n_observers, observers_room;
	struct observer *observer;
	size_t n_lost, lost_room;
	struct lost *lost;
	size_t n_marks, marks_room;
	struct mark *mark;
};

/* The last slot a batch speaks for: its own, or the end of its run. */
__s64 witness_last(const struct batch *b);

void witness_fini(struct witness *w);

/* Room for one call each of the three below, for this source.  -ENOMEM. */
int witness_reserve(struct witness *w, const char *source);
void witness_cover(struct witness *w, const char *source, __s64 first, __s64 last);
void witness_lose(struct witness *w, const char *source, const struct loss *loss);
void witness_mark(struct witness *w, const struct mark *mark);

/* The first slot from `first` on that anybody looked at; INT64_MAX: none. */
__s64 witness_oldest(const struct witness *w, __s64 first);

/* Forgets what ended before `first`; intervals that reach over it are cut. */
void witness_trim(struct witness *w, __s64 first);

/* Coverage is cut to first..last; losses are those that touch it. */
void witness_read(const struct witness *w, __s64 first, __s64 last, const struct store_reader *reader);

#endif
