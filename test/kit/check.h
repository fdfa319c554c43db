/* check.h - gives a unit test its cases by name (with cmocka), and random numbers that are repeatable.
 *
 *      TEST(adding_commutes)
 *      {
 *              assert_...
 *      }
 *      TEST_MAIN()
 *
 * Each TEST is a case of its program; cases run in the order of the text.  A test program prints TAP.  The seed is
 * fixed, or taken from HEATSCOPE_SEED.  It is printed when a property fails, so the failure can be repeated.
 */
#ifndef HEATSCOPE_CHECK_H
#define HEATSCOPE_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/kit/leaks.h"

__attribute__((weak)) uint64_t check_state;	/* weak: the files of a program share it */

/* splitmix64 (Steele, Lea, Flood 2014) */
static inline uint64_t check_random(void)
{
	uint64_t z = check_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline uint64_t check_below(uint64_t n) { return check_random() % n; }

/* A value whose magnitude is uniform over the octaves, as latencies are. */
static inline uint64_t check_value(void) { return check_random() >> check_below(64); }

static inline void check_seed(void)
{
	const char *seed = getenv("HEATSCOPE_SEED");

	check_state = seed ? strtoull(seed, NULL, 0) : 20260101;
}

enum { CHECK_TESTS_MAX = 128 };

__attribute__((weak)) struct CMUnitTest check_tests[CHECK_TESTS_MAX];
__attribute__((weak)) size_t check_n_tests;

static inline void check_add(const struct CMUnitTest *test)
{
	if (check_n_tests == CHECK_TESTS_MAX)
		abort();
	check_tests[check_n_tests++] = *test;
}

static inline int check_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	check_seed();
	return _cmocka_run_group_tests("tests", check_tests, check_n_tests, setup, teardown);
}

/* The constructor's priority is its line; those up to 100 are reserved. */
#define TEST_WITH(name, setup, teardown)                                                               \
	static void name(void **state);                                                                \
	__attribute__((constructor(101 + __LINE__))) static void name##_is_a_test(void)                \
	{                                                                                              \
		check_add(&(struct CMUnitTest)cmocka_unit_test_setup_teardown(name, setup, teardown)); \
	}                                                                                              \
	static void name(void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

#define TEST_MAIN_WITH(setup, teardown) \
	int main(void) { return check_run(setup, teardown); }
#define TEST_MAIN() TEST_MAIN_WITH(NULL, NULL)

#define CHECK_MAIN(tests)                                                       \
	int main(void)                                                          \
	{                                                                       \
		cmocka_set_message_output(CM_OUTPUT_TAP);                       \
		check_seed();                                                   \
		return cmocka_run_group_tests(tests, NULL, NULL);               \
	}

#endif
