#include "collector/metrics/fs_call.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>

TEST(calls_are_operations)
{
	struct fs_call call[FS_CALLS];

	fs_calls_fill(call);
	assert_int_equal(call[SYS_read].op, FS_READ);
	assert_int_equal(call[SYS_pwrite64].op, FS_WRITE);
	assert_int_equal(call[SYS_openat].op, FS_OPEN);
	assert_int_equal(call[SYS_openat].where, FS_RETURN);
	assert_int_equal(call[SYS_copy_file_range].where, 2);
	assert_int_equal(call[SYS_getppid].op, FS_NONE);
	assert_int_equal(call[SYS_recvfrom].op, FS_NONE);
}

TEST(operations_have_names)
{
	char out[LABEL_MAX + 1];
	__u64 code, again;

	for (code = FS_NONE + 1; code < FS_N_OPS; code++) {
		codes_label(&fs_optype_codes, NULL, 0, code, out);
		assert_int_equal(codes_find(&fs_optype_codes, NULL, 0, out, &again, 1), 1);
		assert_int_equal(again, code);
	}
	assert_int_equal(codes_find(&fs_optype_codes, NULL, 0, "no such thing", &again, 1), 0);
	assert_int_equal(codes_find(&fs_optype_codes, NULL, 0, "read", &again, 0), -E2BIG);
}

/* All types have different codes, and each code has its type's name. */
TEST(types_have_the_kernels_names)
{
	FILE *f = fopen("/proc/filesystems", "r");
	char line[256], out[LABEL_MAX + 1], *name;
	__u64 code;

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		name = strchr(line, '\t') + 1;
		assert_int_equal(codes_find(&fs_fstype_codes, NULL, 0, name, &code, 1), 1);
		codes_label(&fs_fstype_codes, NULL, 0, code, out);
		assert_string_equal(out, name);
	}
	if (f)
		fclose(f);
}

TEST(an_absent_type_has_a_label)
{
	static const char *const names[] = { "befs", "notherefs", "averylongtypesname" };
	char out[LABEL_MAX + 1];
	__u64 code, again;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		codes_find(&fs_fstype_codes, NULL, 0, names[i], &code, 1);
		codes_label(&fs_fstype_codes, NULL, 0, code, out);
		if (!i)
			assert_string_equal(out, "befs");
		assert_int_equal(codes_find(&fs_fstype_codes, NULL, 0, out, &again, 1), 1);
		assert_int_equal(again, code);
	}
	assert_int_equal(codes_find(&fs_fstype_codes, NULL, 0, "ext4", &code, 0), -E2BIG);
}

TEST_MAIN()
