#include "render/draw/chart.h"
#include "render/draw/caption.h"
#include "render/draw/legend.h"
#include "render/draw/plot.h"
#include "render/draw/sentence.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define LEFT_MARGIN 24
#define FRAME_MIN 50			/* px: the lowest height of a chart */
#define LABEL_GAP 24			/* px between labels of the value axis */

/* --- range ------------------------------------------------------------------------------------ */

struct range {
	enum axis_scale scale;
	double low, high;
};

/* The height of the stack in a column; NAN: not known. */
static double stack_at(const struct chart *ch, size_t n, size_t col)
{
	double sum = NAN;

	for (size_t i = 0; i < n; i++)
		if (!isnan(ch->series[i].value[col]))
			sum = (isnan(sum) ? 0 : sum) + ch->series[i].value[col];
	return sum;
}

static void extend_range(double value, double *low, double *high)
{
	if (!(value > 0))		/* NAN, or 0, which has no place on a log axis */
		return;
	*low = value < *low ? value : *low;
	*high = value > *high ? value : *high;
}

static void values_reach(const struct chart *ch, double *low, double *high)
{
	for (size_t col = 0; col < ch->grid->n_cols; col++) {
		if (ch->kind == CHART_STACKED)
			extend_range(stack_at(ch, ch->n_series, col), low, high);
		for (size_t i = 0; i < ch->n_series && ch->kind == CHART_LINES; i++)
			extend_range(ch->series[i].value[col], low, high);
	}
}

/* Rounds up to the next tenth of a decade, as the linear axis of the map does. */
static double round_up(double value)
{
	double step = pow(10, floor(log10(value))) / 10;

	return ceil(value / step - 1e-9) * step;
}

static struct range range_of(const struct chart *ch, const struct figure_options *o)
{
	struct range r = { .scale = ch->kind == CHART_STACKED ? AXIS_LINEAR : o->yscale, .low = INFINITY, .high = 0 };

	values_reach(ch, &r.low, &r.high);
	if (!(r.high > 0)) {
		r.low = 1;
		r.high = r.scale == AXIS_LOG ? 1000 : 1;
	}
	r.high = o->ymax ? (double)o->ymax : r.scale == AXIS_LOG ? axis_round_125(r.high, 1) : round_up(r.high);
	r.low = r.scale == AXIS_LINEAR ? (double)o->ymin : o->ymin ? (double)o->ymin : axis_round_125(fmax(r.low, 1), 0);
	if (r.low >= r.high)
		r.low = r.scale == AXIS_LOG ? fmax(1, r.high / 1000) : 0;
	return r;
}

/* --- frame ------------------------------------------------------------------------------------ */

static struct plot plot_of(const struct chart *ch, const struct figure_options *o, double y, double height)
{
	return (struct plot){
		.x = PLOT_LEFT, .y = y, .width = (double)o->width - PLOT_LEFT - PLOT_RIGHT, .height = height,
		.from_ns = ch->grid->from_ns, .col_ns = ch->grid->col_ns, .n_cols = ch->grid->n_cols,
		.column = ch->grid->column, .zone = o->zone,
	};
}

static double y_of(const struct plot *p, const struct range *r, double value)
{
	double at = value > 0 || r->scale == AXIS_LINEAR ? axis_at(r->scale, r->low, r->high, value) : 0;

	return p->y + p->height * (1 - fmin(fmax(at, 0), 1));
}

static void draw_value_axis(struct canvas *c, const struct plot *p, const struct range *r, enum axis_unit unit)
{
	struct tick tick[AXIS_TICKS_MAX];
	size_t n = axis_value_ticks(r->scale, unit, r->low, r->high, p->height, LABEL_GAP, tick);

	canvas_font(c, CANVAS_TEXT, false);
	for (size_t i = 0; i < n; i++) {
		double y = round(p->y + p->height * (1 - tick[i].at));

		if (tick[i].text[0] && tick[i].at > 0 && tick[i].at < 1) {
			canvas_colour(c, c->palette.rule);
			canvas_line(c, p->x, y - 0.5, p->x + p->width, y - 0.5);
		}
		canvas_colour(c, c->palette.axis);
		canvas_line(c, p->x - (tick[i].text[0] ? 6 : 4), y - 0.5, p->x - 1, y - 0.5);
		canvas_colour(c, c->palette.muted);
		canvas_text(c, CANVAS_RIGHT, p->x - 9, y + 4, tick[i].text);
	}
}

/* --- series ----------------------------------------------------------------------------------- */

static __u32 series_colour(const struct canvas *c, const struct chart_series *s)
{
	const struct palette *p = &c->palette;
	switch (s->colour) {
	case CHART_P50: return p->p50;
	case CHART_P90: return p->p90;
	case CHART_P99: return p->p99;
	case CHART_MAX: return p->max;
	default: return palette_area(p->theme, s->hue);
	}
}

/* Fills from the foot to the top of the first n series; smaller n are painted over it later. */
static void draw_area(struct canvas *c, const struct chart *ch, size_t n, const struct plot *p, const struct range *r)
{
	double foot = p->y + p->height;

	for (size_t col = 0; col < p->n_cols; col++) {
		double sum = stack_at(ch, n, col);

		if (!isnan(sum) && sum > 0)
			cairo_rectangle(c->cr, plot_x(p, col), y_of(p, r, sum), plot_x(p, col + 1) - plot_x(p, col),
					foot - y_of(p, r, sum));
	}
	cairo_fill(c->cr);
}

static void draw_stack(struct canvas *c, const struct chart *ch, const struct plot *p, const struct range *r)
{
	for (size_t n = ch->n_series; n > 0; n--) {
		canvas_colour(c, series_colour(c, &ch->series[n - 1]));
		draw_area(c, ch, n, p, r);
	}
}

/* Draws steps; the line breaks at columns without a value. */
static void draw_line(struct canvas *c, const struct chart_series *s, const struct plot *p, const struct range *r)
{
	struct trace_step *step = malloc(p->n_cols * sizeof(*step));

	for (size_t col = 0; step && col < p->n_cols; col++)
		step[col] = (struct trace_step){
			.from = plot_x(p, col), .to = plot_x(p, col + 1),
			.y = isnan(s->value[col]) ? 0 : y_of(p, r, s->value[col]), .drawn = !isnan(s->value[col]),
		};
	if (step)
		canvas_steps_cased(c, step, p->n_cols, series_colour(c, s));
	else
		c->err = -ENOMEM;
	free(step);
}

void chart_draw(struct canvas *c, const struct chart *ch, const struct figure_options *o, double y, double height,
		bool time_labels)
{
	struct plot p = plot_of(ch, o, y, height);
	struct range r = range_of(ch, o);

	plot_unobserved(c, &p);
	draw_value_axis(c, &p, &r, ch->unit);
	cairo_save(c->cr);
	cairo_rectangle(c->cr, p.x, p.y, p.width, p.height);
	cairo_clip(c->cr);
	if (ch->kind == CHART_STACKED)
		draw_stack(c, ch, &p, &r);
	for (size_t i = 0; i < ch->n_series && ch->kind == CHART_LINES; i++)
		draw_line(c, &ch->series[i], &p, &r);
	cairo_restore(c->cr);
	plot_partial(c, &p);
	plot_outline(c, &p);
	plot_time_axis(c, &p, time_labels);
	plot_marks(c, &p);
	plot_annotations(c, &p, ch->grid->annotations);
}

/* --- legend ----------------------------------------------------------------------------------- */

static size_t legend_items(const struct canvas *c, const struct chart *ch, struct legend_item item[CHART_SERIES_MAX])
{
	for (size_t i = 0; i < ch->n_series; i++)
		item[i] = (struct legend_item){
			.name = *ch->series[i].name ? ch->series[i].name : "(all)", .value = ch->series[i].total,
			.colour = c ? series_colour(c, &ch->series[i]) : 0, .line = ch->kind == CHART_LINES,
		};
	return ch->n_series;
}

unsigned chart_legend_lines(const struct chart *ch, double width)
{
	struct legend_item item[CHART_SERIES_MAX];

	return legend_lines(item, legend_items(NULL, ch, item), width);
}

void chart_legend(struct canvas *c, const struct chart *ch, double y, double width)
{
	struct legend_item item[CHART_SERIES_MAX];

	legend_draw(c, item, legend_items(c, ch, item), LEFT_MARGIN, y, width);
}

/* --- page ------------------------------------------------------------------------------------- */

size_t chart_columns(unsigned width)
{
	return width > PLOT_LEFT + PLOT_RIGHT + 1 ? width - PLOT_LEFT - PLOT_RIGHT : 1;
}

bool chart_valid(const struct chart *ch, unsigned width)
{
	return ch->n_series && ch->n_series <= CHART_SERIES_MAX && ch->grid->n_cols &&
	       ch->grid->n_cols <= chart_columns(width);
}

static void draw_page(struct canvas *c, const struct chart *ch, const struct figure_options *o)
{
	double width = c->width - LEFT_MARGIN - PLOT_RIGHT, bottom = c->height - CAPTION_FOOTER - 4;
	double legend = chart_legend_lines(ch, width) * LEGEND_LINE;
	double height = bottom - legend - CAPTION_KEY - 6 - PLOT_TIME - 4 - CAPTION_HEAD;
	struct figure_options plain = *o;
	char summary[SENTENCE_MAX];

	if (height < FRAME_MIN) {
		c->err = -EINVAL;
		return;
	}
	plain.percentiles = plain.max_marks = false;	/* the legend has their key */
	sentence_summary(ch->grid, o->zone, summary, sizeof(summary));
	canvas_describe(c, o->subtitle, summary);
	caption_head(c, o, LEFT_MARGIN, width);
	chart_draw(c, ch, o, CAPTION_HEAD, height, true);
	chart_legend(c, ch, bottom - legend - CAPTION_KEY - 2, width);
	caption_key(c, &plain, &ch->grid, 1, LEFT_MARGIN, bottom - CAPTION_KEY - 2);
	caption_footer(c, ch->grid, NULL, o, LEFT_MARGIN, bottom - 2);
}

int chart_render(const struct chart *ch, const struct figure_options *o, __u8 **ret_bytes, size_t *ret_len)
{
	struct canvas c;
	int err;

	if (!figure_size_valid(o) || !chart_valid(ch, o->width))
		return -EINVAL;
	err = canvas_init(&c, o, o->height, ch->grid->from_ns + (__s64)(ch->grid->col_ns * ch->grid->n_cols));
	if (err)
		return err;
	draw_page(&c, ch, o);
	err = canvas_bytes(&c, ret_bytes, ret_len);
	canvas_fini(&c);
	return err;
}
