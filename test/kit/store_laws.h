/* store_laws.h - the laws that every store passes (see store.h), as tests.
 *
 * A test program defines `store_kind`, and runs the laws and its own tests as one group.
 */
#ifndef HEATSCOPE_TEST_STORE_LAWS_H
#define HEATSCOPE_TEST_STORE_LAWS_H

#include "test/kit/store_fixture.h"
#include "test/kit/store_kit.h"

static const struct kit_shape wide = {
	.n_sources = 3, .n_keys = 5, .n_axes = 3, .n_slices = 8, .first = 1000, .last = 1300, .losses = 6,
};

#define N_STORE_LAWS 21		/* of slices, settings and exemplars */
#define N_TIER_LAWS 9		/* of minutes and hours, and of what is dropped */
extern const struct CMUnitTest store_laws[N_STORE_LAWS], tier_laws[N_TIER_LAWS];

/* All laws, then the store's own tests; the exit status. */
int store_laws_run(const char *name, const struct CMUnitTest *own, size_t n_own);

#endif
