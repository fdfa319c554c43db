#include "render/draw/sentence.h"
#include "render/grid/axis.h"
#include <math.h>
#include <stdio.h>

/* "1,234 queries", "2 cpus, the mean of 60 slots" */
static void put_total(const struct grid *g, char *out, size_t room)
{
	const char *what = axis_unit(g->weight_unit) == AXIS_COUNT && g->weight_unit && *g->weight_unit ? g->weight_unit
												       : "events";
	char count[AXIS_TEXT], slots[AXIS_TEXT];

	axis_format_count(grid_shown(g, g->all.n_snapshots, g->all.count), count);
	axis_format_count((double)g->all.n_snapshots, slots);
	if (g->point)
		snprintf(out, room, "%s %s, the mean of %s slots", count, what, slots);
	else
		snprintf(out, room, "%s %s", count, what);
}

struct coverage {
	size_t unobserved, partial;
	__u32 every;			/* the strictest sampling; 0: none */
};

static struct coverage coverage_of(const struct grid *g)
{
	struct coverage v = { 0 };

	for (size_t col = 0; col < g->n_cols; col++) {
		enum grid_state state = grid_column_state(&g->column[col]);

		v.unobserved += state == GRID_UNOBSERVED;
		v.partial += state == GRID_PARTIAL;
		if (g->column[col].every > v.every)
			v.every = g->column[col].every;
	}
	return v;
}

void sentence_coverage(const struct grid *g, char *out, size_t room)
{
	struct coverage v = coverage_of(g);
	double share = grid_observed(g), percent = floor(1000 * share + 1e-9) / 10;
	int len = share > 0 && percent < 0.1
		? snprintf(out, room, "%u source%s, < 0.1 %% of the slots reported", g->n_sources, g->n_sources == 1 ? "" : "s")
		: snprintf(out, room, "%u source%s, %.4g %% of the slots reported", g->n_sources, g->n_sources == 1 ? "" : "s", percent);

	if (v.unobserved)
		len += snprintf(out + len, room - len, "; %zu of %zu columns not observed", v.unobserved, g->n_cols);
	if (v.partial)
		len += snprintf(out + len, room - len, "%s %zu partly lost", v.unobserved ? "," : ";", v.partial);
	if (v.every)
		snprintf(out + len, room - len, "; sampled, at worst one event in %u", v.every);
}

static void put_range(const struct grid *g, const struct zone *zone, char *out, size_t room)
{
	char range[AXIS_RANGE], start[AXIS_TEXT], utc[2 * AXIS_TEXT] = "";
	__s64 to_ns = g->from_ns + (__s64)(g->col_ns * g->n_cols);

	axis_format_range(g->from_ns, to_ns, zone, range);
	if (zone_offset(zone, g->from_ns / 1000000000) / 60) {		/* both, unless the zone shown is UTC */
		axis_format_time(g->from_ns, NULL, start);
		snprintf(utc, sizeof(utc), " (from %s UTC)", start);
	}
	snprintf(out, room, "%s%s", range, utc);
}

void sentence_summary(const struct grid *g, const struct zone *zone, char *out, size_t room)
{
	char range[256], total[128], lost[AXIS_TEXT];

	put_total(g, total, sizeof(total));
	axis_format_count((double)g->all.lost, lost);
	put_range(g, zone, range, sizeof(range));
	snprintf(out, room, "%s: %s, %s lost", range, total, lost);
}
