#include "collector/proc/cgroups.h"
#include "test/kit/meter_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CGROUP, UNIT, CONTAINER, POD, CONTAINER_NAME };
enum { CURRENT, ANON, FILE_, SHMEM, KERNEL, SWAP };

#define DOCKER "docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope"

#define DIGITS "aaaa456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD_PATH "kubepods.slice/kubepods-pod0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0.slice"

static char root[64];

static void put(const char *file, const char *text)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void group(const char *path)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	assert_int_equal(mkdir(whole, 0700), 0);
}

static void memory(const char *path, const char *current, const char *stat)
{
	char file[512];

	snprintf(file, sizeof(file), "%s/memory.current", path);
	put(file, current);
	snprintf(file, sizeof(file), "%s/memory.stat", path);
	put(file, stat);
}

static int tree_make(void **state)
{
	strcpy(root, "/tmp/heatscope-cgroups.XXXXXX");
	assert_non_null(mkdtemp(root));
	group("system.slice");
	group("system.slice/mariadb.service");
	group("system.slice/" DOCKER);
	group("system.slice/" DOCKER "/init");
	group("user.slice");
	memory("system.slice", "10000000\n", "anon 6000000\nfile 3000000\nkernel 500000\nshmem 100\n");
	memory("system.slice/mariadb.service", "6000000\n", "anon 4000000\nfile 1500000\nkernel 300000\nshmem 100\n");
	memory("system.slice/" DOCKER, "3000000\n", "anon 1000000\nfile 1000000\nkernel 100000\n");
	memory("system.slice/" DOCKER "/init", "1000000\n", "anon 400000\nfile 200000\n");
	memory("user.slice", "0\n", "anon 0\n");
	put("system.slice/mariadb.service/memory.swap.current", "77\n");
	return 0;
}

static int tree_drop(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static const struct event *of(const struct kit *k, const char *path)
{
	return kit_find(k, 0, CGROUP, path);
}

static void label_of(const struct kit *k, const struct event *e, unsigned field, const char *want)
{
	char text[LABEL_MAX + 1];

	words_text(&k->words, e->field[field], text);
	assert_string_equal(text, want);
}

TEST_WITH(each_group_has_its_own_memory, tree_make, tree_drop)
{
	struct kit k = { 0 };
	const struct event *e;
	__u64 sum = 0;
	void *self;

	assert_int_equal(cgroups_memory_at(root, 2, &self), 0);
	assert_int_equal(kit_read(&k, &cgroup_memory_meter, self, 0), 0);
	assert_int_equal(k.n[0], 5);
	e = of(&k, "/system.slice/mariadb.service");
	assert_non_null(e);
	assert_int_equal(e->measure[CURRENT], 6000000);
	assert_int_equal(e->measure[ANON], 4000000);
	assert_int_equal(e->measure[FILE_], 1500000);
	assert_int_equal(e->measure[SHMEM], 100);
	assert_int_equal(e->measure[KERNEL], 300000);
	assert_int_equal(e->measure[SWAP], 77);
	label_of(&k, e, UNIT, "mariadb.service");
	label_of(&k, e, CONTAINER, "none");
	e = of(&k, "/system.slice");
	assert_int_equal(e->measure[CURRENT], 1000000);
	label_of(&k, e, UNIT, "system.slice");
	e = of(&k, "/system.slice/" DOCKER);
	assert_int_equal(e->measure[CURRENT], 2000000);
	label_of(&k, e, UNIT, DOCKER);
	label_of(&k, e, CONTAINER, "0123456789ab");
	e = of(&k, "/system.slice/" DOCKER "/init");
	assert_int_equal(e->measure[CURRENT], 1000000);
	label_of(&k, e, CONTAINER, "0123456789ab");
	assert_non_null(of(&k, "/user.slice"));		/* a leaf has a value, even 0 */
	for (size_t i = 0; i < k.n[0]; i++)
		sum += k.event[0][i].measure[CURRENT];
	assert_int_equal(sum, 10000000);
	cgroup_memory_meter.stop(self);
	words_fini(&k.words);
}

/* As the kubelet with the systemd driver makes it, and its logs. */
TEST_WITH(group_of_a_pod_has_the_names_of_its_logs, tree_make, tree_drop)
{
	struct pod_names names = { .logs = root };
	struct kit k = { .pod_names = &names };
	static const char path[] = POD_PATH "/cri-containerd-" DIGITS ".scope";
	const struct event *e;
	void *self;

	group("kubepods.slice");
	group(POD_PATH);
	memory("kubepods.slice", "500\n", "anon 1\n");
	memory(POD_PATH, "300\n", "anon 1\n");
	group(path);
	memory(path, "200\n", "anon 1\n");
	assert_int_equal(cgroups_memory_at(root, 2, &self), 0);
	assert_int_equal(kit_read(&k, &cgroup_memory_meter, self, 0), 0);
	e = of(&k, "/" POD_PATH "/cri-containerd-" DIGITS ".scope");
	label_of(&k, e, POD, "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0");
	label_of(&k, e, CONTAINER, "aaaa456789ab");
	label_of(&k, e, CONTAINER_NAME, "unknown");
	group("pods");
	group("pods/shop_db-0_0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0");
	group("containers");
	put("containers/db-0_shop_mariadb-" DIGITS ".log", "");
	assert_int_equal(kit_read(&k, &cgroup_memory_meter, self, 0), 0);
	e = of(&k, "/" POD_PATH "/cri-containerd-" DIGITS ".scope");
	label_of(&k, e, POD, "shop/db-0");
	label_of(&k, e, CONTAINER_NAME, "mariadb");
	e = of(&k, "/system.slice/" DOCKER);
	label_of(&k, e, POD, "none");
	label_of(&k, e, CONTAINER_NAME, "none");
	cgroup_memory_meter.stop(self);
	pod_names_fini(&names);
	words_fini(&k.words);
}

/* Children may grow after their parent's file was read: still no group's own memory is below 0. */
TEST_WITH(no_group_owes_memory, tree_make, tree_drop)
{
	struct kit k = { 0 };
	void *self;

	put("system.slice/memory.current", "5\n");
	assert_int_equal(cgroups_memory_at(root, 2, &self), 0);
	assert_int_equal(kit_read(&k, &cgroup_memory_meter, self, 0), 0);
	assert_int_equal(of(&k, "/system.slice")->measure[CURRENT], 0);
	cgroup_memory_meter.stop(self);
	words_fini(&k.words);
}

TEST_WITH(version_1_has_other_names, tree_make, tree_drop)
{
	struct kit k = { 0 };
	const struct event *e;
	void *self;

	put("system.slice/mariadb.service/memory.usage_in_bytes", "900\n");
	put("system.slice/mariadb.service/memory.stat", "rss 1\ntotal_rss 500\ntotal_cache 300\ntotal_shmem 20\ntotal_swap 8\n");
	put("system.slice/mariadb.service/memory.kmem.usage_in_bytes", "70\n");
	assert_int_equal(cgroups_memory_at(root, 1, &self), 0);
	assert_int_equal(kit_read(&k, &cgroup_memory_meter, self, 0), 0);
	assert_int_equal(k.n[0], 1);
	e = of(&k, "/system.slice/mariadb.service");
	assert_int_equal(e->measure[CURRENT], 900);
	assert_int_equal(e->measure[ANON], 500);
	assert_int_equal(e->measure[FILE_], 300);
	assert_int_equal(e->measure[SHMEM], 20);
	assert_int_equal(e->measure[KERNEL], 70);
	assert_int_equal(e->measure[SWAP], 8);
	cgroup_memory_meter.stop(self);
	words_fini(&k.words);
}

static void cpu(const char *path, unsigned usage, unsigned throttled)
{
	char file[512], text[128];

	snprintf(file, sizeof(file), "%s/cpu.stat", path);
	snprintf(text, sizeof(text), "usage_usec %u\nuser_usec %u\nsystem_usec %u\nnr_periods 0\nthrottled_usec %u\n", usage,
		 usage / 2, usage / 2, throttled);
	put(file, text);
}

/* In one second the whole uses 2.5 CPUs: a service 0.5, a container 1.5 and in it init 1. */
TEST_WITH(cpu_time_grows_and_is_each_groups_own, tree_make, tree_drop)
{
	struct kit k = { 0 };
	void *self;

	cpu(".", 1000000, 0);
	cpu("system.slice", 900000, 0);
	cpu("system.slice/mariadb.service", 500000, 0);
	cpu("system.slice/" DOCKER, 300000, 100000);
	assert_int_equal(cgroups_cpu_at(root, &self), 0);
	assert_int_equal(kit_read(&k, &cgroup_cpu_meter, self, 0), 0);
	assert_int_equal(k.n[0], 0);
	cpu(".", 3500000, 0);
	cpu("system.slice", 2900000, 0);
	cpu("system.slice/mariadb.service", 1000000, 0);
	cpu("system.slice/" DOCKER, 1800000, 350000);
	cpu("system.slice/" DOCKER "/init", 1000000, 0);	/* new: this time it counts for its parent */
	assert_int_equal(kit_read(&k, &cgroup_cpu_meter, self, 1000000000), 0);
	assert_int_equal(of(&k, "/")->measure[0], 50);
	assert_null(of(&k, "/system.slice"));			/* has nothing of its own */
	assert_int_equal(of(&k, "/system.slice/mariadb.service")->measure[0], 50);
	assert_int_equal(of(&k, "/system.slice/mariadb.service")->measure[1], 25);
	assert_int_equal(of(&k, "/system.slice/" DOCKER)->measure[0], 150);
	assert_int_equal(of(&k, "/system.slice/" DOCKER)->measure[3], 25);
	assert_null(of(&k, "/system.slice/" DOCKER "/init"));
	cpu(".", 4500000, 0);
	cpu("system.slice", 3900000, 0);
	cpu("system.slice/" DOCKER, 2800000, 350000);
	cpu("system.slice/" DOCKER "/init", 1600000, 0);
	assert_int_equal(kit_read(&k, &cgroup_cpu_meter, self, 1000000000), 0);
	assert_int_equal(of(&k, "/system.slice/" DOCKER)->measure[0], 40);
	assert_int_equal(of(&k, "/system.slice/" DOCKER "/init")->measure[0], 60);
	cgroup_cpu_meter.stop(self);
	words_fini(&k.words);
}

TEST(mounts_are_found)
{
	static const char hybrid[] =
		"tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
		"cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n"
		"cgroup /mnt/a\\040b\\134 cgroup rw,memory 0 0\n"
		"cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
	char path[64];

	assert_int_equal(cgroups_mount(hybrid, strlen(hybrid), NULL, path, sizeof(path)), 0);
	assert_string_equal(path, "/sys/fs/cgroup/unified");
	assert_int_equal(cgroups_mount(hybrid, strlen(hybrid), "cpuacct", path, sizeof(path)), 0);
	assert_string_equal(path, "/sys/fs/cgroup/cpu,cpuacct");
	assert_int_equal(cgroups_mount(hybrid, strlen(hybrid), "memory", path, sizeof(path)), 0);
	assert_string_equal(path, "/mnt/a b\\");
	assert_int_equal(cgroups_mount(hybrid, strlen(hybrid), "mem", path, sizeof(path)), -ENOENT);
	assert_int_equal(cgroups_mount("", 0, NULL, path, sizeof(path)), -ENOENT);
	assert_int_equal(cgroups_mount(hybrid, strlen(hybrid), NULL, path, 10), -ENAMETOOLONG);
}

TEST(stats_are_found_by_name)
{
	static const char *const name[] = { "anon", NULL, "file" };
	__u64 value[3] = { 9, 9, 9 };

	assert_int_equal(cgroups_stat("file 5\nanonx 3\nanon x\n", 22, name, 3, value), 1);
	assert_int_equal(value[0], 9);
	assert_int_equal(value[2], 5);
}

TEST_MAIN()
