#include "collector/server/layouts.h"
#include "test/kit/check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int find(int fd, void *ret_layout, char *reason)
{
	__u64 *layout = ret_layout;

	(void)reason;
	return read(fd, layout, sizeof(*layout)) == sizeof(*layout) ? 0 : -EIO;
}

static int find_nothing(int fd, void *ret_layout, char *reason)
{
	(void)fd, (void)ret_layout;
	strcpy(reason, "it is no server");
	return -ENOTSUP;
}

static int place(__u32 pid, void *layout, char *reason)
{
	if (pid == (__u32)getpid() && !memcmp(layout, "\177ELF", 4))
		return 0;
	strcpy(reason, "it is elsewhere");
	return -EPERM;
}

static int place_nowhere(__u32 pid, void *layout, char *reason)
{
	(void)pid, (void)layout;
	strcpy(reason, "it is elsewhere");
	return -EPERM;
}

TEST(a_process_is_read_by_its_executable_and_then_by_itself)
{
	static const struct { struct layout_kind kind; int err; const char *reason; } cases[] = {
		{ { find, NULL }, 0, "" }, { { find, place }, 0, "" },
		{ { find, place_nowhere }, -EPERM, "it is elsewhere" }, { { find_nothing, place }, -ENOTSUP, "it is no server" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char reason[REASON_MAX] = "";

		assert_int_equal(layout_possible(&cases[i].kind, (__u32)getpid(), reason), cases[i].err);
		assert_string_equal(reason, cases[i].reason);
	}
}

TEST(a_process_that_has_ended_has_no_executable)
{
	static const struct layout_kind kind = { find, NULL };
	char reason[REASON_MAX] = "";

	assert_int_equal(layout_possible(&kind, 0x7fffffff, reason), -ENOENT);
	assert_non_null(strstr(reason, "its executable cannot be opened: No such file or directory"));
}

TEST_MAIN()
