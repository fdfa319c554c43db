#include "watch_ask.h"

#include <stdio.h>

void ask_selected(const struct view *v, struct params *out)
{
	char list[2 * KEY_BYTES_MAX];
	size_t to = 0;

	if (!v->isolated)
		return;
	for (const char *at = v->selected; *at; at++) {
		if (*at == ',' || *at == '\\')
			list[to++] = '\\';
		list[to++] = *at;
	}
	list[to] = 0;
	params_put(out, "selected", list);
}

void ask_seconds(const char *name, double seconds, struct params *out)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", seconds);
	params_put(out, name, seconds > 0 ? text : NULL);
}

void ask_parameters(const struct view *v, const struct subject *s, long n_cols, const char *theme, struct params *out)
{
	static const char *const yscale[] = { [YSCALE_AUTO] = NULL, [YSCALE_LOG] = "log", [YSCALE_LINEAR] = "linear" };
	char text[32];

	params_put(out, "measure", s->measure[v->measure]);
	ask_seconds("duration", v->column_s * (double)n_cols, out);
	snprintf(text, sizeof(text), "%ld", n_cols);
	params_put(out, "ncols", text);
	snprintf(text, sizeof(text), "%d", v->row_bits);
	params_put(out, "row_bits", text);
	params_put(out, "transfer", shade_transfer_name(v->transfer));
	params_put(out, "yscale", yscale[v->yscale]);
	params_put(out, "theme", theme);
	ask_selected(v, out);
}
