#include "collector/trace/block_reason.h"
#include "test/kit/check.h"

#include <asm/unistd.h>

static void calls_have_their_reason(void **state)
{
	static const struct { int call; enum reason reason; } cases[] = {
		{ __NR_read, REASON_BY_FILE }, { __NR_writev, REASON_BY_FILE }, { __NR_pread64, REASON_IO },
		{ __NR_fdatasync, REASON_IO }, { __NR_io_uring_enter, REASON_IO }, { __NR_openat, REASON_IO },
		{ __NR_futex, REASON_FUTEX }, { __NR_recvfrom, REASON_NET }, { __NR_ppoll, REASON_NET },
		{ __NR_epoll_pwait, REASON_NET }, { __NR_clock_nanosleep, REASON_SLEEP }, { __NR_getpid, REASON_OTHER },
		{ __NR_wait4, REASON_OTHER }, { REASON_CALLS - 1, REASON_OTHER },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (reason_table()[cases[i].call] != cases[i].reason)
			fail_msg("system call %d", cases[i].call);
}

static void a_call_is_never_a_fault(void **state)
{
	for (size_t i = 0; i < REASON_CALLS; i++) {
		assert_true(reason_table()[i] <= REASON_BY_FILE);
		assert_int_not_equal(reason_table()[i], REASON_FAULT);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(calls_have_their_reason),
	cmocka_unit_test(a_call_is_never_a_fault),
};

CHECK_MAIN(tests)
