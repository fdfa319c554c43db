#include "render/color/hue.h"
#include <stdlib.h>

#define FIRST 21			/* CA: and then every 91 degrees */
#define STEP 91

/* Easy to distinguish.  Sorted by lightness, no two neighbours look alike to a reader with red-green deficiency.  The
 * first ones are close to the hues of the page (Okabe and Ito's). */
static const int best[] = { 38, 205, 160, 325, 255, 12, 80, 185, 290 };
#define N_BEST (sizeof(best) / sizeof(*best))

static __u32 to_byte(double x)
{
	return (__u32)(x * 255 + 0.5);
}

static __u32 rgb_of_hsv(int hue, double s, double value)
{
	double part = hue / 60.0, f = part - (int)part;
	__u32 v = to_byte(value), p = to_byte(value * (1 - s)), q = to_byte(value * (1 - s * f)),
	      t = to_byte(value * (1 - s * (1 - f)));

	switch ((int)part % 6) {
	case 0: return v << 16 | t << 8 | p;
	case 1: return q << 16 | v << 8 | p;
	case 2: return p << 16 | v << 8 | t;
	case 3: return p << 16 | q << 8 | v;
	case 4: return t << 16 | p << 8 | v;
	default: return v << 16 | p << 8 | q;
	}
}

__u32 hue_colour(enum palette_theme theme, int hue, double v)
{
	double colourful = hue == LAYER_GREY ? 0 : 0.9;

	if (theme == PALETTE_DARK)
		return rgb_of_hsv(hue < 0 ? 0 : hue, colourful, 0.3 + 0.65 * v);
	if (hue == LAYER_GREY)
		return rgb_of_hsv(0, 0, 0.95 - 0.45 * v);
	return rgb_of_hsv(hue, colourful * v, 0.95);
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
static __u32 hash_name(const char *text)
{
	__u32 h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (__u8)*text) * 16777619u;
	return h;
}

/* The greatest total that has no hue yet. */
static size_t greatest_left(const double *total, const int *hue, size_t n)
{
	size_t found = n;

	for (size_t i = 0; i < n; i++)
		if (hue[i] == LAYER_GREY && (found == n || total[i] > total[found]))
			found = i;
	return found;
}

void hue_choose(const char *const *name, const double *total, size_t n, int *ret_hue)
{
	unsigned taken = 0;

	for (size_t i = 0; i < n; i++)
		ret_hue[i] = LAYER_GREY;
	for (size_t i = 0; i < n; i++) {
		size_t next = greatest_left(total, ret_hue, n), at = hash_name(name[next]) % N_BEST;

		if (i >= N_BEST) {		/* steps of the golden angle: these repeat latest */
			ret_hue[next] = (int)(best[0] + 137.508 * (i + 1)) % 360;
			continue;
		}
		while (taken & 1u << at)
			at = (at + 1) % N_BEST;
		taken |= 1u << at;
		ret_hue[next] = best[at];
	}
}

void hue_assign(struct layers *l)
{
	const char **name = calloc(l->n + 1, sizeof(*name));
	double *total = calloc(l->n + 1, sizeof(*total));
	int *hue = calloc(l->n + 1, sizeof(*hue));

	for (size_t i = 0; name && total && i < l->n; i++) {
		name[i] = l->layer[i].name;
		total[i] = (double)l->layer[i].count;
	}
	if (name && total && hue)
		hue_choose(name, total, l->n, hue);
	for (size_t i = 0; hue && i < l->n; i++)	/* without memory all keep one hue: still a picture */
		l->layer[i].hue = hue[i];
	free(name);
	free(total);
	free(hue);
}
