#include "hue.h"
#include <math.h>

#define FIRST 21			/* CA: and then every 91 degrees */
#define STEP 91

/* Far apart for the eye, and in lightness order none beside its like under red-green deficiency;
 * the first are near those of the page (Okabe and Ito's). */
static const int best[] = { 38, 205, 160, 325, 255, 12, 80, 185 };
#define N_BEST (sizeof(best) / sizeof(*best))

static __u32 byte(double x)
{
	return (__u32)(x * 255 + 0.5);
}

static __u32 hsv(int hue, double s, double value)
{
	double part = hue / 60.0, f = part - floor(part);
	double p = value * (1 - s), q = value * (1 - s * f), t = value * (1 - s * (1 - f));
	const double rgb[6][3] = {
		{ value, t, p }, { q, value, p }, { p, value, t }, { p, q, value }, { t, p, value }, { value, p, q },
	};
	const double *c = rgb[(int)part % 6];

	return byte(c[0]) << 16 | byte(c[1]) << 8 | byte(c[2]);
}

__u32 hue_colour(enum palette_theme theme, int hue, double v)
{
	double colourful = hue == LAYER_GREY ? 0 : 0.9;

	if (theme == PALETTE_DARK)
		return hsv(hue < 0 ? 0 : hue, colourful, 0.3 + 0.65 * v);
	if (hue == LAYER_GREY)
		return hsv(0, 0, 0.95 - 0.45 * v);
	return hsv(hue, colourful * v, 0.95);
}

int hue_generated(size_t i)
{
	return (int)((FIRST + STEP * i) % 360);
}

void hue_mix_add(struct hue_mix *m, __u32 rgb, double v)
{
	m->r += (rgb >> 16 & 255) * v;
	m->g += (rgb >> 8 & 255) * v;
	m->b += (rgb & 255) * v;
	m->v += v;
	m->n++;
	m->last = rgb;
}

__u32 hue_mix_colour(const struct hue_mix *m, __u32 nothing)
{
	if (m->n < 2)
		return m->n ? m->last : nothing;
	return (__u32)(m->r / m->v) << 16 | (__u32)(m->g / m->v) << 8 | (__u32)(m->b / m->v);
}

/* FNV-1a */
static __u32 hash(const char *text)
{
	__u32 h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (__u8)*text) * 16777619u;
	return h;
}

/* The greatest layer that has no hue yet. */
static struct layer *greatest_left(struct layers *l)
{
	struct layer *found = NULL;

	for (size_t i = 0; i < l->n; i++)
		if (l->layer[i].hue == LAYER_GREY && (!found || l->layer[i].count > found->count))
			found = &l->layer[i];
	return found;
}

void hue_assign(struct layers *l)
{
	unsigned taken = 0;

	for (size_t i = 0; i < l->n; i++)
		l->layer[i].hue = LAYER_GREY;
	for (size_t i = 0; i < l->n; i++) {
		struct layer *layer = greatest_left(l);
		size_t at = hash(layer->name) % N_BEST;

		if (i >= N_BEST) {		/* by the golden angle, which repeats last */
			layer->hue = (int)(best[0] + 137.508 * (i + 1)) % 360;
			continue;
		}
		while (taken & 1u << at)
			at = (at + 1) % N_BEST;
		taken |= 1u << at;
		layer->hue = best[at];
	}
}
