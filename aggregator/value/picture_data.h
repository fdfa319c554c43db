/* picture_data.h - what a picture was drawn from, as it travels inside the picture.
 *
 *      a value's grids -> parcel --picture_data_put()--> JSON "heatscope-grid" --png_text_put()--> PNG
 *      PNG --png_text_get()--> JSON --picture_data_get()--> parcel -> the same picture, another one, tables
 *
 * Shape   maps[0] is what a chart goes with.  Of the maps those that are drawn are the report's panels, in order.
 * Law     grids, layers, chart and table come back bit for bit, so the same options draw the same pixels.
 * Trust   picture_data_get() reads the bytes of anybody: what is not of this shape, or of more than PICTURE_DATA_CELLS
 *         cells, is refused.
 * Errors  -EINVAL and why in `reason` (PARAMS_REASON_MAX bytes); -ENOMEM.
 * Memory  picture_data_fini() frees what picture_data_get() has made; what is put is the caller's.
 */
#ifndef HEATSCOPE_PICTURE_DATA_H
#define HEATSCOPE_PICTURE_DATA_H

#include "render/document/csv.h"
#include "render/grid/layer.h"
#include "aggregator/value/params.h"
#include "aggregator/base/writer.h"
#include <jansson.h>

#define PICTURE_DATA_SCHEMA "heatscope-grid"	/* also the keyword in the PNG */
#define PICTURE_DATA_VERSION 1
#define PICTURE_DATA_CELLS (8u << 20)	/* of all maps */
#define PICTURE_DATA_COLUMNS 4000

struct picture_data_map {
	const char *measure, *title;
	struct grid *grid;
	bool drawn;
	struct report_table table;	/* of its keys; without rows: none */
};

struct picture_data {
	const char *picture;		/* "figure", "report", "chart" or "image" */
	const char *title, *subtitle;	/* NULL: none */
	const char *sentence;
	const char *made_by;		/* "heatscope 0.1.0" */
	const char *made_on;		/* "db1, Linux 6.1.0 x86_64"; NULL: not known */
	const char *author;		/* for whom or by whom it was asked for; NULL: not told */
	__s64 made_ns;
	const json_t *instrumentation;	/* as /ca gives it, with its sources */
	struct params drawn;		/* how it was drawn; of it what picture_data_drawn names */
	struct zone zone;		/* of its times */
	size_t n_maps;
	struct picture_data_map map[REPORT_PANELS_MAX];
	struct report_panel panel[REPORT_PANELS_MAX];
	struct chart chart;
	struct bar bar;
	struct bar_part part[BAR_PARTS_MAX];
	struct report report;		/* its panels, chart, bar and table; without these but for panels for a figure */
	json_t *json;			/* what picture_data_get() has read: its texts are used */
};

/* The parameters of the API that a picture is drawn anew by, ended by NULL. */
extern const char *const picture_data_drawn[];

/* Points the report to the maps that are drawn and their tables.  Its own table is that of the first map, unless that is
 * neither drawn nor charted: then of the first that is drawn. */
void picture_data_join(struct picture_data *p);

/* Its picture, in drawn.format: PNG or SVG; PDF, a report's with pages; HTML with its tables; or all of it, JSON.
 * Errors as figure_render(). */
int picture_data_draw(const struct picture_data *p, __u8 **ret_bytes, size_t *ret_len);

/* Its numbers: of the first map that is drawn, or of the table. */
int picture_data_csv(const struct picture_data *p, enum csv_table table, char **ret_text, size_t *ret_len);

/* "db1, db2" */
void picture_data_sources(const struct picture_data *p, char *out, size_t room);

/* "2026-11-21 14:05:00 UTC by heatscope 0.1.0 on db1, Linux 6.1.0 x86_64, asked for by Ada" */
void picture_data_made(const struct picture_data *p, char *out, size_t room);

/* A JSON object. */
void picture_data_put(struct bytes *out, const struct picture_data *p);

/* Puts it into its picture, and when it was made; leaves both as they are where that would be more than
 * PICTURE_DATA_CELLS or PNG_TEXT_MAX. */
int picture_data_attach(const struct picture_data *p, __u8 **png, size_t *len);

/* How it is drawn is as it was, but for the parameters given. */
int picture_data_get(const char *text, size_t len, const struct http_param *param, size_t n_params, struct picture_data *ret_data,
	       char *reason);
void picture_data_fini(struct picture_data *p);

#endif
