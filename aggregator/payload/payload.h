/* payload.h - writes the members of a value's reply as JSON, in the shapes of doc/api.md.
 *
 *      grid, shade, palette -> "columns", "summary", "shade";  totals -> "keys", "value", "stats"
 *
 * Means   The count, sum and cells of a point metric are means of the observed slots, and may not be whole numbers.
 *         `snapshots` is the number of these slots (0: events, written as they are).  min, max and percentiles are
 *         those of all observed values.
 * Members Each function writes members of an object, or one value; the caller writes the braces.
 * Errors  the buffer remembers the first one.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_PAYLOAD_H
#define HEATSCOPE_PAYLOAD_H

#include "render/color/palette.h"
#include "render/color/shade.h"
#include "aggregator/params/params.h"
#include "aggregator/query/query.h"
#include "aggregator/query/in_flight.h"
#include "aggregator/base/writer.h"

struct payload_head {
	struct interval_ns asked, rounded;
	__u32 n_sources, min_reporting;
	double observed;		/* fold_observed() */
	__u64 tier_ns;			/* length of the slots that were read: the kernel's, minutes or hours */
	bool dropped;			/* some of the data was dropped because of its age or the limit */
	__u64 delay_ms;			/* how long it waited for sources; 0: not at all */
	enum metric_scope scope;
	__u64 n_snapshots;		/* of a point metric, in the whole interval */
};
void payload_head(struct bytes *out, const struct payload_head *head);

/* Writes "from", "column", "slot", "ncols", "nrows", "edge", "columns", "summary"; shaded as s. */
void payload_grid(struct bytes *out, const struct grid *g, const struct shade *s);

/* The same, but the grid can be restored from it bit for bit: it has times in whole ns, the sums of a point metric,
 * every mark and percentile.  Other functions write running events and layers. */
void payload_grid_exact(struct bytes *out, const struct grid *g);

/* Writes "annotations": those of its time, if there are any. */
void payload_annotations(struct bytes *out, const struct annotation_list *a);

/* Writes one column C; index: its number in the client's grid, which is shaded as s.  row_shift: row 0 here is row
 * row_shift there. */
void payload_column(struct bytes *out, const struct grid *g, const struct shade *s, size_t col, __u64 index, long row_shift);

/* Writes "transfer", "yscale", "scale", "levels" and the colours. */
void payload_shade(struct bytes *out, const struct shade *s, enum palette_theme theme, enum palette_ramp ramp);

/* The events that run at the end of a slot; also per key. */
struct payload_running {
	__s64 end_ns;			/* of the slot */
	const struct in_flight_total *total;
	size_t n;
};

void payload_order(struct bytes *out, enum key_order order);	/* writes "order": the sort key of the keys */

/* Writes "keys", in the order of `total`, and "lower_bound" if the counts are one; "share" is of all events,
 * "sum_share" of the sum of all.  running: NULL if that is not measured.  A key with running events only comes last. */
void payload_keys(struct bytes *out, const struct key_total *total, size_t n, __u64 snapshots, const struct payload_running *running);

/* Writes "running": {"time", "count", "oldest"; the object stays open. */
void payload_running(struct bytes *out, const struct payload_running *running);

/* Writes {key: {"count", ...}}. */
void payload_stats(struct bytes *out, const struct key_total *total, size_t n, __u64 snapshots);

/* Writes the raw value, by arity: keyed by discrete fields or not, distributions or counts. */
void payload_raw(struct bytes *out, const struct key_total *total, size_t n, bool keyed, bool numeric,
		 __u64 snapshots);

/* Writes {key: n}, "total": events of the keys in a cell of a picture of g.  share: the part of each of g's rows that
 * lies in the cell (image_cell_shares()).  Numbers are rounded, but no key with events becomes 0 (means are not
 * rounded). */
void payload_present(struct bytes *out, const struct key_total *total, size_t n, const struct grid *g, const double *share,
		     __u64 snapshots);

#endif
