/* image: draws the bare cells, as PNG, or as JSON with the keys that are present. */
#include "aggregator/value/image.h"
#include "aggregator/value/kind.h"
#include "aggregator/value/layers.h"
#include "aggregator/value/picture.h"
#include "aggregator/value/reply.h"
#include "render/encode/base64.h"
#include "render/grid/crop.h"

#include <errno.h>
#include <stdlib.h>

struct image_value {
	struct value v;
	struct value_layers layers;
	struct plan keys_plan;		/* of the same interval, if keys are read separately from columns */
};

static struct image_value *image_of(struct value *v) { return (struct image_value *)v; }

/* ---- the scale, also for details ---- */

void value_image_options(const struct value *v, struct image_options *ret_options)
{
	*ret_options = (struct image_options){
		.width = (unsigned)v->p.width, .height = (unsigned)v->p.height, .n_rows = (unsigned)v->p.nbuckets,
		.ymin = (__u64)v->p.ymin, .ymax = (__u64)v->p.ymax, .yscale = AXIS_LINEAR,
		.transfer = (enum shade_transfer)v->p.transfer, .theme = (enum palette_theme)v->p.theme,
		.ramp = params_ramp(&v->p), .weighted = v->p.weighted, .hued = v->p.palette == PARAMS_HUE, .hue = v->p.n_hues ? v->p.hue[0] : hue_generated(0),
	};
}

void value_image_options_of_grid(const struct value *v, struct image_options *ret_options, __u64 *ret_ymax)
{
	const struct grid *g = v->grid[0];
	__u64 cropped = v->p.has_ymax ? 0 : crop_end(&g, 1, (__u32)v->p.crop);
	__u64 ymax = v->p.has_ymax ? (__u64)v->p.ymax : cropped > (__u64)v->p.ymin ? cropped : image_ymax(g);

	value_image_options(v, ret_options);
	/* no rows to draw, but no error */
	ret_options->ymax = ymax > ret_options->ymin ? ymax : ret_options->ymin + 1;
	*ret_ymax = ymax;
}

void value_image_put_scale(struct bytes *out, const struct value *v, const struct image_options *o, __u64 ymax)
{
	writer_name_number(out, "nbuckets", o->n_rows);
	writer_name_number(out, "width", o->width);
	writer_name_number(out, "height", o->height);
	writer_name_number(out, "ymin", o->ymin);
	writer_name_number(out, "ymax", ymax);
	if (v->p.crop)
		writer_name_number(out, "cropped", crop_above(v->grid[0], ymax).above);
}

/* ---- reading ---- */

size_t value_image_columns(const struct value *v)
{
	return (size_t)v->p.width;
}

static void image_query(const struct value *v, struct query *q)
{
	q->cells_only = !value_attaches(v);
	q->select_kept = true;
	q->n_select = 0;		/* its layers select; the rest is the total */
	q->exclude = false;
}

static int image_plan(struct value *v, const struct catalog_inst *ci, const struct http_param *param, size_t n_params, char *reason)
{
	value_choose_tiers(v, ci);
	value_plan_totals(v, ci, &image_of(v)->keys_plan);
	return 0;
}

static int image_folds(struct value *v, const struct catalog_inst *ci, int axis, char *reason)
{
	struct query q = value_query(v, axis);
	struct value_layers *l = &image_of(v)->layers;
	int err = value_fold_add(v, &q, false);

	if (!err && v->p.format == FORMAT_JSON)
		err = value_key_fold_add(v, &q);
	l->total_is_rest = true;
	if (!err && (v->p.n_select || v->p.isolate || v->p.decompose_all))
		err = value_layers_add(v, l);
	return err;
}

/* JSON needs columns, those of a few keys apart, and the count of each key: a tenth of the slices of columns by key. */
static int image_read(struct value *v, struct store *store)
{
	const struct store_range of = { .axis = value_only_axis(v), .weight = value_only_weight(v) };
	const struct store_reader counts = { .arg = v->key_fold[0], .count = key_fold_count };
	int err;

	if (v->p.format != FORMAT_JSON || v->p.decompose_all)
		return value_read_slices(v, store);
	err = value_read_columns(v, store);
	return err ? err : value_read_plan(v, store, &image_of(v)->keys_plan, true, &of, &counts);
}

/* ---- the reply ---- */

static void put_present(struct bytes *out, struct value *v)
{
	size_t n = 0;
	const struct key_total *total = key_fold_totals(v->key_fold[0], KEYS_BY_COUNT, &n);

	writer_open(out, "present", "[");
	for (size_t i = 0; i < n; i++) {
		writer_comma(out);
		writer_text(out, total[i].text);
	}
	writer_raw(out, "]");
}

/* Takes the PNG. */
static int reply_json(struct value *v, __u8 *png, size_t len, const struct image_options *options, __u64 ymax)
{
	char *text = base64_text(png, len);
	struct bytes out = { 0 };

	free(png);
	reply_begin(v, &out);
	value_image_put_scale(&out, v, options, ymax);
	put_present(&out, v);
	writer_name(&out, "transformations");
	writer_raw(&out, "{}");
	writer_name_text(&out, "image", text ? text : "");
	free(text);
	return text ? reply_end(v, &out) : -ENOMEM;
}

static int image_make(struct value *v)
{
	struct image_options options;
	__u64 ymax;
	__u8 *png = NULL;
	size_t len = 0;
	int err = value_grids(v);

	if (!err)
		err = value_layers_put(v, &image_of(v)->layers);
	if (err)
		return err;
	value_image_options_of_grid(v, &options, &ymax);
	err = image_png(v->grid[0], &options, &png, &len);
	if (err)
		return err;
	if (v->p.format != FORMAT_PNG)
		return reply_json(v, png, len, &options, ymax);
	v->type = "image/png";
	v->data = png;
	v->len = len;
	return picture_attach(v, (__u8 **)&v->data, &v->len);
}

static void image_free(struct value *v)
{
	value_layers_fini(&image_of(v)->layers);
}

const struct value_kind value_image = {
	.name = "image", .size = sizeof(struct image_value), .class = ADMISSION_LARGE, .shows_times = true, .drawn_from = true,
	.columns = value_image_columns, .query = image_query, .plan = image_plan, .folds = image_folds,
	.read = image_read, .make = image_make, .free = image_free,
};
