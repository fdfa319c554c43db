#include "collector/trace/wall.h"
#include "test/kit/check.h"

/* Holds whatever interrupts us between the readings. */
static void offset_lies_between_the_clocks(void **state)
{
	int i;

	for (i = 0; i < 1000; i++) {
		__s64 mono_before = clock_ns(CLOCK_MONOTONIC), wall_before = clock_ns(CLOCK_REALTIME);
		__s64 offset = wall_offset();
		__s64 mono_after = clock_ns(CLOCK_MONOTONIC), wall_after = clock_ns(CLOCK_REALTIME);

		assert_true(offset >= wall_before - mono_after);
		assert_true(offset <= wall_after - mono_before);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(offset_lies_between_the_clocks),
};

CHECK_MAIN(tests)
