#include "ui/cli/watch/plot.h"

#include <math.h>
#include <string.h>

#define NARROWEST 1.05			/* high / low of a log axis */
#define NARROWEST_PART 0.001		/* of a linear one's high */
#define ROW_BITS_MAX 5
#define PERCENT_END 100

/* --- the axis --- */

struct used {
	double low, high;
	bool under, over;
};

static void use_values(struct used *u, const struct map *m, double low, double high)
{
	bool under = map_is_underflow(m, low), over = map_is_overflow(high);

	u->under |= under;
	u->over |= over;
	u->low = fmin(u->low, under ? high : low);
	u->high = fmax(u->high, over ? low : high);
}

static struct used used_of(const struct map *m)
{
	struct used u = { .low = INFINITY };

	for (size_t i = 0; i < m->n_cols; i++) {
		const struct map_column *c = &m->column[i];

		for (size_t j = 0; j < c->n_cells; j++)
			use_values(&u, m, m->edge[c->cell[j].row], m->edge[c->cell[j].row + 1]);
		for (size_t j = 0; j < c->n_running; j++)
			use_values(&u, m, c->running[j].low, c->running[j].high);
	}
	if (isinf(u.low) || isinf(u.high))	/* nothing, or nothing but under- and overflow */
		u = (struct used){ isinf(u.low) ? 1000 : u.low, isinf(u.low) ? 1e6 : u.low * 1000, u.under, u.over };
	return u;
}

/* A fifth of a round step above. */
static double tick_above(double value)
{
	double step = axis_round_125(value / 5, 1);

	return ceil(value / step - 1e-9) * step;
}

struct domain domain_of(const struct map *m)
{
	struct used u = used_of(m);
	struct domain d = { .kind = m->yscale, .under = u.under, .over = u.over };

	if (d.kind == AXIS_LINEAR) {
		d.high = !strcmp(m->unit, "%") && u.high <= PERCENT_END ? PERCENT_END : tick_above(fmax(1, u.high));
		return d;
	}
	d.low = axis_round_125(fmax(1, u.low), 0);
	d.high = axis_round_125(fmax(1, u.high), 1);
	if (d.high <= d.low)
		d.high = d.low * 10;
	return d;
}

struct domain domain_widen(struct domain before, struct domain now)
{
	if (before.kind != now.kind || !(before.high > before.low))
		return now;
	now.low = fmin(before.low, now.low);
	now.high = fmax(before.high, now.high);
	now.under |= before.under;
	now.over |= before.over;
	return now;
}

static double to_axis(const struct domain *d, double value) { return d->kind == AXIS_LOG ? log(value) : value; }
static double from_axis(const struct domain *d, double at) { return d->kind == AXIS_LOG ? exp(at) : at; }

struct domain domain_zoom(struct domain now, struct domain used, double factor, double at)
{
	double middle = to_axis(&now, fmin(now.high, fmax(now.low, at)));
	struct domain d = now;

	d.low = fmax(used.low, from_axis(&now, middle + (to_axis(&now, now.low) - middle) * factor));
	d.high = fmin(used.high, from_axis(&now, middle + (to_axis(&now, now.high) - middle) * factor));
	if (d.kind == AXIS_LOG ? d.high < d.low * NARROWEST : d.high - d.low < d.high * NARROWEST_PART)
		return now;
	d.under = used.under && d.low <= used.low;
	d.over = used.over && d.high >= used.high;
	return d;
}

/* --- pixels --- */

static long body_first(const struct plot *p) { return p->domain.under; }
static long body_size(const struct plot *p) { return p->n_pixels - p->domain.under - p->domain.over; }

static double at_of(const struct plot *p, double value)
{
	const struct domain *d = &p->domain;

	return (double)body_first(p) + axis_at(d->kind, d->low, d->high, value) * (double)body_size(p);
}

/* The inverse of at_of(). */
static double value_at(const struct plot *p, double at)
{
	const struct domain *d = &p->domain;
	double part = (at - (double)body_first(p)) / (double)body_size(p);

	return from_axis(d, to_axis(d, d->low) + (to_axis(d, d->high) - to_axis(d, d->low)) * part);
}

static long clamp_pixel(double x, long least, long most)
{
	return x < (double)least ? least : x > (double)most ? most : (long)x;
}

bool plot_span(const struct plot *p, double low, double high, long *ret_first, long *ret_last)
{
	long top = body_first(p) + body_size(p) - 1;
	double from_at, to_at, first, last;

	if (map_is_underflow(p->map, low)) {
		*ret_first = *ret_last = 0;
		return p->domain.under;
	}
	if (map_is_overflow(high)) {
		*ret_first = *ret_last = p->n_pixels - 1;
		return p->domain.over;
	}
	if (low >= p->domain.high * (1 - 1e-9) || high <= p->domain.low * (1 + 1e-9))
		return false;
	from_at = at_of(p, fmax(low, p->domain.low));
	to_at = at_of(p, high);
	first = floor(from_at + 0.5);
	last = floor(to_at + 0.5) - 1;
	if (last < first)			/* thinner than a pixel: the one that has most of it */
		first = last = floor((from_at + to_at) / 2);
	*ret_first = clamp_pixel(first, body_first(p), top);
	*ret_last = clamp_pixel(last, *ret_first, top);
	return true;
}

int plot_row_bits(const struct plot *p)
{
	const struct domain *d = &p->domain;
	double octave = d->kind == AXIS_LOG ? (double)body_size(p) / log2(d->high / d->low)
					    : (double)body_size(p) * d->high / 2 / (d->high - d->low);

	return (int)clamp_pixel(round(log2(octave)), 0, ROW_BITS_MAX);
}

void plot_levels(const struct plot *p, size_t col, unsigned char ret_level[PLOT_PIXELS_MAX])
{
	const struct map *m = p->map;
	const struct map_column *c = &m->column[col];
	long first, last;

	memset(ret_level, 0, PLOT_PIXELS_MAX);
	for (size_t i = 0; i < c->n_cells; i++) {
		size_t row = c->cell[i].row;
		unsigned level = shade_density_index(m->level, c->cell[i].n * m->scale[row] * c->share);

		if (plot_span(p, m->edge[row], m->edge[row + 1], &first, &last))
			for (long at = first; at <= last; at++)
				if (level > ret_level[at])
					ret_level[at] = (unsigned char)level;
	}
}

void plot_running(const struct plot *p, size_t col, double ret_n[PLOT_PIXELS_MAX])
{
	const struct map_column *c = &p->map->column[col];
	long first, last;

	memset(ret_n, 0, PLOT_PIXELS_MAX * sizeof(*ret_n));
	for (size_t i = 0; i < c->n_running; i++)
		if (plot_span(p, c->running[i].low, c->running[i].high, &first, &last))
			for (long at = first; at <= last; at++)
				ret_n[at] += c->running[i].n;
}

/* The values of the rows that a pixel shows; without rows, the values between its edges. */
static void pixel_range(const struct plot *p, long pixel, double *ret_low, double *ret_high)
{
	const struct map *m = p->map;
	long first, last;
	bool any = false;

	for (size_t row = 0; row < m->n_rows; row++) {
		if (!plot_span(p, m->edge[row], m->edge[row + 1], &first, &last) || pixel < first || pixel > last)
			continue;
		*ret_low = any ? *ret_low : m->edge[row];
		*ret_high = m->edge[row + 1];
		any = true;
	}
	if (any)
		return;
	*ret_low = value_at(p, (double)pixel);
	*ret_high = value_at(p, (double)pixel + 1);
}

struct plot_cell plot_cell(const struct plot *p, size_t col, long pixel)
{
	const struct map *m = p->map;
	const struct map_column *c = &m->column[col];
	double running[PLOT_PIXELS_MAX];
	struct plot_cell cell = { .n = 0 };
	long first, last;

	pixel_range(p, pixel, &cell.low, &cell.high);
	for (size_t i = 0; i < c->n_cells; i++) {
		size_t row = c->cell[i].row;

		if (plot_span(p, m->edge[row], m->edge[row + 1], &first, &last) && pixel >= first && pixel <= last)
			cell.n += c->cell[i].n;
	}
	plot_running(p, col, running);
	cell.running = running[pixel];
	return cell;
}

long plot_pixel(const struct plot *p, double value)
{
	if (p->domain.kind == AXIS_LOG && !(value > 0))
		return 0;
	return clamp_pixel(floor(at_of(p, value)), 0, p->n_pixels - 1);
}

long plot_pixel_at(const struct plot *p, double at)
{
	return clamp_pixel((double)body_first(p) + floor(at * (double)body_size(p)), 0, p->n_pixels - 1);
}

long plot_step(const struct plot *p, long pixel, int direction)
{
	double low, high, next_low, next_high;
	long next = pixel + direction;

	pixel_range(p, pixel, &low, &high);
	for (; next >= 0 && next < p->n_pixels; next += direction) {
		pixel_range(p, next, &next_low, &next_high);
		if (next_low != low || next_high != high)
			return next;
	}
	return pixel;
}

double plot_value(const struct plot *p, long pixel)
{
	return value_at(p, (double)pixel + 0.5);
}

double plot_beyond(const struct plot *p)
{
	const struct map *m = p->map;
	double n = 0;
	long first, last;

	for (size_t i = 0; i < m->n_cols; i++)
		for (size_t j = 0; j < m->column[i].n_cells; j++) {
			const struct map_cell *cell = &m->column[i].cell[j];

			if (!plot_span(p, m->edge[cell->row], m->edge[cell->row + 1], &first, &last))
				n += cell->n;
		}
	return n;
}
