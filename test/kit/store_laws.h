/* store_laws.h - declares the tests that every store passes: its laws (store.h).
 *
 * A test program defines `store_kind`; store_laws.c (slices, settings, exemplars) and store_laws_tiers.c (minutes,
 * hours, dropped slots) are among its sources, and for a store on a disk store_laws_limit.c (its size).
 */
#ifndef HEATSCOPE_STORE_LAWS_H
#define HEATSCOPE_STORE_LAWS_H

#include "test/kit/store_fixture.h"
#include "test/kit/store_kit.h"

static const struct kit_shape wide = {
	.n_sources = 3, .n_keys = 5, .n_axes = 3, .n_slices = 8, .first = 1000, .last = 1300, .losses = 6,
};

#endif
