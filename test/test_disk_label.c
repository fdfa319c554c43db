#include "collector/disk.h"
#include "collector/disk_label.h"
#include "collector/slice.h"
#include "check.h"

#include <stdio.h>

static void operations_have_names(void **state)
{
	static const struct { __u64 code; const char *name; } cases[] = {
		{ OP_READ, "read" }, { OP_WRITE, "write" }, { OP_FLUSH, "flush" }, { OP_DISCARD, "discard" },
		{ OP_WRITE_ZEROES, "write zeroes" }, { 17, "zone management" }, { OP_DRIVER_IN, "command (in)" },
		{ OP_DRIVER_OUT, "command (out)" }, { 4, "operation 4" }, { 36, "operation 36" }, { 255, "operation 255" },
	};
	char out[LABEL_MAX + 1];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		disk_label_optype(cases[i].code, out);
		assert_string_equal(out, cases[i].name);
	}
}

static void flags_are_listed(void **state)
{
	char out[LABEL_MAX + 1];

	disk_label_flags(0, out);
	assert_string_equal(out, "none");
	disk_label_flags(DISK_SYNC, out);
	assert_string_equal(out, "sync");
	disk_label_flags(DISK_SYNC | DISK_META | DISK_FUA, out);
	assert_string_equal(out, "sync+meta+fua");
	disk_label_flags(~0ull, out);
	assert_string_equal(out, "sync+meta+ahead+fua+background");
}

static void disks_have_their_names(void **state)
{
	unsigned major, minor;
	char line[256], name[64] = "", out[LABEL_MAX + 1];
	FILE *f = fopen("/proc/partitions", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %u %*u %63s", &major, &minor, name) == 3) {
			disk_label_disk((__u64)major << 20 | minor, out);
			assert_string_equal(out, name);
		}
	if (f)
		fclose(f);
}

static void a_disk_that_is_gone_is_its_number(void **state)
{
	char out[LABEL_MAX + 1];

	disk_label_disk((__u64)4095 << 20 | 1048575, out);
	assert_string_equal(out, "4095:1048575");
	disk_label_disk(DISK_NONE, out);
	assert_string_equal(out, "none");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(operations_have_names),
	cmocka_unit_test(flags_are_listed),
	cmocka_unit_test(disks_have_their_names),
	cmocka_unit_test(a_disk_that_is_gone_is_its_number),
};

CHECK_MAIN(tests)
