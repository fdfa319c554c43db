/* picture_data.h - writes and reads the data that a picture carries.
 *
 *      a value's grids -> picture_data --picture_data_put()--> JSON "heatscope-grid" --png_text_put()--> PNG
 *      PNG --png_text_get()--> JSON --picture_data_get()--> picture_data -> the same picture, another one, tables
 *
 * Shape   a chart belongs to maps[0].  The maps that are drawn are the report's panels, in order.
 * Law     grids, layers, chart and table come back bit for bit, so the same options draw the same pixels.
 * Trust   none: picture_data_get() refuses data of another shape, or of more than PICTURE_DATA_CELLS cells.
 * Errors  -EINVAL with a sentence in `reason` (PARAMS_REASON_MAX bytes); -ENOMEM.
 * Memory  picture_data_fini() frees the result of picture_data_get(); the caller owns the text of picture_data_put().
 */
#ifndef HEATSCOPE_PICTURE_DATA_H
#define HEATSCOPE_PICTURE_DATA_H

#include "render/document/csv.h"
#include "render/grid/layer.h"
#include "aggregator/params/params.h"
#include "aggregator/base/writer.h"
#include <jansson.h>

#define PICTURE_DATA_SCHEMA "heatscope-grid"	/* also the keyword in the PNG */
#define PICTURE_DATA_VERSION 1
#define PICTURE_DATA_CELLS (8u << 20)	/* of all maps together */
#define PICTURE_DATA_COLUMNS 4000

struct picture_data_map {
	const char *measure, *title;
	struct grid *grid;
	bool drawn;
	struct report_table table;	/* of its keys; no rows: no table */
};

struct picture_data {
	const char *picture;		/* "figure", "report", "chart" or "image" */
	const char *title, *subtitle;	/* NULL: none */
	const char *sentence;
	const char *made_by;		/* "heatscope 0.1.0" */
	const char *made_on;		/* "db1, Linux 6.1.0 x86_64"; NULL: unknown */
	const char *author;		/* the person who asked for it; NULL: not given */
	__s64 made_ns;
	const json_t *instrumentation;	/* as /ca returns it, with its sources */
	struct params drawn;		/* how it was drawn; only the parameters of picture_data_drawn */
	struct zone zone;		/* the zone of its times */
	size_t n_maps;
	struct picture_data_map map[REPORT_PANELS_MAX];
	struct report_panel panel[REPORT_PANELS_MAX];
	struct chart chart;
	struct bar bar;
	struct bar_part part[BAR_PARTS_MAX];
	struct report report;		/* its panels, chart, bar and table; for a figure only panels */
	json_t *json;			/* picture_data_get() has read it: its texts are used */
};

/* The parameters of the API with which a picture can be drawn again, ended by NULL. */
extern const char *const picture_data_drawn[];

/* Points the report to the maps that are drawn and their tables.  Its own table is that of the first map, unless that
 * is neither drawn nor charted: then that of the first drawn map. */
void picture_data_join(struct picture_data *p);

/* Draws it, in drawn.format: PNG or SVG; PDF, for a report with pages; HTML with its tables; or all data as JSON.
 * Errors as figure_render(). */
int picture_data_draw(const struct picture_data *p, __u8 **ret_bytes, size_t *ret_len);

/* Writes its numbers as CSV: of the first map that is drawn, or of the table. */
int picture_data_csv(const struct picture_data *p, enum csv_table table, char **ret_text, size_t *ret_len);

/* Writes "db1, db2". */
void picture_data_sources(const struct picture_data *p, char *out, size_t room);

/* Writes "2026-11-21 14:05:00 UTC by heatscope 0.1.0 on db1, Linux 6.1.0 x86_64, asked for by Ada". */
void picture_data_made(const struct picture_data *p, char *out, size_t room);

/* Writes a JSON object. */
void picture_data_put(struct bytes *out, const struct picture_data *p);

/* Puts it, and the time when it was made, into its picture; does not change the picture if that would be more than
 * PICTURE_DATA_CELLS or PNG_TEXT_MAX. */
int picture_data_attach(const struct picture_data *p, __u8 **png, size_t *len);

/* Reads it.  It is drawn as it was, except for the given parameters. */
int picture_data_get(const char *text, size_t len, const struct http_param *param, size_t n_params, struct picture_data *ret_data,
	       char *reason);
void picture_data_fini(struct picture_data *p);

#endif
