#include "render/color/normalize.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT 11			/* bits; three of them sort 32 */
#define N_DIGITS (1u << DIGIT)

/* Positive floats sort in the order of their bits. */
struct item {
	__u32 key, at;
};

static __u32 float_bits(double density)
{
	float f = (float)density;
	__u32 bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static void sort_digit(const struct item *from, struct item *to, size_t n, unsigned shift)
{
	size_t start[N_DIGITS + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		start[(from[i].key >> shift & (N_DIGITS - 1)) + 1]++;
	for (unsigned d = 0; d < N_DIGITS; d++)
		start[d + 1] += start[d];
	for (size_t i = 0; i < n; i++)
		to[start[from[i].key >> shift & (N_DIGITS - 1)]++] = from[i];
}

static int rank_densities(double *density, size_t n)
{
	struct item *a = calloc(n + 1, sizeof(*a)), *b = calloc(n + 1, sizeof(*b));
	int err = a && b && n <= ~(__u32)0 ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++)
		a[i] = (struct item){ float_bits(density[i]), (__u32)i };
	if (!err) {
		sort_digit(a, b, n, 0);
		sort_digit(b, a, n, DIGIT);
		sort_digit(a, b, n, 2 * DIGIT);
		for (size_t i = n, best = n; i-- > 0;) {
			if (i + 1 < n && b[i].key != b[i + 1].key)
				best = i + 1;
			density[b[i].at] = (double)best / n;
		}
	}
	free(a);
	free(b);
	return err;
}

int normalize_densities(enum shade_transfer transfer, double *density, size_t n)
{
	double max = 1;

	if (transfer == SHADE_RANK)
		return rank_densities(density, n);
	for (size_t i = 0; i < n; i++)
		if (density[i] > max)
			max = density[i];
	for (size_t i = 0; i < n; i++) {
		double part = density[i] / max;

		density[i] = transfer == SHADE_LOG ? log1p(density[i]) / log1p(max)
						   : transfer == SHADE_SQRT ? sqrt(part) : part;
	}
	return 0;
}
