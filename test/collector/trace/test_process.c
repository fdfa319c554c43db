/* test_process - checks texts of processes and their codes, and the names in a cgroup's path. */
#include "collector/trace/process.h"
#include "collector/trace/cgroup_name.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

#define UID "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
#define UID_ "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0"
#define STATIC "0123456789abcdef0123456789abcdef"

/* Reads a path as the kernel's part does: from the root down; the last unit, container and pod count. */
static void path_read(const char *path, char *unit, char *container, char *pod)
{
	char name[CGROUP_NAME_ROOM];
	int above = CGROUP_PLAIN;

	strcpy(unit, "none");
	strcpy(container, "none");
	strcpy(pod, "none");
	while (*path) {
		__u32 n = strcspn(path + 1, "/");
		struct cgroup_part part;

		memset(name, 0, sizeof(name));
		memcpy(name, path + 1, n);
		if (cgroup_is_unit(name, n))
			strcpy(unit, name);
		part = cgroup_container(name, n, above);
		if (part.n)
			sprintf(container, "%.*s", (int)part.n, name + part.at);
		part = cgroup_pod(name, n);
		if (part.n)
			sprintf(pod, "%.*s", (int)part.n, name + part.at);
		for (char *c = pod; part.n && *c; c++)
			*c = cgroup_uid_byte(*c);
		above = cgroup_below(name, n);
		path += n + 1;
	}
}

static const struct {
	const char *path, *unit, *container, *pod;
} paths[] = {
	{ "", "none", "none", "none" },
	{ "/init.scope", "init.scope", "none", "none" },
	{ "/system.slice/mariadb.service", "mariadb.service", "none", "none" },
	{ "/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service", "none", "none" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope", "a.scope", "none", "none" },
	{ "/system.slice/mariadb.service/inner", "mariadb.service", "none", "none" },

	/* docker: driver cgroupfs, driver systemd, systemd in the container, rootless */
	{ "/docker/" DIGITS, "none", "0123456789ab", "none" },
	{ "/system.slice/docker-" DIGITS ".scope", "docker-" DIGITS ".scope", "0123456789ab", "none" },
	{ "/system.slice/docker-" DIGITS ".scope/system.slice/a.service", "a.service", "0123456789ab", "none" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" DIGITS ".scope",
	  "docker-" DIGITS ".scope", "0123456789ab", "none" },
	{ "/system.slice/nerdctl-" DIGITS ".scope", "nerdctl-" DIGITS ".scope", "0123456789ab", "none" },

	/* podman: drivers systemd and cgroupfs, the monitor, pods, rootless */
	{ "/machine.slice/libpod-" DIGITS ".scope/container", "libpod-" DIGITS ".scope", "0123456789ab", "none" },
	{ "/machine.slice/libpod-conmon-" DIGITS ".scope", "libpod-conmon-" DIGITS ".scope", "none", "none" },
	{ "/libpod_parent/libpod-" DIGITS, "none", "0123456789ab", "none" },
	{ "/libpod_parent/conmon-" DIGITS, "none", "none", "none" },
	{ "/machine.slice/machine-libpod_pod_" DIGITS ".slice/libpod-" DIGITS ".scope", "libpod-" DIGITS ".scope",
	  "0123456789ab", "0123456789ab" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" DIGITS ".scope/container",
	  "libpod-" DIGITS ".scope", "0123456789ab", "none" },

	/* Kubernetes with containerd, as in k3s: drivers systemd and cgroupfs, both at once, kind, and a static pod */
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_ ".slice/cri-containerd-" DIGITS ".scope",
	  "cri-containerd-" DIGITS ".scope", "0123456789ab", UID },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/cri-containerd-" DIGITS ".scope",
	  "cri-containerd-" DIGITS ".scope", "0123456789ab", UID },
	{ "/kubepods/burstable/pod" UID "/" DIGITS, "none", "0123456789ab", UID },
	{ "/kubepods/pod" UID "/" DIGITS "/init.scope", "init.scope", "0123456789ab", UID },
	{ "/kubepods/besteffort/pod" UID, "none", "none", UID },
	{ "/system.slice/containerd.service/kubepods-burstable-pod" UID_ ".slice:cri-containerd:" DIGITS,
	  "containerd.service", "0123456789ab", UID },
	{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod" UID_
	  ".slice/cri-containerd-" DIGITS ".scope", "cri-containerd-" DIGITS ".scope", "0123456789ab", UID },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" STATIC ".slice/cri-containerd-" DIGITS ".scope",
	  "cri-containerd-" DIGITS ".scope", "0123456789ab", STATIC },
	{ "/kubepods/burstable/pod" STATIC "/" DIGITS, "none", "0123456789ab", STATIC },

	/* Kubernetes with CRI-O */
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/crio-" DIGITS ".scope/container",
	  "crio-" DIGITS ".scope", "0123456789ab", UID },
	{ "/kubepods/burstable/pod" UID "/crio-" DIGITS, "none", "0123456789ab", UID },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/crio-conmon-" DIGITS ".scope",
	  "crio-conmon-" DIGITS ".scope", "none", UID },

	/* Kubernetes with docker; nodes in containers; the innermost container counts */
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/docker-" DIGITS ".scope", "docker-" DIGITS ".scope",
	  "0123456789ab", UID },
	{ "/docker/" DIGITS "/kubepods/pod" UID "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "none",
	  "aaaaaaaaaaaa", UID },

	/* LXC, LXD and systemd-nspawn */
	{ "/lxc/web", "none", "web", "none" },
	{ "/lxc/web/system.slice/a.service", "a.service", "web", "none" },
	{ "/lxc.payload.web/init.scope", "init.scope", "web", "none" },
	{ "/lxc.payload/web", "none", "web", "none" },
	{ "/lxc.monitor.web", "none", "none", "none" },
	{ "/lxc", "none", "none", "none" },
	{ "/lxc.payload.", "none", "none", "none" },
	{ "/machine.slice/systemd-nspawn@web.service/payload/system.slice/a.service", "a.service", "web", "none" },
	{ "/machine.slice/machine-web.scope/payload", "machine-web.scope", "web", "none" },
	{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope", "machine-qemu\\x2d1\\x2dvm.scope", "none", "none" },
	{ "/machine.slice/systemd-nspawn@.service", "systemd-nspawn@.service", "none", "none" },
	{ "/machine.slice/machine-.scope", "machine-.scope", "none", "none" },

	/* neither */
	{ "/x" DIGITS, "none", "none", "none" },		/* more than the digits, and no '-' before them */
	{ "/a-0" DIGITS, "none", "none", "none" },
	{ "/A123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "none", "none", "none" },
	{ "/" DIGITS ".scope", DIGITS ".scope", "0123456789ab", "none" },
	{ "/.scope", ".scope", "none", "none" },
	{ "/kubepods/pod1", "none", "none", "none" },
	{ "/kubepods/pod", "none", "none", "none" },
	{ "/kubepods/apod" UID, "none", "none", "none" },
	{ "/kubepods/pod" UID "0", "none", "none", "none" },
	{ "/kubepods/pod0f1e2d3c-4b5a-6978-8796ya5b4c3d2e1f0", "none", "none", "none" },
	{ "/kubepods/podXf1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "none", "none", "none" },
	{ "/" UID, "none", "none", "none" },
	{ "/machine.slice/libpod_pod_" STATIC ".slice", "libpod_pod_" STATIC ".slice", "none", "none" },
};

static void path_says_unit_container_and_pod(void **state)
{
	char unit[CGROUP_NAME_ROOM], container[CGROUP_NAME_ROOM], pod[CGROUP_NAME_ROOM];

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		path_read(paths[i].path, unit, container, pod);
		assert_string_equal(unit, paths[i].unit);
		assert_string_equal(container, paths[i].container);
		assert_string_equal(pod, paths[i].pod);
	}
}

/* With any bytes, the part that it finds is inside the name. */
static void any_bytes_may_be_a_cgroup_name(void **state)
{
	char name[CGROUP_NAME_ROOM];

	for (int i = 0; i < 200000; i++) {
		__u32 n = check_below(CGROUP_NAME_ROOM);
		struct cgroup_part part;

		memset(name, 0, sizeof(name));
		for (__u32 k = 0; k < n; k++)
			name[k] = check_below(8) ? "0123456789abcdef"[check_below(16)] : "-.scope/lxc"[check_below(11)];
		cgroup_is_unit(name, n);
		part = cgroup_container(name, n, check_below(2));
		assert_true(part.n <= n && part.at <= n && part.at + part.n <= n);
		part = cgroup_pod(name, n);
		assert_true(part.n <= n && part.at <= n && part.at + part.n <= n);
	}
}

static void numbers_are_their_own_codes(void **state)
{
	const struct process_texts none = { -1, -1 };
	char label[LABEL_MAX + 1];
	__u64 code = 7;

	assert_int_equal(process_codes(PROCESS_PID, "4711", &code, 1), 1);
	assert_int_equal(code, 4711);
	process_label(&none, PROCESS_PPID, 4711, label);
	assert_string_equal(label, "4711");
	process_label(&none, PROCESS_PPID, PROCESS_NONE, label);
	assert_string_equal(label, "1");
	assert_int_equal(process_codes(PROCESS_PPID, "0", &code, 1), 1);
	assert_int_equal(code, 0);
}

static void a_text_that_is_not_a_pid_has_no_code(void **state)
{
	static const char *const texts[] = { "", " 1", "-1", "+1", "1x", "0x10", "99999999999999999999", "2147483648" };
	__u64 code;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(process_codes(PROCESS_PID, texts[i], &code, 1), 0);
}

static void none_has_its_own_code(void **state)
{
	const struct process_texts none = { -1, -1 };
	char label[LABEL_MAX + 1];
	__u64 code = 7;

	assert_int_equal(process_codes(PROCESS_UNIT, "none", &code, 1), 1);
	assert_int_equal(code, PROCESS_NONE);
	process_label(&none, PROCESS_CONTAINER, code, label);
	assert_string_equal(label, "none");
	assert_int_equal(process_codes(PROCESS_POD, "none", &code, 1), 1);
	assert_int_equal(code, PROCESS_NONE);
	process_label(&none, PROCESS_CONTAINER_NAME, PROCESS_UNKNOWN, label);
	assert_string_equal(label, "unknown");
	process_label(&none, PROCESS_CGROUP, PROCESS_UNKNOWN, label);
	assert_string_equal(label, "unknown");
	assert_int_equal(process_codes(PROCESS_EXECNAME, "none", &code, 1), 1);
	assert_int_not_equal(code, PROCESS_NONE);		/* a process may have this name */
}

static void label_with_its_hash_is_found(void **state)
{
	static const unsigned fields[] = { PROCESS_EXECNAME, PROCESS_UNIT, PROCESS_CGROUP };
	__u64 code[2];

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		assert_int_equal(process_codes(fields[i], "other #0123456789abcdef", code, 2), 2);
		assert_int_equal(code[1], 0x0123456789abcdef);
		assert_int_equal(process_codes(fields[i], "other", code, 2), 1);
	}
}

static void forgotten_text_is_its_hash(void **state)
{
	const struct process_texts none = { -1, -1 };
	char label[LABEL_MAX + 1];

	process_label(&none, PROCESS_EXECNAME, 0xabcdef, label);
	assert_string_equal(label, "#0000000000abcdef");
	process_label(&none, PROCESS_CGROUP, 0xabcdef, label);
	assert_string_equal(label, "#0000000000abcdef");
}

static void text_is_cut_between_characters(void **state)
{
	static const struct {
		const char *end;
		size_t left;
	} ends[] = {
		{ "mmmm", 4 }, { "mmm\xc3", 3 }, { "mm\xe2\x82", 2 }, { "m\xf0\x9f\x92", 1 },
	};
	char text[TEXT_MAX];

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		memset(text, 'm', TEXT_MAX);
		memcpy(text + TEXT_MAX - 1 - 4, ends[i].end, 5);
		text_cut(text);
		assert_int_equal(strlen(text), TEXT_MAX - 1 - 4 + ends[i].left);
	}
	strcpy(text, "short");
	memset(text + 6, 0, TEXT_MAX - 6);
	text_cut(text);
	assert_string_equal(text, "short");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(path_says_unit_container_and_pod),
	cmocka_unit_test(any_bytes_may_be_a_cgroup_name),
	cmocka_unit_test(numbers_are_their_own_codes),
	cmocka_unit_test(a_text_that_is_not_a_pid_has_no_code),
	cmocka_unit_test(none_has_its_own_code),
	cmocka_unit_test(label_with_its_hash_is_found),
	cmocka_unit_test(forgotten_text_is_its_hash),
	cmocka_unit_test(text_is_cut_between_characters),
};

CHECK_MAIN(tests)
