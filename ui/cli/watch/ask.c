#include "ui/cli/watch/ask.h"

#include <stdio.h>

void ask_selected(const struct view *v, struct query_string *out)
{
	char list[2 * KEY_TEXT_MAX];
	size_t to = 0;

	if (!v->isolated)
		return;
	for (const char *at = v->selected; *at; at++) {
		if (*at == ',' || *at == '\\')
			list[to++] = '\\';
		list[to++] = *at;
	}
	list[to] = 0;
	query_string_put(out, "selected", list);
}

void ask_seconds(const char *name, double seconds, struct query_string *out)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", seconds);
	query_string_put(out, name, seconds > 0 ? text : NULL);
}

void ask_parameters(const struct view *v, const struct subject *s, long n_cols, const char *theme,
		    struct query_string *out)
{
	static const char *const yscale[] = { [YSCALE_AUTO] = NULL, [YSCALE_LOG] = "log", [YSCALE_LINEAR] = "linear" };
	char text[32];

	query_string_put(out, "measure", s->measure[v->measure]);
	ask_seconds("duration", v->column_s * (double)n_cols, out);
	snprintf(text, sizeof(text), "%ld", n_cols);
	query_string_put(out, "ncols", text);
	snprintf(text, sizeof(text), "%d", v->row_bits);
	query_string_put(out, "row_bits", text);
	query_string_put(out, "transfer", shade_transfer_name(v->transfer));
	query_string_put(out, "yscale", yscale[v->yscale]);
	query_string_put(out, "theme", theme);
	query_string_put(out, "palette", palette_ramp_name(v->ramp));
	ask_selected(v, out);
}
