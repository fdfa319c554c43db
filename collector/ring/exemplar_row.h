/* exemplar_row.h - the exemplars of a row of a ring as bytes: those of all CPUs together.
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

struct exemplar_row {			/* what the reader owns */
	const struct ring_plan *plan;
	struct exemplar_box *box;
	const struct exemplar *exemplar;
	const struct verbatim *text;	/* of each; NULL: they have none */
	__u64 begin_ns;			/* of its slot */
};

/* Those of all CPUs together, and empties the boxes, also where there is no memory for the bytes; nothing is put where there
 * are none.  -ENOMEM. */
int exemplars_take(const struct exemplar_row *row, const struct reader_labels *labels, struct bytes *out);

/* Instead: none, and so many events that were not considered. */
void exemplars_miss(__u64 missed, struct bytes *out);

#endif
