/* bpf_process - compares the process fields of an event with /proc.
 *
 * Children of the test take names, arguments and cgroups and make a system call at which the test's program runs.
 * Needs root and BTF; skipped (77) without.  Without a writable version 2 hierarchy the cases that make cgroups are
 * skipped. */
#include "collector/ring/event.h"
#include "collector/trace/pod_names.h"
#include "collector/trace/process.h"
#include "collector/core/slice.h"
#include "test/kernel/bpf_process.skel.h"

#include <bpf/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
#define UID_ "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0"
#define POD "/heatscope.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice"

static struct bpf_process_bpf *bpf;
static struct process_texts texts;
static int n_tests, n_failed;
static char cgroups[256];		/* where the version 2 hierarchy is */

static void ok(int holds, const char *format, ...)
{
	va_list args;

	printf("%s %d - ", holds ? "ok" : "not ok", ++n_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	n_failed += !holds;
}

/* Runs a child to its end: 0 if it was seen, its event in seen[0]. */
static int child(void (*live)(const void *arg), const void *arg)
{
	pid_t pid;

	bpf->bss->n_seen = 0;
	memset(bpf->bss->seen, 0, sizeof(bpf->bss->seen));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		live(arg);
		getpriority(PRIO_PROCESS, 0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return bpf->bss->n_seen && bpf->bss->seen[0].field[PROCESS_PID] == (unsigned)pid ? 0 : -1;
}

/* Checks the event's label.  Its code is also the one that the label stands for in a predicate. */
static void is(enum process_field field, const char *expected)
{
	__u64 code = bpf->bss->seen[0].field[field], back = ~0ull;
	char label[LABEL_MAX + 1];

	process_label(&texts, field, code, label);
	process_codes(field, label, &back, 1);
	ok(!strcmp(label, expected) && back == code, "field %d is \"%s\": \"%s\", code %llx, by its text %llx", field, expected,
	   label, (unsigned long long)code, (unsigned long long)back);
}

static void live(const void *arg)
{
}

static void take_name(const void *arg)
{
	prctl(PR_SET_NAME, arg);
}

static void names_of_a_fork(void)
{
	char number[16];

	ok(!child(live, NULL), "a child is seen");
	snprintf(number, sizeof(number), "%d", getpid());
	is(PROCESS_PPID, number);
	is(PROCESS_EXECNAME, "bpf_process");
	ok(!child(take_name, "another name"), "a child that takes a name");
	is(PROCESS_EXECNAME, "another name");
	ok(!child(take_name, "0123456789abcdefgh"), "a long one");
	is(PROCESS_EXECNAME, "0123456789abcde");
}

static void run(const void *arg)
{
	execv("/proc/self/exe", (char *const *)arg);
}

static void arguments(void)
{
	static char most[108], more[200], cut[200], cut_short[108];
	char *words[] = { "bpf_process", "--child", "two words", "", "end", NULL };
	char *full[] = { most, "--child", NULL }, *longer[] = { more, "--child", NULL }, *umlaut[] = { cut, "--child", NULL };

	ok(!child(run, words), "a child that runs a program");
	is(PROCESS_PSARGS, "bpf_process --child two words  end");
	memset(most, 'm', 107);
	memset(more, 'm', 150);
	ok(!child(run, full), "with as long a name as we keep");
	is(PROCESS_PSARGS, most);
	ok(!child(run, longer), "and a longer one");
	is(PROCESS_PSARGS, most);
	memset(cut, 'm', 150);
	memcpy(cut + 105, "\xe2\x82\xac", 3);
	memset(cut_short, 'm', 105);
	ok(!child(run, umlaut), "cut within a character");
	is(PROCESS_PSARGS, cut_short);
}

static void join(const void *arg)
{
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s/cgroup.procs", cgroups, (const char *)arg);
	f = fopen(path, "w");
	if (f) {
		fprintf(f, "%d\n", getpid());
		fclose(f);
	}
}

/* Makes the cgroups of a path (or removes them, the last first). */
static int path_make(const char *path)
{
	char at[1024];
	size_t i;

	for (i = 1; i <= strlen(path); i++) {
		if (path[i] && path[i] != '/')
			continue;
		snprintf(at, sizeof(at), "%s%.*s", cgroups, (int)i, path);
		if (mkdir(at, 0755) && access(at, F_OK))
			return -1;
	}
	return 0;
}

static void path_remove(const char *path)
{
	char at[1024];
	size_t i;

	for (i = strlen(path); i; i--) {
		if (path[i] && path[i] != '/')
			continue;
		snprintf(at, sizeof(at), "%s%.*s", cgroups, (int)i, path);
		rmdir(at);
	}
}

static const struct {
	const char *path, *unit, *container, *pod, *name;
} cases[] = {
	{ "/heatscope-test", "none", "none", "none", "none" },
	{ "/heatscope.slice/test.service", "test.service", "none", "none", "none" },
	{ "/heatscope.slice/test.service/sub", "test.service", "none", "none", "none" },
	{ "/heatscope.slice/docker-" DIGITS ".scope", "docker-" DIGITS ".scope", "0123456789ab", "none", "none" },
	{ "/heatscope.slice/docker-" DIGITS ".scope/a.service/b", "a.service", "0123456789ab", "none", "none" },
	{ "/heatscope-test/lxc/web", "none", "web", "none", "none" },
	{ "/heatscope.slice/machine-web.scope/payload", "machine-web.scope", "web", "none", "none" },
	{ "/heatscope-test/a/b/c/d/e/f/g/h/i/j", "none", "none", "none", "none" },
	{ POD "/cri-containerd-" DIGITS ".scope", "cri-containerd-" DIGITS ".scope", "0123456789ab", UID, "unknown" },
	{ "/heatscope-test/kubepods/pod" UID "/" DIGITS, "none", "0123456789ab", UID, "unknown" },
	{ "/heatscope-test/kubepods/pod" UID, "none", "none", UID, "unknown" },
}, named[] = {
	{ POD "/cri-containerd-" DIGITS ".scope", "cri-containerd-" DIGITS ".scope", "0123456789ab", "shop/db-0", "mariadb" },
	{ "/heatscope-test/kubepods/pod" UID "/" DIGITS, "none", "0123456789ab", "shop/db-0", "mariadb" },
	{ "/heatscope-test/kubepods/pod" UID, "none", "none", "shop/db-0", "unknown" },
	{ "/heatscope.slice/docker-" DIGITS ".scope", "docker-" DIGITS ".scope", "0123456789ab", "none", "mariadb" },
};

static void is_shown(const char *path, const char *unit, const char *container, const char *pod, const char *name)
{
	ok(!path_make(path) && !child(join, path), "a child in %s", path);
	is(PROCESS_CGROUP, path);
	is(PROCESS_UNIT, unit);
	is(PROCESS_CONTAINER, container);
	is(PROCESS_POD, pod);
	if (strcmp(name, "unknown"))
		is(PROCESS_CONTAINER_NAME, name);
	else
		ok(bpf->bss->seen[0].field[PROCESS_CONTAINER_NAME] == PROCESS_UNKNOWN, "its name is not known");
	path_remove(path);
}

/* Gives the program the names that a kubelet's logs have. */
static void names_give(void)
{
	struct pod_name name[2];
	struct pod_names names = { .name = name, .n = 2 };

	ok(!pod_name_of_pod("shop_db-0_" UID, &name[0]) && !pod_name_of_log("db-0_shop_mariadb-" DIGITS ".log", &name[1]),
	   "names of logs");
	pod_names_put(&names, bpf_map__fd(bpf->maps.pod_names));
}

static void cgroup_of_a_process(void)
{
	size_t i;

	if (path_make("/heatscope-test")) {
		printf("ok %d # SKIP no writable hierarchy of cgroups, version 2\n", ++n_tests);
		return;
	}
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is_shown(cases[i].path, cases[i].unit, cases[i].container, cases[i].pod, cases[i].name);
	names_give();
	for (i = 0; i < sizeof(named) / sizeof(*named); i++)
		is_shown(named[i].path, named[i].unit, named[i].container, named[i].pod, named[i].name);
}

/* Finds where the hierarchy is mounted, and the part of it that the test is in. */
static void cgroups_find(void)
{
	char line[1024], at[256], type[64];
	FILE *f = fopen("/proc/self/mounts", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %255s %63s", at, type) == 2 && !strcmp(type, "cgroup2"))
			snprintf(cgroups, sizeof(cgroups), "%s", at);
	if (f)
		fclose(f);
}

/* A cgroup of the test's own needs a name of 255 bytes, the longest that a file system allows. */
static void long_path_is_cut(void)
{
	static char part[201], path[512], shown[LABEL_MAX + 1];

	memset(part, 'p', 200);
	snprintf(path, sizeof(path), "/%s/%s", part, part);
	snprintf(shown, sizeof(shown), "%.255s", path);
	if (path_make(path))
		return;
	ok(!child(join, path), "a child in a long path");
	is(PROCESS_CGROUP, shown);
	path_remove(path);
}

int main(int argc, char **argv)
{
	int err;

	if (argc > 1 && !strcmp(argv[1], "--child")) {
		getpriority(PRIO_PROCESS, 0);
		return 0;
	}
	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK)) {
		printf("1..0 # SKIP needs root and BTF\n");
		return 77;
	}
	bpf = bpf_process_bpf__open_and_load();
	err = bpf ? bpf_process_bpf__attach(bpf) : -1;
	ok(!err, "the kernel takes the program: %d", err);
	if (!err) {
		bpf->bss->wanted = PROCESS_WANTED;
		bpf->bss->parent = getpid();
		texts = (struct process_texts){ bpf_map__fd(bpf->maps.texts), bpf_map__fd(bpf->maps.paths) };
		prctl(PR_SET_NAME, "bpf_process");
		cgroups_find();
		names_of_a_fork();
		arguments();
		cgroup_of_a_process();
		long_path_is_cut();
	}
	bpf_process_bpf__destroy(bpf);
	printf("1..%d\n", n_tests);
	return n_failed ? 1 : 0;
}
