#include "render/color/palette.h"
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define AREA 165			/* of a hue's ramp: the colour of an area */
#define AREA_GREY 120

#define CURVE_STEPS 2048		/* the curve is measured in so many pieces */

struct oklab { double l, a, b; };

/* A ramp is a Bézier curve through OKLab.  The lightness of its control points is monotone, so the lightness of the
 * curve is, too.  A control point has lightness, chroma and hue in degrees. */
struct control { double l, c, h; };

#define N_CONTROL 5
static const struct control ramps[PALETTE_RAMPS][2][N_CONTROL] = {	/* for light backgrounds, for dark ones */
	[PALETTE_USUAL] = {
		{ { 0.910, 0.130, 104 }, { 0.850, 0.160, 135 }, { 0.640, 0.125, 190 },
		  { 0.480, 0.150, 250 }, { 0.240, 0.120, 283 } },
		{ { 0.310, 0.130, 285 }, { 0.470, 0.170, 258 }, { 0.640, 0.130, 195 },
		  { 0.830, 0.190, 142 }, { 0.970, 0.130, 104 } },
	},
	[PALETTE_FIRE] = {
		{ { 0.910, 0.115, 98 }, { 0.830, 0.190, 75 }, { 0.640, 0.240, 42 },
		  { 0.400, 0.170, 25 }, { 0.180, 0.060, 15 } },
		{ { 0.320, 0.110, 20 }, { 0.460, 0.210, 27 }, { 0.640, 0.230, 45 },
		  { 0.840, 0.190, 80 }, { 0.975, 0.090, 104 } },
	},
	[PALETTE_GREY] = {
		{ { 0.910, 0.004, 260 }, { 0.740, 0.006, 260 }, { 0.560, 0.008, 260 },
		  { 0.370, 0.006, 260 }, { 0.170, 0.004, 260 } },
		{ { 0.310, 0.004, 260 }, { 0.480, 0.006, 260 }, { 0.650, 0.008, 260 },
		  { 0.820, 0.006, 260 }, { 0.990, 0.002, 260 } },
	},
};

/* Lightness of the control points of a hue's ramp; a grey ramp is close to the background. */
static const double hue_light[N_CONTROL] = { 0.915, 0.80, 0.68, 0.54, 0.40 };
static const double hue_dark[N_CONTROL] = { 0.30, 0.42, 0.56, 0.72, 0.88 };
static const double grey_light[N_CONTROL] = { 0.925, 0.85, 0.77, 0.69, 0.60 };
static const double grey_dark[N_CONTROL] = { 0.29, 0.36, 0.43, 0.50, 0.57 };
#define CHROMA_MAX 0.17			/* of a hue; less if a screen cannot show it */
#define CHROMA_GREY 0.008

static double gamma_encode(double x)
{
	return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

static double gamma_decode(double x)
{
	return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static __u32 to_byte(double linear)
{
	double x = gamma_encode(linear < 0 ? 0 : linear > 1 ? 1 : linear);

	return (__u32)(x * 255 + 0.5);
}

/* Converts OKLab to linear sRGB, with the matrices of Ottosson's definition. */
static void oklab_linear(struct oklab o, double ret_rgb[3])
{
	double l = o.l + 0.3963377774 * o.a + 0.2158037573 * o.b;
	double m = o.l - 0.1055613458 * o.a - 0.0638541728 * o.b;
	double s = o.l - 0.0894841775 * o.a - 1.2914855480 * o.b;

	l = l * l * l;
	m = m * m * m;
	s = s * s * s;
	ret_rgb[0] = +4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
	ret_rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
	ret_rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static __u32 oklab_rgb(struct oklab o)
{
	double rgb[3];

	oklab_linear(o, rgb);
	return to_byte(rgb[0]) << 16 | to_byte(rgb[1]) << 8 | to_byte(rgb[2]);
}

static struct oklab oklab_of(double r, double g, double b)
{
	double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);

	return (struct oklab){ 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
			       1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
			       0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s };
}

static void control_points(const struct control *control, struct oklab ret_point[N_CONTROL])
{
	for (size_t i = 0; i < N_CONTROL; i++) {
		double angle = control[i].h * (M_PI / 180);

		ret_point[i] = (struct oklab){ control[i].l, control[i].c * cos(angle), control[i].c * sin(angle) };
	}
}

static struct oklab curve_at(const struct oklab *point, double t)
{
	struct oklab p[N_CONTROL];

	memcpy(p, point, sizeof(p));
	for (size_t n = N_CONTROL - 1; n; n--)	/* de Casteljau */
		for (size_t i = 0; i < n; i++) {
			p[i].l += (p[i + 1].l - p[i].l) * t;
			p[i].a += (p[i + 1].a - p[i].a) * t;
			p[i].b += (p[i + 1].b - p[i].b) * t;
		}
	return p[0];
}

static double oklab_distance(struct oklab p, struct oklab q)
{
	return sqrt((p.l - q.l) * (p.l - q.l) + (p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b));
}

/* colour[1..255] at equal lengths along the curve. */
static void ramp_make(const struct control *control, __u32 colour[PALETTE_COLOURS])
{
	double length[CURVE_STEPS + 1] = { 0 };
	struct oklab point[N_CONTROL], last;
	unsigned at = 0;

	control_points(control, point);
	last = curve_at(point, 0);
	for (unsigned i = 1; i <= CURVE_STEPS; i++) {
		struct oklab next = curve_at(point, (double)i / CURVE_STEPS);

		length[i] = length[i - 1] + oklab_distance(last, next);
		last = next;
	}
	for (unsigned k = 1; k < PALETTE_COLOURS; k++) {
		double want = length[CURVE_STEPS] * (k - 1) / (PALETTE_COLOURS - 2), rest;

		while (at + 1 < CURVE_STEPS && length[at + 1] < want)
			at++;
		rest = (want - length[at]) / (length[at + 1] - length[at]);
		colour[k] = oklab_rgb(curve_at(point, (at + rest) / CURVE_STEPS));
	}
}

static const struct palette light = {
	.theme = PALETTE_LIGHT,
	.page = 0xffffff, .zero = 0xffffff,
	.unobserved = 0xeceef1, .unobserved_line = 0xb4bbc4, .partial = 0xc2255c, .running = 0x9022b4,
	.text = 0x16202b, .muted = 0x526070, .axis = 0x7b8794, .rule = 0xdde2e8,
	.p50 = 0x111111, .p90 = 0x1f5fae, .p99 = 0xd1380b, .max = 0x6b3fa0, .casing = 0xffffff,
	.accent = 0x1f5fae, .note = 0x7a2f9e, .alert = 0xc4122f,
};

static const struct palette dark = {
	.theme = PALETTE_DARK,
	.page = 0x11151b, .zero = 0x11151b,
	.unobserved = 0x2a2f37, .unobserved_line = 0x59616d, .partial = 0xff6b9d, .running = 0xd68cff,
	.text = 0xeceff4, .muted = 0xa3afbd, .axis = 0x7b8794, .rule = 0x2c343f,
	.p50 = 0xffffff, .p90 = 0x7db2f5, .p99 = 0xff8a4c, .max = 0xd0a8ff, .casing = 0x0b0e12,
	.accent = 0x7db2f5, .note = 0xd49bf2, .alert = 0xff6f7d,
};

static struct palette made[PALETTE_RAMPS][2];	/* making them would take a tenth of a picture's time */

static void make_all(void)
{
	for (size_t ramp = 0; ramp < PALETTE_RAMPS; ramp++)
		for (size_t theme = 0; theme < 2; theme++) {
			struct palette *p = &made[ramp][theme];

			*p = theme == PALETTE_DARK ? dark : light;
			p->colour[0] = p->zero;
			ramp_make(ramps[ramp][theme], p->colour);
		}
}

const char *palette_ramp_name(enum palette_ramp ramp)
{
	static const char *const name[] = { [PALETTE_USUAL] = "ramp", [PALETTE_FIRE] = "fire", [PALETTE_GREY] = "grey" };

	return name[ramp];
}

void palette_make(enum palette_theme theme, enum palette_ramp ramp, struct palette *ret_palette)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_all);
	*ret_palette = made[ramp][theme == PALETTE_DARK];
}

/* The angle in OKLab of a full HSV hue, in degrees. */
static double oklab_angle(int hue)
{
	double at = hue / 60.0, x = 1 - fabs(fmod(at, 2) - 1), ramp = gamma_decode(x);
	const double rgb[6][3] = { { 1, ramp, 0 }, { ramp, 1, 0 }, { 0, 1, ramp },
				   { 0, ramp, 1 }, { ramp, 0, 1 }, { 1, 0, ramp } };
	const double *c = rgb[(int)at % 6];
	struct oklab o = oklab_of(c[0], c[1], c[2]);

	return atan2(o.b, o.a) * (180 / M_PI);
}

/* The most chroma, up to the limit, that a screen can show at this lightness and angle. */
static double chroma_within(double l, double angle, double limit)
{
	double low = 0, high = limit, a = cos(angle * (M_PI / 180)), b = sin(angle * (M_PI / 180));

	for (int i = 0; i < 20; i++) {
		double c = i ? (low + high) / 2 : limit, rgb[3];
		int shown = 1;

		oklab_linear((struct oklab){ l, c * a, c * b }, rgb);
		for (int k = 0; k < 3; k++)
			shown = shown && rgb[k] >= -1e-4 && rgb[k] <= 1 + 1e-4;
		if (shown)
			low = c;
		else
			high = c;
	}
	return low;
}

void palette_hue(enum palette_theme theme, int hue, __u32 ret_colour[PALETTE_COLOURS])
{
	const double *l = hue < 0 ? theme == PALETTE_DARK ? grey_dark : grey_light
				  : theme == PALETTE_DARK ? hue_dark : hue_light;
	double angle = hue < 0 ? 260 : oklab_angle(hue % 360);
	struct control control[N_CONTROL];

	for (size_t i = 0; i < N_CONTROL; i++)
		control[i] = (struct control){ l[i], hue < 0 ? CHROMA_GREY : chroma_within(l[i], angle, CHROMA_MAX), angle };
	ret_colour[0] = (theme == PALETTE_DARK ? dark : light).zero;
	ramp_make(control, ret_colour);
}

double palette_luminance(__u32 rgb)
{
	return 0.2126 * gamma_decode((rgb >> 16 & 255) / 255.0) +
	       0.7152 * gamma_decode((rgb >> 8 & 255) / 255.0) +
	       0.0722 * gamma_decode((rgb & 255) / 255.0);
}

__u32 palette_area(enum palette_theme theme, int hue)
{
	__u32 ramp[PALETTE_COLOURS];

	palette_hue(theme, hue, ramp);
	return ramp[hue < 0 ? AREA_GREY : AREA];
}
