/* describe: prints a picture in words, for people who cannot see it: its subject and time, its shape, its numbers. */
#include "ui/cli/base/describe.h"
#include "ui/cli/base/command.h"
#include "collector/core/saturating.h"
#include "render/grid/axis.h"
#include "render/document/narrative.h"
#include "render/draw/sentence.h"

#include <stdio.h>

#define TEXT_MAX 1024

static void print_line(const char *name, const char *value)
{
	if (*value)
		show_print(stdout, "%-16s %s\n", name, value);
}

static const char *text_of(const struct picture_data *p, const char *name)
{
	const char *text = json_string_value(json_object_get(p->instrumentation, name));

	return text ? text : "";
}

static void print_origin(const struct picture_data *p)
{
	const struct grid *g = p->map[0].grid;
	char text[TEXT_MAX], slot[AXIS_TEXT], column[AXIS_TEXT];

	snprintf(text, sizeof(text), "%.200s%s%.200s", p->title ? p->title : "", p->subtitle ? "; " : "", p->subtitle ? p->subtitle : "");
	print_line("what", text);
	print_line("when", p->sentence);
	sentence_coverage(g, text, sizeof(text));
	print_line("coverage", text);
	axis_format_span(g->slot_ns, slot);
	axis_format_span(g->col_ns, column);
	snprintf(text, sizeof(text), "%zu of %s, of slots of %s", g->n_cols, column, slot);
	print_line("columns", text);
	snprintf(text, sizeof(text), "%.20s, %.60s.%.60s", text_of(p, "id"), text_of(p, "module"), text_of(p, "stat"));
	print_line("instrumentation", text);
	picture_data_sources(p, text, sizeof(text));
	print_line("sources", text);
	picture_data_made(p, text, sizeof(text));
	print_line("made", text);
	print_line("picture", p->picture);
}

/* A sum that saturated has no mean. */
static const char *mean_text(double sum, double mean, const char *unit, char out[32])
{
	return saturated(sum) ? "-" : value_text(mean, unit, out);
}

/* Sums of a weight have no ranks. */
static const char *rank_text(const struct grid *g, __u64 value, char out[32])
{
	return g->weight || !g->all.count ? "-" : percentile_text((double)value, (double)grid_least(g), g->unit, out);
}

static void print_maps(const struct picture_data *p)
{
	struct table t = { .n_columns = 9, .right = { 0, 1, 1, 1, 1, 1, 1, 1, 1 } };

	table_add(&t, "MEASURE", "COUNT", "MEAN", "P50", "P90", "P99", "P99.9", "MAX", "LOST");
	for (size_t i = 0; i < p->n_maps; i++) {
		const struct grid *g = p->map[i].grid;
		const struct grid_summary *s = &g->all;
		char count[AXIS_TEXT], lost[AXIS_TEXT], mean[32], p50[32], p90[32], p99[32], p999[32], max[32];

		axis_format_count(grid_shown(g, s->n_snapshots, (double)s->count), count);
		axis_format_count((double)s->lost, lost);
		table_add(&t, p->map[i].measure, count,
			  s->count ? mean_text((double)s->sum, (double)s->sum / (double)s->count, g->unit, mean) : "-",
			  rank_text(g, s->p50, p50), rank_text(g, s->p90, p90), rank_text(g, s->p99, p99), rank_text(g, s->p999, p999),
			  s->count ? value_text((double)s->max, g->unit, max) : "-", lost);
	}
	putchar('\n');
	table_print(&t);
}

static void print_narratives(const struct picture_data *p)
{
	for (size_t i = 0; i < p->n_maps; i++) {
		char text[NARRATIVE_TEXT];

		narrative_text(p->map[i].grid, &p->map[i].table, &p->zone, text);
		print_line(p->map[i].measure, text);
	}
}

/* Without events that ended a key has no percentiles. */
static const char *ended_text(const struct report_row *row, __u64 value, __u64 least, const char *unit, char out[32])
{
	return row->count > 0 ? percentile_text((double)value, (double)least, unit, out) : "-";
}

/* The key comes last: a statement may be longer than the line. */
static void add_key(struct table *t, const struct report_table *r, const struct report_row *row, double all)
{
	char sum[32], part[32], count[AXIS_TEXT], mean[32], p50[32], p99[32], max[32], running[AXIS_TEXT], oldest[32];

	axis_format_count(row->count, count);
	axis_format_count((double)row->running, running);
	snprintf(part, sizeof(part), "%.1f %%", all > 0 ? 100 * row->sum / all : 0);
	table_add(t, value_text(row->sum, r->unit, sum), part, count,
		  row->count > 0 ? mean_text(row->sum, (double)row->mean, r->unit, mean) : "-",
		  ended_text(row, row->p50, r->least, r->unit, p50), ended_text(row, row->p99, r->least, r->unit, p99), ended_text(row, row->max, 0, r->unit, max),
		  r->runs ? running : row->name, row->running ? value_text((double)row->oldest, r->unit, oldest) : "-", row->name);
}

static void print_keys(const struct report_table *r)
{
	struct table t = { .n_columns = r->runs ? 10 : 8, .right = { 1, 1, 1, 1, 1, 1, 1, r->runs, r->runs } };
	const char *title = r->title ? r->title : "";
	double all = 0;

	if (!r->n_rows)
		return;
	show_print(stdout, *title ? "\n%s\n" : "\n", title);
	table_add(&t, axis_sum_heading(axis_unit(r->unit)), "SHARE", "COUNT", "MEAN", "P50", "P99", "MAX", r->runs ? "RUNNING" : "KEY",
		  "OLDEST", "KEY");
	for (size_t i = 0; i < r->n_rows; i++)
		all += r->row[i].sum;
	for (size_t i = 0; i < r->n_rows; i++)
		add_key(&t, r, &r->row[i], all);
	table_print(&t);
}

void describe_print(const struct picture_data *p)
{
	print_origin(p);
	print_narratives(p);
	print_maps(p);
	for (size_t i = 0; i < p->n_maps; i++)
		print_keys(&p->map[i].table);
}

int describe_reply(const char *data, size_t len, char *reason)
{
	struct picture_data p;
	int err = picture_data_get(data, len, NULL, 0, &p, reason);

	if (err)
		return err;
	describe_print(&p);
	picture_data_fini(&p);
	return 0;
}
