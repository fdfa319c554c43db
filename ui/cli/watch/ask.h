/* ask.h - a view in the parameters of the HTTP interface: doc/api.md. */
#ifndef HEATSCOPE_WATCH_ASK_H
#define HEATSCOPE_WATCH_ASK_H

#include "ui/cli/client.h"
#include "ui/cli/watch/view.h"

/* Of value/stream, and but for its time of value/grid. */
void ask_parameters(const struct view *v, const struct subject *s, long n_cols, const char *theme,
		    struct query_string *out);

/* Unix seconds, or a length of time; not above 0: nothing. */
void ask_seconds(const char *name, double seconds, struct query_string *out);

/* Which keys: nothing unless one is shown alone.  Its commas and backslashes are escaped. */
void ask_selected(const struct view *v, struct query_string *out);

#endif
