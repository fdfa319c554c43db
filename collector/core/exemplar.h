/* exemplar.h - keeps single events in addition to the histograms: the worst of a slot, and one of each decade.
 *
 *      box[row][cpu]                -> values of the worst, tags of the drawn        a few instructions per event
 *      exemplar[row][cpu][index]    -> the whole event: index 0..n-1 the worst, n..n+7 one drawn per decade
 *
 * Exemplars lie in the row of their slot (ring.h).  The reader owns them together with the row, so there is no queue
 * that could overflow.  The record program writes an event only if it is among the worst so far on its CPU, or drawn.
 * Of m events in random order it writes about n * ln(m / n).
 *
 * Value   the instrumentation's first measure, a time in ns.
 * Worst   exact: the n worst of a merge are among the n worst of each part.
 * Drawn   every event gets a random tag, and the event with the highest tag stays.  So each event of a decade has the
 *         same chance, and the highest tag of several CPUs or hosts is the draw of all their events.  An event that
 *         stands for w events has about the chance of w events.
 * Writers one program at a time per CPU (tracer.h's `alone`), so no operation needs to be atomic.
 * Both    compiled for the BPF target too.
 */
#ifndef HEATSCOPE_EXEMPLAR_H
#define HEATSCOPE_EXEMPLAR_H

#include <linux/types.h>

#define EXEMPLARS_MAX 100		/* worst events kept per slot */
#define EXEMPLAR_DECADES 8		/* below 10 us, 100 us, ... 10 s, and from 10 s on */

struct exemplar_box {			/* zeroed memory is empty */
	__u32 n, least;			/* number of worst events; index of the least of them */
	__u64 worst[EXEMPLARS_MAX];
	__u32 tag[EXEMPLAR_DECADES];	/* 0: no event was drawn */
};

static inline __u32 exemplar_decade(__u64 value)
{
	__u32 decade = 0;
	__u64 limit;

	for (limit = 10000; decade < EXEMPLAR_DECADES - 1 && value >= limit; limit *= 10)
		decade++;
	return decade;
}

static inline __u32 exemplar_tag(__u32 random, __u32 weight)
{
	__u32 tag = ~(weight > 1 ? random / weight : random);

	return tag ? tag : 1;
}

/* Returns the place of an event of that value among the n worst; -1: it has none.  exemplar_settle() follows. */
static inline int exemplar_place(const struct exemplar_box *box, __u32 n, __u64 value)
{
	if (box->n < n)
		return (int)box->n;
	return box->least < EXEMPLARS_MAX && value > box->worst[box->least] ? (int)box->least : -1;
}

static inline void exemplar_settle(struct exemplar_box *box, __u32 at, __u64 value)
{
	__u64 lowest = ~0ull;
	__u32 i;

	if (at >= EXEMPLARS_MAX)
		return;
	box->worst[at] = value;
	box->n += at == box->n;
	for (i = 0; i < EXEMPLARS_MAX && i < box->n; i++)
		if (box->worst[i] < lowest) {
			lowest = box->worst[i];
			box->least = i;
		}
}

/* Does the drawn event of its decade become this one? */
static inline int exemplar_draw(struct exemplar_box *box, __u32 decade, __u32 tag)
{
	if (decade >= EXEMPLAR_DECADES || tag <= box->tag[decade])
		return 0;
	box->tag[decade] = tag;
	return 1;
}

#endif
