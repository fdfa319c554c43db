#include "aggregator/base/name_index.h"

#include <glib.h>

void name_index_fini(struct name_index *x)
{
	if (x->place)
		g_hash_table_destroy(x->place);
	x->place = NULL;
}

/* GLib ends the process without memory. */
void name_index_put(struct name_index *x, const char *name, size_t place)
{
	if (!x->place)
		x->place = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_hash_table_replace(x->place, g_strdup(name), GSIZE_TO_POINTER(place));
}

size_t name_index_find(const struct name_index *x, const char *name)
{
	gpointer place;

	return x->place && g_hash_table_lookup_extended(x->place, name, NULL, &place) ? GPOINTER_TO_SIZE(place) : NAME_INDEX_NONE;
}
