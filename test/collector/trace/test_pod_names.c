/* test_pod_names - checks how names of log files become names of pods and containers. */
#include "collector/trace/pod_names.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define UID "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
#define STATIC "33d556edd3ae8ef21980288cef77ae8b"
#define DIGITS "3959d7abfbd0221e5043fccbcb8040e9a1a4e6518dad483b7a33a131885e0283"

/* Kubernetes' own examples, and such that no kubelet makes. */
static const struct {
	const char *file, *key, *name;
} pods[] = {
	{ "shop_db-0_" UID, UID, "shop/db-0" },
	{ "kube-system_kube-apiserver-controlplane_" STATIC, STATIC, "kube-system/kube-apiserver-controlplane" },
	{ "a_b.c_" UID, UID, "a/b.c" },
	{ "shop_db-0", NULL, NULL }, { "shop", NULL, NULL }, { "", NULL, NULL }, { "..", NULL, NULL },
	{ "_db-0_" UID, NULL, NULL }, { "shop__" UID, NULL, NULL }, { "shop_db-0_", NULL, NULL },
	{ "shop_db-0_1", NULL, NULL }, { "shop_db-0_x_" UID, NULL, NULL }, { "shop_d/b_" UID, NULL, NULL },
	{ "shop_DB_" UID, NULL, NULL }, { "shop_db-0_0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0", NULL, NULL },
}, logs[] = {
	{ "db-0_shop_mariadb-" DIGITS ".log", "3959d7abfbd0", "mariadb" },
	{ "kube-proxy-6xsx9_kube-system_kube-proxy-" DIGITS ".log", "3959d7abfbd0", "kube-proxy" },
	{ "db-0_shop_-" DIGITS ".log", NULL, NULL }, { "db-0_shop_mariadb-" DIGITS, NULL, NULL },
	{ "db-0_shop_mariadb" DIGITS ".log", NULL, NULL }, { "db-0_shop_mariadb-0" DIGITS ".log", NULL, NULL },
	{ "db-0_mariadb-" DIGITS ".log", NULL, NULL }, { "mariadb-" DIGITS ".log", NULL, NULL },
	{ "db-0_shop_mari_adb-" DIGITS ".log", NULL, NULL }, { "db-0_shop_mariadb-" DIGITS ".txt", NULL, NULL },
	{ "db-0_shop_" DIGITS ".log", NULL, NULL }, { "__", NULL, NULL }, { "", NULL, NULL },
};

TEST(folder_of_a_pod_says_its_name)
{
	struct pod_name name;

	for (size_t i = 0; i < sizeof(pods) / sizeof(*pods); i++) {
		assert_int_equal(pod_name_of_pod(pods[i].file, &name), pods[i].name ? 0 : -EINVAL);
		if (!pods[i].name)
			continue;
		assert_string_equal(name.entry.name.text, pods[i].name);
		assert_true(name.key == cgroup_code(pods[i].key));
		assert_true(name.entry.code == cgroup_code(pods[i].name));
	}
}

TEST(log_of_a_container_says_its_name)
{
	struct pod_name name;

	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		assert_int_equal(pod_name_of_log(logs[i].file, &name), logs[i].name ? 0 : -EINVAL);
		if (!logs[i].name)
			continue;
		assert_string_equal(name.entry.name.text, logs[i].name);
		assert_true(name.key == cgroup_part_code(logs[i].key));
		assert_true(name.entry.code == cgroup_code(logs[i].name));
	}
}

TEST(a_name_that_is_too_long_for_a_label_is_cut)
{
	char file[400];
	struct pod_name name;

	memset(file, 'a', sizeof(file));
	memcpy(file + 63, "_", 1);
	snprintf(file + 300, sizeof(file) - 300, "_" UID);
	assert_int_equal(pod_name_of_pod(file, &name), 0);
	assert_int_equal(strlen(name.entry.name.text), PATH_MAX_LEN);
	assert_true(name.entry.code == cgroup_code(name.entry.name.text));
}

/* ---- folders ---- */

static char logs_folder[64];

static int folder_make(void **state)
{
	char path[128];

	strcpy(logs_folder, "/tmp/heatscope-pods-XXXXXX");
	if (!mkdtemp(logs_folder))
		return -1;
	snprintf(path, sizeof(path), "%s/pods", logs_folder);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/containers", logs_folder);
	return mkdir(path, 0755);
}

static int folder_remove(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", logs_folder);
	return system(command);
}

static void pod_add(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/pods/%s", logs_folder, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void pod_remove(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/pods/%s", logs_folder, name);
	assert_int_equal(rmdir(path), 0);
}

static void container_add(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/containers/%s", logs_folder, name);
	assert_int_equal(symlink("/nowhere", path), 0);
}

static void folders_are_old(void)
{
	const struct timeval long_ago[2] = { { 1000, 0 }, { 1000, 0 } };
	char path[128];

	snprintf(path, sizeof(path), "%s/pods", logs_folder);
	assert_int_equal(utimes(path, long_ago), 0);
	snprintf(path, sizeof(path), "%s/containers", logs_folder);
	assert_int_equal(utimes(path, long_ago), 0);
}

TEST_WITH(names_come_and_go_with_their_logs, folder_make, folder_remove)
{
	struct pod_names names = { .logs = logs_folder };
	const __u64 uid = cgroup_code(UID), id = cgroup_part_code("3959d7abfbd0");

	assert_int_equal(pod_names_refresh(&names), 0);
	pod_add("shop_db-0_" UID);
	container_add("db-0_shop_mariadb-" DIGITS ".log");
	assert_int_equal(pod_names_refresh(&names), 1);
	assert_int_equal(names.n, 2);
	assert_string_equal(pod_names_find(&names, uid)->entry.name.text, "shop/db-0");
	assert_string_equal(pod_names_find(&names, id)->entry.name.text, "mariadb");
	assert_null(pod_names_find(&names, 1));
	assert_int_equal(pod_names_refresh(&names), 0);

	pod_remove("shop_db-0_" UID);
	pod_add("kube-system_kube-apiserver-controlplane_" STATIC);
	assert_int_equal(pod_names_refresh(&names), 1);
	assert_null(pod_names_find(&names, uid));
	assert_int_equal(names.n_gone, 1);
	assert_true(names.gone[0] == uid);
	assert_int_equal(names.n, 2);
	pod_names_fini(&names);
}

/* A change within the same step of the file system's clock must not be missed. */
TEST_WITH(folder_that_changed_just_now_is_listed_again, folder_make, folder_remove)
{
	struct pod_names names = { .logs = logs_folder };

	pod_add("shop_db-0_" UID);
	assert_int_equal(pod_names_refresh(&names), 1);
	assert_true(names.pods.is_fresh);
	folders_are_old();
	assert_int_equal(pod_names_refresh(&names), 0);
	assert_false(names.pods.is_fresh);
	pod_add("shop_db-1_" STATIC);
	folders_are_old();
	assert_int_equal(pod_names_refresh(&names), 0);	/* nothing shows this change */
	pod_names_fini(&names);
}

TEST(without_a_kubelet_there_are_no_names)
{
	struct pod_names names = { .logs = "/nowhere" };

	assert_int_equal(pod_names_refresh(&names), 0);
	assert_int_equal(names.n, 0);
	assert_null(pod_names_find(&names, cgroup_code(UID)));
	pod_names_fini(&names);
}

TEST_MAIN()
