#include "aggregator/export/exposition.h"

#include "collector/core/utf8_length.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct bytes *out, const char *text) { bytes_put(out, text, strlen(text)); }

__attribute__((format(printf, 2, 3))) static void print(struct bytes *out, const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put(out, text);
}

/* A backslash before backslashes, quotes and ends of lines. */
static void put_quoted(struct bytes *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\n') {
			put(out, "\\n");
			continue;
		}
		if (strchr(special, *text))
			put(out, "\\");
		bytes_put(out, text, 1);
	}
}

/* name suffix{labels, more}: `more` is a label that is written already; NULL. */
static void put_sample(struct exposition *e, const char *suffix, const struct exposition_series *s, const char *more)
{
	const char *between = "{";

	put(&e->out, e->name);
	put(&e->out, suffix);
	for (size_t i = 0; i < s->n; i++, between = ",") {
		put(&e->out, between);
		put(&e->out, s->name[i]);
		put(&e->out, "=\"");
		put_quoted(&e->out, s->value[i], "\\\"");
		put(&e->out, "\"");
	}
	if (more) {
		put(&e->out, between);
		put(&e->out, more);
		between = ",";
	}
	put(&e->out, *between == ',' ? "} " : " ");
}

const char *exposition_number_text(double value, char text[32])
{
	if (!isfinite(value)) {
		strcpy(text, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
		return text;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 32, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return text;
}

static void put_number(struct bytes *out, double value)
{
	char text[32];

	put(out, exposition_number_text(value, text));
}

/* ---- text ---- */

static void text_family(struct exposition *e, const struct exposition_family *f)
{
	static const char *const types[] = { "counter", "gauge", "histogram" };

	put(&e->out, "# HELP ");
	put(&e->out, e->name);
	put(&e->out, " ");
	put_quoted(&e->out, f->help, "\\");
	put(&e->out, "\n# TYPE ");
	put(&e->out, e->name);
	print(&e->out, " %s\n", types[f->type]);
}

static void text_number(struct exposition *e, const struct exposition_series *s, double value)
{
	put_sample(e, "", s, NULL);
	put_number(&e->out, value);
	put(&e->out, "\n");
}

static void make_edges(struct exposition *e, const struct export_histogram *h, double divisor)
{
	char text[32];

	if (e->edges.ruler == h->classic_ruler && e->edges.divisor == divisor)
		return;
	e->edges.ruler = h->classic_ruler;
	e->edges.divisor = divisor;
	for (__u32 i = 0; i < ruler_cells(h->classic_ruler); i++)
		snprintf(e->edges.text[i], sizeof(e->edges.text[i]), "le=\"%s\"", exposition_number_text(exposition_edge(h, i, divisor), text));
}

double exposition_edge(const struct export_histogram *h, __u32 cell, double divisor)
{
	return cell + 1 < ruler_cells(h->classic_ruler) ? (double)ruler_last(h->classic_ruler, cell) / divisor : INFINITY;
}

static void text_histogram(struct exposition *e, const struct exposition_series *s, const struct export_histogram *h, double divisor,
			   unsigned schema)
{
	__u32 n = ruler_cells(h->classic_ruler);
	__u64 count = 0;

	make_edges(e, h, divisor);
	for (__u32 i = 0; i < n; i++) {
		count += h->classic[i];
		put_sample(e, "_bucket", s, e->edges.text[i]);
		print(&e->out, "%llu\n", (unsigned long long)count);
	}
	put_sample(e, "_sum", s, NULL);
	put_number(&e->out, (double)h->sum / divisor);
	put(&e->out, "\n");
	put_sample(e, "_count", s, NULL);
	print(&e->out, "%llu\n", (unsigned long long)h->count);
}

const struct exposition_format exposition_text = { text_family, text_number, text_histogram, NULL };

/* ---- all formats ---- */

void exposition_make_valid(char *text)
{
	for (size_t len; *text; text += len) {
		len = utf8_length((const unsigned char *)text);
		if (!len) {
			*text = '?';
			len = 1;
		}
	}
}

void exposition_begin(struct exposition *e, const struct exposition_format *format, void *arg)
{
	*e = (struct exposition){ .format = format, .arg = arg };
}

static void end_family(struct exposition *e)
{
	if (e->is_in_family && e->format->end)
		e->format->end(e);
	e->is_in_family = false;
}

void exposition_prometheus_name(const struct exposition_family *f, char out[EXPOSITION_NAME_MAX])
{
	snprintf(out, EXPOSITION_NAME_MAX, "%s%s%s%s", f->name, *f->unit ? "_" : "", f->unit, f->type == EXPOSITION_COUNTER ? "_total" : "");
	for (char *at = out; *at; at++)			/* letters, digits and _ only */
		if (!isalnum((unsigned char)*at))
			*at = '_';
}

void exposition_family(struct exposition *e, const struct exposition_family *f)
{
	end_family(e);
	exposition_prometheus_name(f, e->name);
	e->type = f->type;
	e->is_in_family = true;
	e->format->family(e, f);
}

void exposition_number(struct exposition *e, const struct exposition_series *s, double value) { e->format->number(e, s, value); }

void exposition_histogram(struct exposition *e, const struct exposition_series *s, const struct export_histogram *h, double divisor,
			  unsigned schema)
{
	e->format->histogram(e, s, h, divisor, schema);
}

void *exposition_end(struct exposition *e, size_t *ret_len)
{
	void *data;

	end_family(e);
	bytes_fini(&e->family);
	*ret_len = e->out.len;
	data = e->out.data;
	if (e->out.err)
		bytes_fini(&e->out);
	return e->out.err || !data ? NULL : data;
}
