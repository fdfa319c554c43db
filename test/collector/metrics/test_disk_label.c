#include "collector/metrics/disk.h"
#include "collector/metrics/disk_label.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <errno.h>

TEST(operations_have_names)
{
	static const struct { __u64 code; const char *name; } cases[] = {
		{ OP_READ, "read" }, { OP_WRITE, "write" }, { OP_FLUSH, "flush" }, { OP_DISCARD, "discard" },
		{ OP_WRITE_ZEROES, "write zeroes" }, { 17, "zone management" }, { OP_DRIVER_IN, "command (in)" },
		{ OP_DRIVER_OUT, "command (out)" }, { 4, "operation 4" }, { 36, "operation 36" }, { 255, "operation 255" },
	};
	char out[LABEL_MAX + 1];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		codes_label(&disk_optype_codes, NULL, 0, cases[i].code, out);
		assert_string_equal(out, cases[i].name);
	}
}

TEST(flags_are_listed)
{
	char out[LABEL_MAX + 1];

	codes_label(&disk_flags_codes, NULL, 0, 0, out);
	assert_string_equal(out, "none");
	codes_label(&disk_flags_codes, NULL, 0, DISK_SYNC, out);
	assert_string_equal(out, "sync");
	codes_label(&disk_flags_codes, NULL, 0, DISK_SYNC | DISK_META | DISK_FUA, out);
	assert_string_equal(out, "sync+meta+fua");
	codes_label(&disk_flags_codes, NULL, 0, ~0ull, out);
	assert_string_equal(out, "sync+meta+ahead+fua+background");
}

TEST(names_have_their_codes)
{
	char out[LABEL_MAX + 1];
	__u64 code, again[64];

	for (code = 0; code < OP_N; code++) {
		int n, i;

		codes_label(&disk_optype_codes, NULL, 0, code, out);
		n = codes_find(&disk_optype_codes, NULL, 0, out, again, 64);
		for (i = 0; i < n && again[i] != code; i++)
			;
		assert_true(i < n);
		assert_int_equal(n, strcmp(out, "zone management") ? 1 : OP_ZONE_LAST - OP_ZONE_FIRST + 1);
	}
	for (code = 0; code < 2 * DISK_BACKGROUND; code++) {
		codes_label(&disk_flags_codes, NULL, 0, code, out);
		assert_int_equal(codes_find(&disk_flags_codes, NULL, 0, out, again, 64), 1);
		assert_int_equal(again[0], code);
	}
	assert_int_equal(codes_find(&disk_optype_codes, NULL, 0, "no such thing", again, 64), 0);
	assert_int_equal(codes_find(&disk_flags_codes, NULL, 0, "fua+sync", again, 64), 0);
	assert_int_equal(codes_find(&disk_optype_codes, NULL, 0, "read", again, 0), -E2BIG);
	assert_int_equal(codes_find(&disk_optype_codes, NULL, 0, "zone management", again, 3), -E2BIG);
}

TEST_MAIN()
