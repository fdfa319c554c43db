/* bpf_privilege - tests which capabilities the kernel itself asks for, whatever our documents say.
 *
 * For an unprivileged user with the listed capabilities every tracer's programs run; with each one fewer the kernel
 * refuses them.  After --fixed has dropped them all, the test tries the operations that a collector still does, and
 * those that it no longer can do.  Needs root and BTF; skipped (77) without. */
#include "collector/probe/need.h"
#include "collector/privilege.h"
#include "collector/core/instrumentation.h"
#include "collector/ring/record.h"
#include "collector/tracers.h"
#include "test/kernel/bpf_privilege.skel.h"
#include "test/kit/check.h"

#include <bpf/bpf.h>
#include <cap-ng.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

/* ---- an unprivileged user ---- */

static int says_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

static int become_nobody(__u64 caps)
{
	capng_clear(CAPNG_SELECT_ALL);
	for (unsigned cap = 0; cap < 64; cap++)
		if (caps >> cap & 1)
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, cap);
	return capng_change_id(NOBODY, NOBODY, CAPNG_DROP_SUPP_GRP);
}

/* Returns the result of act() in a process of user nobody with these capabilities. */
static int as_nobody(__u64 caps, int (*act)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		libbpf_set_print(says_nothing);
		_exit(become_nobody(caps) ? 255 : -act());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 255);
	return -WEXITSTATUS(status);
}

/* ---- tracers ---- */

static const struct tracer *tracer;

static int starts(void)
{
	struct tracer_programs programs;
	char reason[REASON_MAX];
	void *self;

	return tracer->start(&self, &programs, reason);
}

static void the_listed_capabilities_suffice(void **state)
{
	for (size_t i = 0; (tracer = tracers[i]); i++)
		if (as_nobody(NEED_TRACING | tracer->caps, starts))
			fail_msg("%s.%s does not start", tracer->metric->module, tracer->metric->stat);
}

static void each_capability_is_needed(void **state)
{
	for (size_t i = 0; (tracer = tracers[i]); i++) {
		__u64 caps = NEED_TRACING | tracer->caps;

		for (unsigned cap = 0; cap < 64; cap++)
			if (caps >> cap & 1 && !as_nobody(caps & ~NEED_CAP(cap), starts))
				fail_msg("%s.%s starts without capability %u", tracer->metric->module,
					 tracer->metric->stat, cap);
	}
}

/* Returns how many instructions of the tracer's largest program the verifier looks at. */
static __u32 verified(int instead)
{
	struct tracer_programs programs = { .instead = instead };
	char reason[REASON_MAX];
	__u32 n;
	void *self;

	if (tracer->start(&self, &programs, reason))
		fail_msg("%s.%s does not start: %s", tracer->metric->module, tracer->metric->stat, reason);
	n = tracer_verified(&programs);
	tracer->stop(self);
	return n;
}

/* Compilers differ: a program near the limit with one compiler is refused with the next.  Other programs run on kernels
 * that lack something. */
static void programs_stay_below_half_the_limit(void **state)
{
	static const char *const without[] = { "", "split", NULL };

	for (size_t w = 0; without[w]; w++) {
		setenv("HEATSCOPE_WITHOUT", without[w], 1);
		for (size_t i = 0; (tracer = tracers[i]); i++)
			for (int instead = 0; instead <= !!tracer->instead; instead++) {
				__u32 n = verified(instead);

				printf("# %s.%s: %u instructions%s%s%s\n", tracer->metric->module, tracer->metric->stat, n,
				       instead ? ", by system call" : "", *without[w] ? ", without " : "", without[w]);
				if (!n || n > 500000)
					fail_msg("%s.%s: the verifier looks at %u instructions; at most 500,000 of its 1,000,000 leave "
						 "room", tracer->metric->module, tracer->metric->stat, n);
			}
	}
	unsetenv("HEATSCOPE_WITHOUT");
}

/* ---- after --fixed ---- */

#define TRY(what) do { if (!(what)) return -__LINE__ % 200; } while (0)

static int lists(const struct bpf_link *link)
{
	__u64 value[4] = { 0 };
	int fd = bpf_iter_create(bpf_link__fd(link));
	int ok = fd >= 0 && read(fd, value, sizeof(value)) == sizeof(*value) && value[0] == 1;

	if (fd >= 0)
		close(fd);
	return ok;
}

static int counts(struct bpf_privilege_bpf *bpf)
{
	__u64 before = bpf->bss->n_switches;

	usleep(50000);
	return bpf->bss->n_switches > before;
}

static int goes_on_bare(void)
{
	struct bpf_privilege_bpf *bpf = bpf_privilege_bpf__open_and_load();
	struct bpf_link *list, *link;
	__u32 key = 7, next;
	__u64 value = 1;
	char reason[REASON_MAX];
	int some;

	TRY(bpf);
	some = bpf_map__fd(bpf->maps.some);
	bpf->bss->key = key;
	list = bpf_program__attach_iter(bpf->progs.list, NULL);
	link = bpf_program__attach(bpf->progs.switches);
	TRY(list && link && counts(bpf));
	TRY(!privilege_drop(reason));
	TRY(!bpf_map_update_elem(some, &key, &value, BPF_ANY));
	TRY(!bpf_map_lookup_elem(some, &key, &value));
	TRY(!bpf_map_get_next_key(some, NULL, &next));
	TRY(lists(list));
	TRY(!bpf_map_delete_elem(some, &key));
	TRY(counts(bpf));
	TRY(!bpf_link__destroy(link) && !counts(bpf));		/* shedding, */
	link = bpf_program__attach(bpf->progs.switches);
	TRY(link && counts(bpf));				/* and recovering */
	return 0;
}

static void without_capabilities_it_drains_detaches_and_attaches(void **state)
{
	assert_int_equal(as_nobody(NEED_TRACING, goes_on_bare), 0);
}

static int nothing_new_bare(void)
{
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
					 .size = sizeof(clock), .freq = 1, .sample_freq = 99 };
	char reason[REASON_MAX];

	TRY(!privilege_drop(reason));
	TRY(!bpf_privilege_bpf__open_and_load() && errno == EPERM);
	TRY(bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 8, 1, NULL) == -EPERM);
	TRY(syscall(SYS_perf_event_open, &clock, -1, 0, -1, 0) < 0 && (errno == EACCES || errno == EPERM));
	return 0;
}

static void without_capabilities_nothing_new_is_loaded(void **state)
{
	assert_int_equal(as_nobody(NEED_TRACING, nothing_new_bare), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_listed_capabilities_suffice),
		cmocka_unit_test(each_capability_is_needed),
		cmocka_unit_test(programs_stay_below_half_the_limit),
		cmocka_unit_test(without_capabilities_it_drains_detaches_and_attaches),
		cmocka_unit_test(without_capabilities_nothing_new_is_loaded),
	};

	if (geteuid() || !need_btf())
		return printf("1..0 # SKIP needs root and BTF\n"), 77;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
