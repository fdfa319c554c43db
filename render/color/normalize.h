/* normalize.h - densities to brightness 0..1, exactly: Cloud Analytics' normalisation, and our transfers.
 *
 *      linear   d / max, but max at least 1          rank   (N - how many are greater) / N
 *      sqrt     root of that                         log    log(1 + d) / log(1 + max)
 *
 * Where shade.h puts densities into 255 levels, here every one has its own value.
 * Rank     of N densities; equal ones (to 7 digits) share the best.
 */
#ifndef HEATSCOPE_NORMALIZE_H
#define HEATSCOPE_NORMALIZE_H

#include "render/color/shade.h"

/* In place; all > 0.  -ENOMEM, or n beyond 2^32. */
int normalize_densities(enum shade_transfer transfer, double *density, size_t n);

#endif
