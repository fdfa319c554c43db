/* observation.h - records which slots were observed, what was lost, and marks.
 *
 *      which source observed when (intervals per source), what was lost, and marks
 *
 * Why     a picture must distinguish "nothing happened" from "not observed".
 * Laws    covering commutes, and intervals that overlap or touch become one.  A loss is kept as it was given: it lies
 *         somewhere in its slots and cannot be cut.
 * Errors  observation_reserve() allocates, so the calls after it cannot fail.
 * Memory  a zeroed one is empty; observation_fini() frees.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_OBSERVATION_H
#define HEATSCOPE_OBSERVATION_H

#include "aggregator/base/name_index.h"
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

struct observation {
	size_t n_observers, observers_room;
	struct observer *observer;
	struct name_index observer_of;	/* a source's place among them */
	size_t n_lost, lost_room;
	struct lost *lost;
	size_t n_marks, marks_room;
	struct mark *mark;
};

/* Returns the last slot that a batch reports: its own, or the end of its run. */
__s64 observation_last(const struct batch *b);

void observation_fini(struct observation *w);

/* Allocates for one call of each of the three functions below, for this source.  -ENOMEM. */
int observation_reserve(struct observation *w, const char *source);
void observation_cover(struct observation *w, const char *source, __s64 first, __s64 last);
void observation_lose(struct observation *w, const char *source, const struct loss *loss);
void observation_mark(struct observation *w, const struct mark *mark);

/* Returns the first slot from `first` on that any source observed; INT64_MAX: none. */
__s64 observation_oldest(const struct observation *w, __s64 first);

/* Forgets all that ended before `first`; cuts intervals that contain it. */
void observation_trim(struct observation *w, __s64 first);

/* Reports coverage cut to first..last, and the losses that touch it. */
void observation_read(const struct observation *w, __s64 first, __s64 last, const struct store_reader *reader);

#endif
