/* check.h - what every unit test includes: cmocka, and numbers that are random but repeatable.
 *
 * A test program prints TAP.  The seed is fixed, or taken from HEATSCOPE_SEED, and printed when a
 * property fails, so that a failure can be repeated.
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

#define CHECK_MAIN(tests)                                                       \
	int main(void)                                                          \
	{                                                                       \
		cmocka_set_message_output(CM_OUTPUT_TAP);                       \
		check_seed();                                                   \
		return cmocka_run_group_tests(tests, NULL, NULL);               \
	}

#endif
