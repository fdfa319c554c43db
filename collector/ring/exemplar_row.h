/* exemplar_row.h - merges the exemplars of all CPUs in a row of a ring, and encodes them.
 *
 *      boxes, exemplars of each CPU --exemplars_take()--> bytes (exemplars.h)
 *
 * Errors  0 or -ENOMEM.
 * Thread  the reader's.
 */
#ifndef HEATSCOPE_EXEMPLAR_ROW_H
#define HEATSCOPE_EXEMPLAR_ROW_H

#include "collector/core/exemplars.h"
#include "collector/ring/reader.h"
#include "collector/ring/statement_text.h"

struct exemplar_row {			/* a row that the reader owns */
	const struct ring_plan *plan;
	struct exemplar_box *box;
	const struct exemplar *exemplar;
	const struct statement_text *text;	/* text of each exemplar; NULL: there are no texts */
	__u64 begin_ns;			/* begin of its slot */
};

/* Writes the exemplars of all CPUs and empties the boxes, even if there is no memory for the bytes (-ENOMEM).  Writes
 * nothing if there are none. */
int exemplars_take(const struct exemplar_row *row, const struct reader_labels *labels, struct bytes *out);

/* Writes no exemplars, but the number of events that were not considered. */
void exemplars_miss(__u64 missed, struct bytes *out);

#endif
