/* normalize.h - converts densities to brightness 0..1, as Cloud Analytics does, and by our transfers.
 *
 *      linear   d / max, but max at least 1          rank   (N - number of greater densities) / N
 *      sqrt     root of that                         log    log(1 + d) / log(1 + max)
 *
 * Exact    Every density has its own value.  (shade.h puts densities into 255 levels.)
 * Rank     of N densities; equal densities (to 7 digits) share the best rank.
 */
#ifndef HEATSCOPE_NORMALIZE_H
#define HEATSCOPE_NORMALIZE_H

#include "render/color/shade.h"

/* Converts in place; all densities must be > 0.  -ENOMEM: no memory, or n > 2^32. */
int normalize_densities(enum shade_transfer transfer, double *density, size_t n);

#endif
