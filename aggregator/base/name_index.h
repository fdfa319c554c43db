/* name_index.h - finds the place of a name in an array of the caller's, by a hash.
 *
 *      array  db1 db2 db3  --name_index_put() of each-->  name_index_find(x, "db2") is 1
 *
 * Memory  copies the names, about 80 bytes for each.  A zeroed one is empty; name_index_fini() frees, and leaves it empty.
 * Thread  any, one at a time.
 */
#ifndef HEATSCOPE_NAME_INDEX_H
#define HEATSCOPE_NAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define NAME_INDEX_NONE SIZE_MAX

struct _GHashTable;

struct name_index {
	struct _GHashTable *place;	/* NULL: empty */
};

void name_index_fini(struct name_index *x);
void name_index_put(struct name_index *x, const char *name, size_t place);	/* replaces the name's place */
size_t name_index_find(const struct name_index *x, const char *name);		/* NAME_INDEX_NONE: it has none */

#endif
