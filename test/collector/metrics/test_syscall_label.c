#include "collector/core/slice.h"
#include "collector/metrics/syscall.h"
#include "collector/metrics/syscall_label.h"
#include "test/kit/check.h"

#include <errno.h>
#include <sys/syscall.h>

TEST(calls_have_the_systems_names)
{
	static const struct { __u64 code; const char *name; } cases[] = {
		{ SYS_read, "read" }, { SYS_write, "write" }, { SYS_openat, "openat" }, { SYS_getppid, "getppid" },
		{ SYS_clock_nanosleep, "clock_nanosleep" }, { SYS_exit_group, "exit_group" }, { 100000, "syscall 100000" },
		{ (__u32)-1, "syscall -1" },
	};
	char out[LABEL_MAX + 1];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		codes_label(&syscall_name_codes, NULL, 0, cases[i].code, out);
		assert_string_equal(out, cases[i].name);
	}
}

#ifdef __x86_64__
TEST(calls_of_32_bit_programs_have_other_numbers)
{
	char out[LABEL_MAX + 1];

	codes_label(&syscall_name_codes, NULL, 0, SYSCALL_COMPAT | 3, out);
	assert_string_equal(out, "read (32-bit)");
	codes_label(&syscall_name_codes, NULL, 0, SYSCALL_COMPAT | 99999, out);
	assert_string_equal(out, "syscall 99999 (32-bit)");
	assert_int_equal(syscall_number("read", 1), 3);
}
#endif

/* Each name that is shown can be asked for. */
TEST(names_have_their_codes)
{
	char out[LABEL_MAX + 1];
	__u64 code, again;

	for (code = 0; code < 600; code++) {
		codes_label(&syscall_name_codes, NULL, 0, code, out);
		assert_int_equal(codes_find(&syscall_name_codes, NULL, 0, out, &again, 1), 1);
		assert_int_equal(again, code);
		codes_label(&syscall_name_codes, NULL, 0, code | SYSCALL_COMPAT, out);
		assert_int_equal(codes_find(&syscall_name_codes, NULL, 0, out, &again, 1), 1);
		assert_int_equal(again, code | SYSCALL_COMPAT);
	}
	codes_label(&syscall_name_codes, NULL, 0, (__u32)-1, out);
	assert_int_equal(codes_find(&syscall_name_codes, NULL, 0, out, &again, 1), 1);
	assert_int_equal(again, (__u32)-1);
	assert_int_equal(codes_find(&syscall_name_codes, NULL, 0, "no_such_call", &again, 1), 0);
	assert_int_equal(codes_find(&syscall_name_codes, NULL, 0, "syscall 0", &again, 1), 0);	/* it has a name */
	assert_int_equal(codes_find(&syscall_name_codes, NULL, 0, "", &again, 1), 0);
	assert_int_equal(codes_find(&syscall_name_codes, NULL, 0, "read", &again, 0), -E2BIG);
	assert_int_equal(syscall_number("no_such_call", 0), -1);
}

TEST(errors_have_names)
{
	static const struct { __u64 code; const char *name; } cases[] = {
		{ 0, "0" }, { ENOENT, "ENOENT" }, { EAGAIN, "EAGAIN" }, { ETIMEDOUT, "ETIMEDOUT" }, { EHWPOISON, "EHWPOISON" },
		{ 512, "ERESTARTSYS" }, { 516, "ERESTART_RESTARTBLOCK" }, { 4000, "errno 4000" },
	};
	char out[LABEL_MAX + 1];
	__u64 again;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		codes_label(&syscall_errno_codes, NULL, 0, cases[i].code, out);
		assert_string_equal(out, cases[i].name);
		assert_int_equal(codes_find(&syscall_errno_codes, NULL, 0, out, &again, 1), 1);
		assert_int_equal(again, cases[i].code);
	}
	assert_int_equal(codes_find(&syscall_errno_codes, NULL, 0, "ENOSUCH", &again, 1), 0);
}

TEST_MAIN()
