#include "ui/cli/watch/ask.h"

#include <stdio.h>

void ask_selected(const struct view *v, struct asked *out)
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
	asked_put(out, "selected", list);
}

void ask_seconds(const char *name, double seconds, struct asked *out)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", seconds);
	asked_put(out, name, seconds > 0 ? text : NULL);
}

void ask_parameters(const struct view *v, const struct subject *s, long n_cols, const char *theme, struct asked *out)
{
	static const char *const yscale[] = { [YSCALE_AUTO] = NULL, [YSCALE_LOG] = "log", [YSCALE_LINEAR] = "linear" };
	char text[32];

	asked_put(out, "measure", s->measure[v->measure]);
	ask_seconds("duration", v->column_s * (double)n_cols, out);
	snprintf(text, sizeof(text), "%ld", n_cols);
	asked_put(out, "ncols", text);
	snprintf(text, sizeof(text), "%d", v->row_bits);
	asked_put(out, "row_bits", text);
	asked_put(out, "transfer", shade_transfer_name(v->transfer));
	asked_put(out, "yscale", yscale[v->yscale]);
	asked_put(out, "theme", theme);
	asked_put(out, "palette", palette_ramp_name(v->ramp));
	ask_selected(v, out);
}
