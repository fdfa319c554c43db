/* keytable.h - gives each key a small dense number, in the order in which they come.
 *
 *      labels --keytable_at()--> 0, 1, 2, ...
 *             --keytable_find()--> the same, or -ENOENT
 *
 * Memory  keeps its own copy of the bytes; keytable_fini() frees it.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_KEYTABLE_H
#define HEATSCOPE_KEYTABLE_H

#include "collector/core/slice.h"

struct keytable {
	size_t n_keys, n_places;	/* places: a power of two, at least twice the keys */
	__u32 *place;			/* index + 1 of a key; 0: free */
	struct labels *key;
};

void keytable_fini(struct keytable *t);		/* a zeroed table is empty and may be passed */

/* Returns the number of this key, and adds it if it is new.  -ENOMEM. */
long keytable_at(struct keytable *t, const struct labels *key);
long keytable_find(const struct keytable *t, const struct labels *key);		/* -ENOENT: it was not added */

#endif
