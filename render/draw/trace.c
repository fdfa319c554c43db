#include "render/draw/trace.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The parts of the line that lie in one column of pixels, and how much of each row they cover. */
struct part {
	double left, right, top, bottom;
};

struct column {
	struct part *part;
	size_t n, room;
	double *edge;			/* left and right edges of the parts */
	float *cover;			/* of each row: 0..1 */
	unsigned height;
	unsigned first, end;		/* rows that are covered at all */
};

static int column_init(struct column *c, unsigned height)
{
	*c = (struct column){ .height = height, .cover = calloc(height, sizeof(*c->cover)) };
	return c->cover ? 0 : -ENOMEM;
}

static void column_fini(struct column *c)
{
	free(c->part);
	free(c->edge);
	free(c->cover);
}

/* For numbers only, not NAN; fmin() and fmax() would be calls. */
static double lesser_of(double a, double b) { return a < b ? a : b; }
static double greater_of(double a, double b) { return a > b ? a : b; }

/* Adds the piece of a part that lies in the column of pixels x..x+1; sorted by `top`. */
static int column_put(struct column *c, double x, struct part p)
{
	size_t at = c->n;

	p.left = greater_of(p.left, x);
	p.right = lesser_of(p.right, x + 1);
	p.top = greater_of(p.top, 0);
	p.bottom = lesser_of(p.bottom, c->height);
	if (p.left >= p.right || p.top >= p.bottom)
		return 0;
	if (c->n == c->room) {
		size_t room = c->room ? c->room * 2 : 16;
		struct part *part = realloc(c->part, room * sizeof(*part));
		double *edge;

		if (!part)
			return -ENOMEM;
		c->part = part;
		edge = realloc(c->edge, 2 * room * sizeof(*edge));
		if (!edge)
			return -ENOMEM;
		c->edge = edge;
		c->room = room;
	}
	for (; at && c->part[at - 1].top > p.top; at--)
		c->part[at] = c->part[at - 1];
	c->part[at] = p;
	c->n++;
	return 0;
}

static size_t column_edges(struct column *c)
{
	size_t n = 0;

	for (size_t i = 0; i < 2 * c->n; i++) {
		double edge = i % 2 ? c->part[i / 2].right : c->part[i / 2].left;
		size_t at = n++;

		for (; at && c->edge[at - 1] > edge; at--)
			c->edge[at] = c->edge[at - 1];
		c->edge[at] = edge;
	}
	return n;
}

/* Adds to the rows top..bottom; `share` of each pixel's width is covered. */
static void column_fill(struct column *c, double top, double bottom, double share)
{
	unsigned first = (unsigned)top, last = (unsigned)bottom;

	if (first < c->first)
		c->first = first;
	if (last + 1 > c->end)
		c->end = last + 1 < c->height ? last + 1 : c->height;
	if (first == last) {
		c->cover[first] += (float)((bottom - top) * share);
		return;
	}
	c->cover[first] += (float)((first + 1 - top) * share);
	for (unsigned row = first + 1; row < last; row++)
		c->cover[row] += (float)share;
	if (last < c->height)
		c->cover[last] += (float)((bottom - last) * share);
}

/* Between two neighbouring edges each part is there or not.  Covers the rows of all parts together, each row once. */
static void column_slab(struct column *c, double left, double right)
{
	double top = 0, bottom = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct part *p = &c->part[i];

		if (p->left > left || p->right < right)
			continue;
		if (p->top > bottom) {
			if (bottom > top)
				column_fill(c, top, bottom, right - left);
			top = p->top;
			bottom = p->bottom;
		} else if (p->bottom > bottom) {
			bottom = p->bottom;
		}
	}
	if (bottom > top)
		column_fill(c, top, bottom, right - left);
}

static void column_cover(struct column *c, __u8 *mask, size_t stride)
{
	size_t n = column_edges(c);

	c->first = c->height;
	c->end = 0;
	for (size_t i = 0; i + 1 < n; i++)
		if (c->edge[i + 1] > c->edge[i])
			column_slab(c, c->edge[i], c->edge[i + 1]);
	for (unsigned row = c->first; row < c->end; row++) {
		mask[row * stride] = (__u8)(fminf(c->cover[row], 1) * 255 + 0.5f);
		c->cover[row] = 0;
	}
}

/* Adds a step, and the upright line to the previous step. */
static int put_step(struct column *c, const struct trace_step *s, bool joined, double x, double half)
{
	int err;

	if (!s->drawn)
		return 0;
	err = column_put(c, x, (struct part){ s->from, s->to, s->y - half, s->y + half });
	if (!err && joined)
		err = column_put(c, x, (struct part){ s->from - half, s->from + half, lesser_of(s[-1].y, s->y) - half,
						      greater_of(s[-1].y, s->y) + half });
	return err;
}

int trace_cover(const struct trace_step *step, size_t n, double thick, __u8 *mask, size_t stride, unsigned width,
		unsigned height)
{
	double half = thick / 2;
	struct column c;
	int err = column_init(&c, height);
	size_t first = 0;

	for (unsigned y = 0; y < height; y++)
		memset(mask + y * stride, 0, width);
	for (unsigned x = 0; !err && x < width; x++) {
		while (first < n && step[first].to + half <= x)
			first++;
		c.n = 0;
		for (size_t i = first; !err && i < n && step[i].from - half < x + 1; i++)
			err = put_step(&c, &step[i], i && step[i - 1].drawn, x, half);
		if (!err && c.n)
			column_cover(&c, mask + x, stride);
	}
	column_fini(&c);
	return err;
}
