/* test_lock - the flags of a contention give the type of its lock. */
#include "collector/metrics/lock.h"
#include "test/kit/check.h"

static const struct {
	unsigned flags;
	enum lock_type type;
	int spins;
} cases[] = {
	{ LCB_SPIN, LOCK_SPIN, 1 },
	{ LCB_SPIN | LCB_READ, LOCK_RWLOCK_READ, 1 },
	{ LCB_SPIN | LCB_WRITE, LOCK_RWLOCK_WRITE, 1 },
	{ LCB_MUTEX, LOCK_MUTEX, 0 },
	{ LCB_MUTEX | LCB_SPIN, LOCK_MUTEX, 0 },	/* before it sleeps */
	{ LCB_READ, LOCK_RWSEM_READ, 0 },
	{ LCB_WRITE, LOCK_RWSEM_WRITE, 0 },
	{ LCB_PERCPU | LCB_READ, LOCK_PERCPU_READ, 0 },
	{ LCB_PERCPU | LCB_WRITE, LOCK_PERCPU_WRITE, 0 },
	{ LCB_RT, LOCK_RT, 0 },
	{ LCB_RT | LCB_READ, LOCK_RT, 0 },
	{ 0, LOCK_SEMAPHORE, 0 },
};

TEST(flags_say_the_type)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(lock_type(cases[i].flags), cases[i].type);
		assert_int_equal(lock_spins(cases[i].flags), cases[i].spins);
	}
}

TEST_MAIN()
