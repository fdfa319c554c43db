/* test_process - checks texts of processes and their codes, and the names in a cgroup's path. */
#include "collector/trace/process.h"
#include "collector/trace/cgroup_name.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Reads a path as the kernel's part does: from the root down; the last unit and the last container count. */
static void path_read(const char *path, char *unit, char *container)
{
	char name[CGROUP_NAME_ROOM];
	int above = CGROUP_PLAIN;

	strcpy(unit, "none");
	strcpy(container, "none");
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
		above = cgroup_below(name, n);
		path += n + 1;
	}
}

static const struct {
	const char *path, *unit, *container;
} paths[] = {
	{ "", "none", "none" },
	{ "/init.scope", "init.scope", "none" },
	{ "/system.slice/mariadb.service", "mariadb.service", "none" },
	{ "/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service", "none" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope", "a.scope", "none" },
	{ "/system.slice/mariadb.service/inner", "mariadb.service", "none" },
	{ "/docker/" DIGITS, "none", "0123456789ab" },
	{ "/system.slice/docker-" DIGITS ".scope", "docker-" DIGITS ".scope", "0123456789ab" },
	{ "/system.slice/docker-" DIGITS ".scope/system.slice/a.service", "a.service", "0123456789ab" },
	{ "/machine.slice/libpod-" DIGITS ".scope/container", "libpod-" DIGITS ".scope", "0123456789ab" },
	{ "/machine.slice/libpod-conmon-" DIGITS ".scope", "libpod-conmon-" DIGITS ".scope", "none" },
	{ "/kubepods.slice/kubepods-besteffort.slice/cri-containerd-" DIGITS ".scope",
	  "cri-containerd-" DIGITS ".scope", "0123456789ab" },
	{ "/kubepods/burstable/pod01234567-89ab-cdef-0123-456789abcdef/" DIGITS, "none", "0123456789ab" },
	{ "/docker/" DIGITS "/kubepods/pod1/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "none",
	  "aaaaaaaaaaaa" },
	{ "/lxc/web", "none", "web" },
	{ "/lxc/web/system.slice/a.service", "a.service", "web" },
	{ "/lxc.payload.web/init.scope", "init.scope", "web" },
	{ "/lxc.payload/web", "none", "web" },
	{ "/lxc.monitor.web", "none", "none" },
	{ "/lxc", "none", "none" },
	{ "/lxc.payload.", "none", "none" },
	{ "/x" DIGITS, "none", "none" },			/* more than the digits, and no '-' before them */
	{ "/a-0" DIGITS, "none", "none" },
	{ "/A123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "none", "none" },
	{ "/" DIGITS ".scope", DIGITS ".scope", "0123456789ab" },
	{ "/.scope", ".scope", "none" },
};

static void path_says_unit_and_container(void **state)
{
	char unit[CGROUP_NAME_ROOM], container[CGROUP_NAME_ROOM];

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		path_read(paths[i].path, unit, container);
		assert_string_equal(unit, paths[i].unit);
		assert_string_equal(container, paths[i].container);
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
	process_label(&none, PROCESS_CGROUP, PROCESS_UNKNOWN, label);
	assert_string_equal(label, "unknown");
	assert_int_equal(process_codes(PROCESS_EXECNAME, "none", &code, 1), 1);
	assert_int_not_equal(code, PROCESS_NONE);		/* a process may have this name */
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
	cmocka_unit_test(path_says_unit_and_container),
	cmocka_unit_test(any_bytes_may_be_a_cgroup_name),
	cmocka_unit_test(numbers_are_their_own_codes),
	cmocka_unit_test(a_text_that_is_not_a_pid_has_no_code),
	cmocka_unit_test(none_has_its_own_code),
	cmocka_unit_test(forgotten_text_is_its_hash),
	cmocka_unit_test(text_is_cut_between_characters),
};

CHECK_MAIN(tests)
