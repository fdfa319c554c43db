/* store_laws.h - the laws that every store passes (see store.h), as tests.
 *
 * A test program defines `store_kind`, puts N_STORE_LAWS tests from store_laws[] before its own,
 * and runs them as one group.  Each law gets an empty store in a directory of its own.
 */
#ifndef HEATSCOPE_TEST_STORE_LAWS_H
#define HEATSCOPE_TEST_STORE_LAWS_H

#include "aggregator/store.h"
#include "check.h"

struct store_kind {
	struct store *(*open)(const char *dir);
	bool keeps;			/* what was stored is there after close and open */
};

struct fixture {			/* a test's state */
	char dir[256];
	struct store *store;
};

extern const struct store_kind store_kind;	/* the program's */

#define N_STORE_LAWS 30
extern const struct CMUnitTest store_laws[N_STORE_LAWS];

int store_setup(void **state);
int store_teardown(void **state);
void store_reopen(struct fixture *f);

/* Adds, and asserts that it worked; how many were new. */
size_t store_add(struct store *s, const struct batch *batch, size_t n);

#endif
