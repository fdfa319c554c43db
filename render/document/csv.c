#include "render/document/csv.h"
#include "collector/core/saturating.h"
#include "render/grid/axis.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ending for the name of a column of values: "_ns"; "" if they have no unit. */
static const char *unit_suffix(const char *unit)
{
	static const char *const suffixes[] = {
		[AXIS_COUNT] = "", [AXIS_NS] = "_ns", [AXIS_BYTES] = "_bytes", [AXIS_PERCENT] = "_percent", [AXIS_PER_S] = "_per_s",
		[AXIS_BYTES_PER_S] = "_bytes_per_s",
	};

	return suffixes[axis_unit(unit)];
}

/* Writes "time,count,mean_ns\r\n": a name that begins with "." is of values. */
static void put_head(FILE *f, const char *const *name, size_t n, const char *unit)
{
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s%s", i ? "," : "", name[i] + (*name[i] == '.'),
			*name[i] == '.' ? unit_suffix(unit) : "");
	fputs("\r\n", f);
}

/* "2026-11-21T14:05:00.25Z" */
static void put_time(FILE *f, const struct grid *g, size_t col)
{
	char text[AXIS_TEXT];

	axis_format_time(g->from_ns + (__s64)(col * g->col_ns), NULL, text);
	text[10] = 'T';
	fprintf(f, "%sZ", text);
}

/* Writes a sum, or in a point grid its mean. */
static void put_shown(FILE *f, const struct grid *g, __u64 n_snapshots, __u64 sum)
{
	if (g->point && n_snapshots > 1)
		fprintf(f, ",%.15g", grid_shown(g, n_snapshots, (double)sum));
	else
		fprintf(f, ",%llu", (unsigned long long)sum);
}

/* Column by column, so that lines are sorted by time. */
static void put_cells(FILE *f, const struct grid *g)
{
	const char *const head[] = { "time", ".low", ".high", g->weight ? ".sum" : "count" };

	put_head(f, head, 4, g->unit);
	for (size_t col = 0; col < g->n_cols; col++)
		for (size_t row = 0; row < g->n_rows; row++) {
			__u64 n = g->cell[row * g->n_cols + col];

			if (!n)
				continue;
			put_time(f, g, col);
			fprintf(f, ",%llu,", (unsigned long long)g->edge[row]);
			if (g->edge[row + 1] != GRID_NO_EDGE)
				fprintf(f, "%llu", (unsigned long long)g->edge[row + 1]);
			put_shown(f, g, g->column[col].n_snapshots, n);
			fputs("\r\n", f);
		}
}

static void put_columns(FILE *f, const struct grid *g)
{
	static const char *const head[] = { "time", "count", ".mean", ".p50", ".p90", ".p99", ".max", "coverage", "lost", "state" };

	put_head(f, head, 10, g->unit);
	for (size_t col = 0; col < g->n_cols; col++) {
		const struct grid_column *c = &g->column[col];
		const __u64 value[] = { c->p50, c->p90, c->p99, c->max };

		put_time(f, g, col);
		put_shown(f, g, c->n_snapshots, c->count);
		if (c->count && !saturated((double)c->sum))
			fprintf(f, ",%.15g", (double)c->sum / (double)c->count);
		else
			fputc(',', f);
		for (size_t i = 0; i < 4; i++)
			fprintf(f, c->count && (i == 3 || !g->weight) ? ",%llu" : ",", (unsigned long long)value[i]);
		if (c->n_expected)
			fprintf(f, ",%.6g", (double)c->n_reporting / c->n_expected);
		else
			fputc(',', f);
		fprintf(f, ",%llu,%s\r\n", (unsigned long long)c->lost, grid_column_word(c));
	}
}

/* Writes a text with any bytes, in quotes if it needs them. */
static void put_text(FILE *f, const char *text)
{
	if (!text[strcspn(text, "\",\r\n")]) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++)
		fputs(*text == '"' ? "\"\"" : (char[]){ *text, 0 }, f);
	fputc('"', f);
}

/* Writes the shortest number that reads back as x. */
static void put_real(FILE *f, double x)
{
	char text[32];

	if (snprintf(text, sizeof(text), "%.15g", x), strtod(text, NULL) != x)
		snprintf(text, sizeof(text), "%.17g", x);
	fprintf(f, ",%s", text);
}

static void put_keys(FILE *f, const struct report_table *t)
{
	static const char *const head[] = { "key", "count", ".sum", ".mean", ".p50", ".p90", ".p99", ".p999", ".max", "running", ".oldest" };

	put_head(f, head, t->counts_only ? 2 : t->runs ? 11 : 9, t->unit);
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct report_row *row = &t->row[i];
		const __u64 value[] = { row->mean, row->p50, row->p90, row->p99, row->p999, row->max };

		put_text(f, row->name);
		put_real(f, row->count);
		if (!t->counts_only)
			put_real(f, row->sum);
		for (size_t j = 0; j < 6 && !t->counts_only; j++)
			fprintf(f, row->count > 0 && (j || !saturated(row->sum)) ? ",%llu" : ",", (unsigned long long)value[j]);
		if (t->runs && !t->counts_only)
			fprintf(f, row->running ? ",%llu,%llu" : ",%llu,", (unsigned long long)row->running, (unsigned long long)row->oldest);
		fputs("\r\n", f);
	}
}

int csv_make(enum csv_table table, const struct grid *g, const struct report_table *t, char **ret_text, size_t *ret_len)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int failed = !f;

	if (f) {
		switch (table) {
		case CSV_CELLS: put_cells(f, g); break;
		case CSV_COLUMNS: put_columns(f, g); break;
		case CSV_KEYS: put_keys(f, t); break;
		}
		failed = ferror(f) | fclose(f);
	}
	if (failed) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	*ret_len = len;
	return 0;
}
