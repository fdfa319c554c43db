/* ask.h - writes a view as parameters of the HTTP interface (doc/api.md). */
#ifndef HEATSCOPE_WATCH_ASK_H
#define HEATSCOPE_WATCH_ASK_H

#include "ui/cli/base/client.h"
#include "ui/cli/watch/view.h"

/* Writes the parameters of value/stream, and, except the time, of value/grid. */
void ask_parameters(const struct view *v, const struct subject *s, long n_cols, const char *theme,
		    struct query_string *out);

/* Adds Unix seconds, or a length of time; nothing if it is 0 or less. */
void ask_seconds(const char *name, double seconds, struct query_string *out);

/* Adds the selected key: nothing unless one is shown alone.  Its commas and backslashes are escaped. */
void ask_selected(const struct view *v, struct query_string *out);

#endif
