#include "collector/core/amount.h"
#include "test/kit/check.h"

#include <errno.h>
#include <string.h>

static void a_value_becomes_a_whole_number_of_its_unit(void **state)
{
	static const struct { const char *text; enum ruler_unit unit; __u64 value; } cases[] = {
		{ "10ms", UNIT_NS, 10000000 }, { "10 ms", UNIT_NS, 10000000 }, { " 1.5 s ", UNIT_NS, 1500000000 }, { "7ns", UNIT_NS, 7 },
		{ "20us", UNIT_NS, 20000 }, { "20µs", UNIT_NS, 20000 }, { "0", UNIT_NS, 0 }, { "0.0", UNIT_NS, 0 }, { "0s", UNIT_NS, 0 },
		{ "4KiB", UNIT_BYTES, 4096 }, { "1.5 MiB", UNIT_BYTES, 1572864 }, { "12 B", UNIT_BYTES, 12 }, { "2GiB", UNIT_BYTES, 1ull << 31 },
		{ "4kB", UNIT_BYTES, 4000 }, { "0", UNIT_BYTES, 0 }, { "10MB/s", UNIT_BYTES_PER_S, 10000000 }, { "1 KiB/s", UNIT_BYTES_PER_S, 1024 },
		{ "50", UNIT_PERCENT, 50 }, { "50 %", UNIT_PERCENT, 50 }, { "7/s", UNIT_PER_S, 7 }, { "7", UNIT_PER_S, 7 },
		{ "12", UNIT_NONE, 12 }, { "9223372036854775807", UNIT_NONE, 9223372036854775807 },
	};
	char reason[AMOUNT_REASON] = "";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		__u64 value = 99;

		if (amount_parse(cases[i].text, strlen(cases[i].text), cases[i].unit, "latency", &value, NULL, reason))
			fail_msg("%s: %s", cases[i].text, reason);
		if (value != cases[i].value)
			fail_msg("%s is %llu", cases[i].text, (unsigned long long)value);
	}
}

static void a_bare_number_of_times_and_sizes_is_refused(void **state)
{
	static const struct { const char *text; enum ruler_unit unit; size_t at; const char *reason; } cases[] = {
		{ "100", UNIT_NS, 0, "latency needs a unit: one of ns, us, ms, s" },
		{ "0.5", UNIT_NS, 0, "latency needs a unit: one of ns, us, ms, s" },
		{ "4096", UNIT_BYTES, 0, "latency needs a unit: one of B, kB, MB, GB, KiB, MiB, GiB" },
		{ "4096", UNIT_BYTES_PER_S, 0, "latency needs a unit: one of B/s, kB/s, MB/s, GB/s" },
		{ "10 KiB", UNIT_NS, 3, "\"KiB\" is not a unit of latency (units: ns, us, ms, s)" },
		{ "10min", UNIT_NS, 2, "\"min\" is not a unit of latency (units: ns, us, ms, s)" },
		{ "10 ms 5", UNIT_NS, 3, "\"ms 5\" is not a unit of latency" },
		{ "5s", UNIT_NONE, 1, "\"s\" is not a unit of latency (units: none)" },
		{ "5s", UNIT_PERCENT, 1, "\"s\" is not a unit of latency (units: %)" },
		{ "", UNIT_NS, 0, "latency is a number: digits and a unit" },
		{ "ms", UNIT_NS, 0, "latency is a number: digits and a unit" },
		{ "-5ms", UNIT_NS, 0, "latency is a number: digits and a unit" },
		{ "nan", UNIT_NONE, 0, "latency is a number: digits" },
		{ "1e6", UNIT_NONE, 1, "\"e6\" is not a unit of latency" },
		{ "1.5ns", UNIT_NS, 0, "this is not a whole number of ns" },
		{ "0.5", UNIT_NONE, 0, "this is not a whole number" },
		{ "9223372036.9 s", UNIT_NS, 0, "this number is too large" },
		{ "9223372036854775808", UNIT_NONE, 0, "this number is too large" },
	};
	char reason[AMOUNT_REASON];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *at = NULL;
		__u64 value = 99;

		assert_int_equal(amount_parse(cases[i].text, strlen(cases[i].text), cases[i].unit, "latency", &value, &at, reason), -EINVAL);
		assert_int_equal(value, 99);
		if (at != cases[i].text + cases[i].at || strncmp(reason, cases[i].reason, strlen(cases[i].reason)))
			fail_msg("%s, at %td: \"%s\"", cases[i].text, at - cases[i].text, reason);
	}
}

static void units_are_known_by_their_names_in_replies(void **state)
{
	static const char *const names[] = { "", "ns", "bytes", "%", "/s", "bytes/s" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(amount_unit(names[i]), i);
		assert_string_equal(amount_unit_name((enum ruler_unit)i), names[i]);
	}
	assert_int_equal(amount_unit("events"), UNIT_NONE);
	assert_string_equal(amount_unit_name((enum ruler_unit)(UNIT_BYTES_PER_S + 1)), "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_value_becomes_a_whole_number_of_its_unit),
	cmocka_unit_test(a_bare_number_of_times_and_sizes_is_refused),
	cmocka_unit_test(units_are_known_by_their_names_in_replies),
};

CHECK_MAIN(tests)
