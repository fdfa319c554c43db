#include "collector/probe/need.h"
#include "collector/core/instrumentation.h"
#include "test/kit/check.h"

#include <cap-ng.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns need_missing(asked) in a process that has only `held`.  Without root no capability can be held. */
static __u64 missing_with(__u64 held, __u64 asked)
{
	__u64 missing = ~0ull;
	int pipe_fd[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		capng_clear(CAPNG_SELECT_ALL);
		for (unsigned cap = 0; cap < 64; cap++)
			if (held >> cap & 1)
				capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, cap);
		if (capng_apply(CAPNG_SELECT_CAPS))
			_exit(1);
		missing = need_missing(asked);
		_exit(write(pipe_fd[1], &missing, sizeof(missing)) != sizeof(missing));
	}
	close(pipe_fd[1]);
	assert_int_equal(read(pipe_fd[0], &missing, sizeof(missing)), sizeof(missing));
	close(pipe_fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return missing;
}

TEST(a_capability_that_is_not_held_is_missing)
{
	__u64 three = NEED_TRACING | NEED_CAP(CAP_SYS_PTRACE);

	assert_true(missing_with(0, three) == three);
	assert_true(missing_with(0, 0) == 0);
	if (geteuid())
		return;
	for (unsigned cap = 0; cap <= CAP_BPF; cap++) {
		if (!(three >> cap & 1))
			continue;
		assert_true(missing_with(three, three) == 0);
		assert_true(missing_with(three & ~NEED_CAP(cap), three) == NEED_CAP(cap));
		assert_true(missing_with(NEED_CAP(cap), three) == (three & ~NEED_CAP(cap)));
	}
}

TEST(the_administrator_may_trace)
{
	__u64 asked = NEED_TRACING | NEED_CAP(CAP_SYS_PTRACE);

	if (geteuid())
		skip();
	assert_true(missing_with(NEED_CAP(CAP_SYS_ADMIN), NEED_TRACING) == 0);
	assert_true(missing_with(NEED_CAP(CAP_SYS_ADMIN), asked) == NEED_CAP(CAP_SYS_PTRACE));
}

TEST(names_are_those_of_the_manuals)
{
	static const struct { __u64 caps; const char *names; } cases[] = {
		{ 0, "none" },
		{ NEED_CAP(CAP_BPF), "CAP_BPF" },
		{ NEED_TRACING, "CAP_PERFMON and CAP_BPF" },
		{ NEED_TRACING | NEED_CAP(CAP_DAC_READ_SEARCH), "CAP_DAC_READ_SEARCH, CAP_PERFMON and CAP_BPF" },
		{ 1ull << 63, "capability 63" },
	};
	char names[NEED_NAMES_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(need_names(cases[i].caps, names), cases[i].names);
	assert_true(strlen(need_names(~0ull, names)) < sizeof(names));
}

TEST(a_refusal_names_the_missing_capabilities_and_the_remedy)
{
	char reason[REASON_MAX];

	if (!need_missing(NEED_TRACING)) {	/* we have them: only the kernel can lack something */
		need_check(NEED_TRACING, reason);
		assert_true(!reason[0] || strstr(reason, "the kernel"));
		return;
	}
	need_check(NEED_TRACING, reason);
	assert_non_null(strstr(reason, "the collector lacks CAP_"));
	assert_non_null(strstr(reason, "give it CAP_PERFMON and CAP_BPF"));
}

TEST_MAIN()
