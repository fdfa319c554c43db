/* listing.h - lists series, names of labels and values of a label, of what was reported in a time.
 *
 *      selectors, catalog (loop) --listing_new()--> --listing_read() (the store's worker)--> --listing_write()--> JSON
 *
 * Read    The store is read only if the keys matter; else the names of fields, measures and instrumentations suffice.
 * Bound   LISTING_MAX entries; a warning says that there are more.
 * Errors  as in sources.h.
 * Memory  a listing owns all; listing_free() frees it.
 * Thread  listing_new(): the loop; then one thread at a time.
 */
#ifndef HEATSCOPE_LISTING_H
#define HEATSCOPE_LISTING_H

#include "aggregator/promql/sources.h"

#define LISTING_MAX 10000
#define LISTING_SELECTORS_MAX 16

enum listing_kind { LISTING_SERIES, LISTING_NAMES, LISTING_VALUES };

struct listing;

/* selector: those of match[]; it takes them.  n is 0: all series.  label: of LISTING_VALUES. */
int listing_new(const struct catalog *catalog, const struct export *export, enum listing_kind kind, const char *label, struct selector *selector,
		size_t n, const struct query_range *span, size_t limit, struct listing **ret_listing);
void listing_free(struct listing *l);			/* NULL is fine */
bool listing_needs_store(const struct listing *l);
int listing_read(struct listing *l, struct store *store);
int listing_write(struct listing *l, struct bytes *out);	/* a whole reply */

#endif
