/* store_fixture.h - opens for each test an empty store in a directory of its own.
 *
 * A test program defines `store_kind`.  Each test owns its fixture from store_setup() to store_teardown(), which
 * closes the store (unless it is NULL) and removes the directory.
 */
#ifndef HEATSCOPE_STORE_FIXTURE_H
#define HEATSCOPE_STORE_FIXTURE_H

#include "aggregator/store/store.h"
#include "test/kit/check.h"

struct fixture;

struct store_kind {
	struct store *(*open)(const char *dir);
	bool keeps;			/* what was stored is there after close and open */
	/* For the laws of a limit: */
	__u64 (*bytes)(struct fixture *f);	/* that the store takes on the disk */
	void (*shrink)(struct fixture *f, __u64 limit);	/* until the store is below it */
	bool at_any_moment;		/* the limit holds after each call, not only after shrink() */
	int times;			/* as much space as SQLite's store it needs for the same */
	int shards;			/* the limit is divided among so many, and one source fills one of them; 0: it is not divided */
};

struct fixture {			/* a test's state */
	char dir[256];
	struct store *store;
};

extern const struct store_kind store_kind;	/* the program's */

int store_setup(void **state);
int store_teardown(void **state);
void store_reopen(struct fixture *f);
#define STORE_TEST(name) TEST_WITH(name, store_setup, store_teardown)

/* Adds batches, and asserts that it worked.  Returns how many were new. */
size_t store_add(struct store *s, const struct batch *batch, size_t n);

#endif
