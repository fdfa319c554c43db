#include "collector/proc/cgroups.h"
#include "collector/core/array.h"
#include "collector/trace/cgroup_name.h"
#include "collector/proc/meter.h"
#include "collector/proc/scan.h"
#include "collector/proc/counter_delta.h"
#include "collector/proc/slurp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PROC_MOUNTS "/proc/self/mounts"
#define VALUES_MAX 8
#define NO_PARENT (~(__u32)0)

enum { FIELD_CGROUP, FIELD_UNIT, FIELD_CONTAINER, FIELD_POD, FIELD_CONTAINER_NAME, N_FIELDS };
enum { MEMORY_CURRENT, MEMORY_ANON, MEMORY_FILE, MEMORY_SHMEM, MEMORY_KERNEL, MEMORY_SWAP, MEMORY_VALUES };
enum { CPU_USAGE, CPU_USER, CPU_SYSTEM, CPU_THROTTLED, CPU_VALUES };

#define CGROUP_FIELDS                                                               \
	{ "cgroup", "control group", "string", FIELD_DISCRETE, 0, 0, 0 },           \
	{ "unit", "systemd unit", "string", FIELD_DISCRETE, 0, 0, 0 },              \
	{ "container", "container id", "string", FIELD_DISCRETE, 0, 0, 0 },         \
	{ "pod", "pod", "string", FIELD_DISCRETE, 0, 0, 0 },                        \
	{ "containername", "container name", "string", FIELD_DISCRETE, 0, 0, 0 },   \
	{ "hostname", "host", "string", FIELD_DISCRETE, 0, 0, 0 }
#define SIZE_FIELD(name, label) { name, label, "size", FIELD_NUMERIC, UNIT_BYTES, 12, 44 }
#define SHARE_FIELD(name, label) { name, label, "percent", FIELD_NUMERIC, UNIT_PERCENT, 0, 17 }

static const struct field memory_fields[] = {
	CGROUP_FIELDS,
	SIZE_FIELD("current", "memory"),
	SIZE_FIELD("anon", "anonymous memory"),
	SIZE_FIELD("file", "page cache"),
	SIZE_FIELD("shmem", "shared memory"),
	SIZE_FIELD("kernel", "memory of the kernel"),
	SIZE_FIELD("swap", "swap"),
};

static const struct field cpu_fields[] = {
	CGROUP_FIELDS,
	SHARE_FIELD("usage", "CPU time"),
	SHARE_FIELD("user", "CPU time in user mode"),
	SHARE_FIELD("system", "CPU time in the kernel"),
	SHARE_FIELD("throttled", "time throttled"),
};

static const struct metric memory_metric = {
	"cgroup", "memory", "Control groups' memory", "groups", memory_fields,
	sizeof(memory_fields) / sizeof(*memory_fields), SCOPE_POINT, NULL, NULL, NULL
};
static const struct metric cpu_metric = {
	"cgroup", "cpu", "Control groups' CPU time", "groups", cpu_fields, sizeof(cpu_fields) / sizeof(*cpu_fields),
	SCOPE_POINT, NULL, NULL, NULL
};

struct node {
	__u32 parent;
	int is_inner, has;
	__u64 field[N_FIELDS];
	__u64 value[VALUES_MAX];
};

struct cgroups {
	char root[PATH_MAX];
	size_t n_values;
	int (*values)(struct cgroups *c, int dir, __u64 *ret_value);
	__u64 wanted;
	struct node *node;
	size_t n_nodes, room;
	struct counter_delta counters;	/* cpu: counters of the groups, their children included */
	struct bytes text;
	struct words *words;
	struct pod_names *pod_names;	/* NULL: no pod has a name */
};

/* --- texts --- */

/* /proc/mounts writes blanks and some other characters in octal: \040 */
static int unescape(const struct scan *word, char *out, size_t room)
{
	size_t n = 0;

	for (const char *c = word->at; c < word->end; c++) {
		int octal = *c == '\\' && word->end - c > 3 && c[1] >= '0' && c[1] <= '3' && c[2] >= '0' && c[2] <= '7' &&
			    c[3] >= '0' && c[3] <= '7';

		if (n + 1 >= room)
			return -ENAMETOOLONG;
		out[n++] = octal ? (char)((c[1] - '0') << 6 | (c[2] - '0') << 3 | (c[3] - '0')) : *c;
		c += octal ? 3 : 0;
	}
	out[n] = 0;
	return 0;
}

static int has_option(struct scan options, const char *name)
{
	struct scan option;

	while (scan_until(&options, ",", &option))
		if (scan_is(&option, name))
			return 1;
	return 0;
}

int cgroups_mount(const void *text, size_t len, const char *controller, char *out, size_t room)
{
	struct scan all = scan_of(text, len), line, device, path, type, options;

	while (scan_line(&all, &line)) {
		if (!scan_word(&line, &device) || !scan_word(&line, &path) || !scan_word(&line, &type) ||
		    !scan_word(&line, &options))
			continue;
		if (controller ? scan_is(&type, "cgroup") && has_option(options, controller) : scan_is(&type, "cgroup2"))
			return unescape(&path, out, room);
	}
	return -ENOENT;
}

int cgroups_stat(const void *text, size_t len, const char *const *name, size_t n, __u64 *ret_value)
{
	struct scan all = scan_of(text, len), line, word;
	int found = 0;

	while (scan_line(&all, &line)) {
		if (!scan_word(&line, &word))
			continue;
		for (size_t i = 0; i < n; i++)
			if (name[i] && scan_is(&word, name[i]))
				found += scan_number(&line, &ret_value[i]);
	}
	return found;
}

/* --- the files of a group --- */

static int wants(const struct cgroups *c, unsigned measure)
{
	return (c->wanted & WANTED_MEASURE(measure)) != 0;
}

/* Reads these names of memory.stat if a measure wants one. */
static int memory_stat(struct cgroups *c, int dir, const char *const name[MEMORY_VALUES], __u64 *ret_value)
{
	int wanted = 0, err;

	for (unsigned i = 0; i < MEMORY_VALUES; i++)
		wanted |= name[i] && wants(c, i);
	err = wanted ? slurp(dir, "memory.stat", &c->text) : 0;
	if (wanted && !err)
		cgroups_stat(c->text.data, c->text.len, name, MEMORY_VALUES, ret_value);
	return err;
}

static int memory_2(struct cgroups *c, int dir, __u64 *ret_value)
{
	static const char *const name[MEMORY_VALUES] = { NULL, "anon", "file", "shmem", "kernel", NULL };
	int err = slurp_number(dir, "memory.current", &c->text, &ret_value[MEMORY_CURRENT]);

	if (!err && wants(c, MEMORY_SWAP))	/* a kernel without swap has no such file */
		slurp_number(dir, "memory.swap.current", &c->text, &ret_value[MEMORY_SWAP]);
	return err ? err : memory_stat(c, dir, name, ret_value);
}

static int memory_1(struct cgroups *c, int dir, __u64 *ret_value)
{
	static const char *const name[MEMORY_VALUES] = { NULL, "total_rss", "total_cache", "total_shmem", NULL, "total_swap" };
	int err = slurp_number(dir, "memory.usage_in_bytes", &c->text, &ret_value[MEMORY_CURRENT]);

	if (!err && wants(c, MEMORY_KERNEL))
		slurp_number(dir, "memory.kmem.usage_in_bytes", &c->text, &ret_value[MEMORY_KERNEL]);
	return err ? err : memory_stat(c, dir, name, ret_value);
}

static int cpu_2(struct cgroups *c, int dir, __u64 *ret_value)
{
	static const char *const name[CPU_VALUES] = { "usage_usec", "user_usec", "system_usec", "throttled_usec" };
	int err = slurp(dir, "cpu.stat", &c->text);

	if (!err && !cgroups_stat(c->text.data, c->text.len, name, CPU_VALUES, ret_value))
		err = -EBADMSG;
	return err;
}

/* --- the walk --- */

static __u64 code(const struct cgroups *c, const char *text)
{
	return words_code(c->words, text, strlen(text));
}

/* Returns the code of the name that has this key; of none: `otherwise`. */
static __u64 pod_name_code(const struct cgroups *c, __u64 key, __u64 otherwise)
{
	const struct pod_name *name = c->pod_names ? pod_names_find(c->pod_names, key) : NULL;

	return name ? code(c, name->entry.name.text) : otherwise;
}

static void pod_say(const struct cgroups *c, const char *uid, struct cgroup_part part, struct node *n)
{
	char text[POD_UID + 1] = "";

	for (__u32 i = 0; i < part.n; i++)
		text[i] = cgroup_uid_byte(uid[part.at + i]);
	n->field[FIELD_POD] = pod_name_code(c, cgroup_code(text), code(c, text));
	n->field[FIELD_CONTAINER_NAME] = code(c, "unknown");
}

static void container_say(const struct cgroups *c, const char *name, struct cgroup_part part, struct node *n)
{
	int none = n->field[FIELD_POD] == code(c, "none");
	char id[CGROUP_NAME_ROOM] = "";

	memcpy(id, name + part.at, part.n);
	n->field[FIELD_CONTAINER] = code(c, id);
	n->field[FIELD_CONTAINER_NAME] = pod_name_code(c, cgroup_part_code(id), none ? code(c, "none") : code(c, "unknown"));
}

/* Sets the fields of a group from those of its parent and from the last part of its path. */
static void name_say(const struct cgroups *c, const char *name, int above, struct node *n)
{
	char padded[CGROUP_NAME_ROOM] = "";
	size_t len = strnlen(name, sizeof(padded) - 1);
	struct cgroup_part part;

	memcpy(padded, name, len);
	if (cgroup_is_unit(padded, (__u32)len))
		n->field[FIELD_UNIT] = words_code(c->words, padded, len);
	part = cgroup_pod(padded, (__u32)len);
	if (part.n)
		pod_say(c, padded, part, n);
	part = cgroup_container(padded, (__u32)len, above);
	if (part.n)
		container_say(c, padded, part, n);
}

static struct node *node_new(struct cgroups *c, __u32 parent, const char *path, const char *name, int above)
{
	struct node *n;

	if (array_grow(&c->node, c->n_nodes, &c->room, sizeof(*c->node)))
		return NULL;
	n = &c->node[c->n_nodes++];
	*n = (struct node){ .parent = parent };
	for (unsigned i = FIELD_UNIT; i < N_FIELDS; i++)
		n->field[i] = parent == NO_PARENT ? code(c, "none") : c->node[parent].field[i];
	n->field[FIELD_CGROUP] = code(c, path);
	if (parent != NO_PARENT)
		name_say(c, name, above, n);
	return n;
}

static int walk(struct cgroups *c, int dir, char *path, size_t len, const char *name, __u32 parent, int above, int depth);

static int walk_below(struct cgroups *c, int dir, char *path, size_t len, const char *name, __u32 at, int depth)
{
	int below = cgroup_below(name, (__u32)strlen(name)), err = 0;
	DIR *entries = fdopendir(dir);
	const struct dirent *e;

	if (!entries) {
		close(dir);
		return -errno;
	}
	while (!err && (e = readdir(entries))) {
		size_t n = strlen(e->d_name);
		int child;

		if (e->d_type != DT_DIR || e->d_name[0] == '.' || len + n + 2 > PATH_MAX || depth >= CGROUPS_DEPTH ||
		    c->n_nodes >= CGROUPS_MAX)
			continue;
		child = openat(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (child < 0)
			continue;		/* the group has vanished meanwhile */
		c->node[at].is_inner = 1;
		path[len] = '/';
		memcpy(path + len + 1, e->d_name, n + 1);
		err = walk(c, child, path, len + 1 + n, path + len + 1, at, below, depth + 1);
		path[len] = 0;
	}
	closedir(entries);
	return err;
}

/* Takes ownership of dir.  A group that vanishes during the walk has no value. */
static int walk(struct cgroups *c, int dir, char *path, size_t len, const char *name, __u32 parent, int above, int depth)
{
	__u32 at = (__u32)c->n_nodes;
	__u64 value[VALUES_MAX] = { 0 };
	struct node *n = node_new(c, parent, len ? path : "/", name, above);

	if (!n) {
		close(dir);
		return -ENOMEM;
	}
	n->has = !c->values(c, dir, value);
	memcpy(n->value, value, sizeof(value));
	return walk_below(c, dir, path, len, name, at, depth);
}

static int walk_all(struct cgroups *c, const struct meter_request *request, struct words *words)
{
	char path[PATH_MAX] = "";
	int dir = open(c->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return -errno;
	c->wanted = request->wanted;
	c->pod_names = request->pod_names;
	if (c->pod_names)
		pod_names_refresh(c->pod_names);
	c->words = words;
	c->n_nodes = 0;
	return walk(c, dir, path, 0, "", NO_PARENT, CGROUP_PLAIN, 0);
}

/* Subtracts from each group the values of its children, so that its own remain.  A child must be whole when it is
 * subtracted from its parent; children come after their parents, so this works from the front. */
static void leave_own(struct cgroups *c)
{
	for (size_t i = 0; i < c->n_nodes; i++) {
		struct node *n = &c->node[i], *parent = n->parent == NO_PARENT ? NULL : &c->node[n->parent];

		for (size_t v = 0; v < c->n_values && parent && n->has; v++)
			parent->value[v] -= n->value[v] < parent->value[v] ? n->value[v] : parent->value[v];
	}
}

static int has_any(const struct cgroups *c, const struct node *n)
{
	for (size_t v = 0; v < c->n_values; v++)
		if (n->value[v])
			return 1;
	return !n->is_inner;
}

static void give(const struct cgroups *c, const struct node *n, const struct meter_out *out)
{
	struct event e = { 0 };

	if (!n->has || !has_any(c, n))
		return;
	memcpy(e.field, n->field, sizeof(n->field));
	memcpy(e.measure, n->value, c->n_values * sizeof(*e.measure));
	out->event(out->arg, &e, 0);
}

/* --- memory --- */

static int mount_find(struct cgroups *c, const char *controller)
{
	int err = slurp(AT_FDCWD, PROC_MOUNTS, &c->text);

	return err ? err : cgroups_mount(c->text.data, c->text.len, controller, c->root, sizeof(c->root));
}

/* Does version 2 have this controller here? */
static int controls(struct cgroups *c, const char *controller)
{
	int dir = open(c->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	struct scan text, line, word;

	if (dir < 0)
		return 0;
	err = slurp(dir, "cgroup.controllers", &c->text);
	close(dir);
	text = scan_of(c->text.data, err ? 0 : c->text.len);
	while (scan_line(&text, &line))
		while (scan_word(&line, &word))
			if (scan_is(&word, controller))
				return 1;
	return 0;
}

static void memory_is(struct cgroups *c, int version)
{
	c->n_values = c->counters.n_values = MEMORY_VALUES;
	c->values = version == 2 ? memory_2 : memory_1;
}

static int memory_find(struct cgroups *c)
{
	int is_2 = !mount_find(c, NULL) && controls(c, "memory");

	memory_is(c, is_2 ? 2 : 1);
	return is_2 ? 0 : mount_find(c, "memory");
}

static int memory_check(char *reason)
{
	struct cgroups c = { 0 };
	int err = memory_find(&c);

	bytes_fini(&c.text);
	if (err)
		snprintf(reason, REASON_MAX, "cgroup.memory needs control groups with the memory controller, and "
			 "none are mounted (" PROC_MOUNTS ")");
	return err;
}

static void cgroups_stop(void *self)
{
	struct cgroups *c = self;

	counter_delta_fini(&c->counters);
	bytes_fini(&c->text);
	free(c->node);
	free(c);
}

static int cgroups_new(int (*find)(struct cgroups *c), void **ret_self, char *reason)
{
	struct cgroups *c = calloc(1, sizeof(*c));
	int err = c ? find(c) : -ENOMEM;

	if (!err) {
		*ret_self = c;
		return 0;
	}
	snprintf(reason, REASON_MAX, "control groups: %s", strerror(-err));
	if (c)
		cgroups_stop(c);
	return err;
}

static int memory_start(void **ret_self, char *reason)
{
	return cgroups_new(memory_find, ret_self, reason);
}

static int cgroups_at(const char *root, struct cgroups **ret)
{
	struct cgroups *c = strlen(root) < sizeof(c->root) ? calloc(1, sizeof(*c)) : NULL;

	if (!c)
		return strlen(root) < sizeof(c->root) ? -ENOMEM : -ENAMETOOLONG;
	strcpy(c->root, root);
	*ret = c;
	return 0;
}

int cgroups_memory_at(const char *root, int version, void **ret_self)
{
	struct cgroups *c;
	int err = cgroups_at(root, &c);

	if (err)
		return err;
	memory_is(c, version);
	*ret_self = c;
	return 0;
}

static int memory_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	struct cgroups *c = self;
	int err = walk_all(c, request, out->words);

	if (err)
		return err;
	leave_own(c);
	for (size_t i = 0; i < c->n_nodes; i++)
		give(c, &c->node[i], out);
	return 0;
}

/* --- cpu --- */

static void cpu_is(struct cgroups *c)
{
	c->n_values = c->counters.n_values = CPU_VALUES;
	c->values = cpu_2;
}

static int cpu_find(struct cgroups *c)
{
	cpu_is(c);
	return mount_find(c, NULL);
}

int cgroups_cpu_at(const char *root, void **ret_self)
{
	struct cgroups *c;
	int err = cgroups_at(root, &c);

	if (err)
		return err;
	cpu_is(c);
	*ret_self = c;
	return 0;
}

static int cpu_check(char *reason)
{
	struct cgroups c = { 0 };
	int err = cpu_find(&c);

	bytes_fini(&c.text);
	if (err)
		snprintf(reason, REASON_MAX, "cgroup.cpu needs control groups of version 2, and none are mounted ("
			 PROC_MOUNTS ")");
	return err;
}

static int cpu_start(void **ret_self, char *reason)
{
	return cgroups_new(cpu_find, ret_self, reason);
}

/* Replaces the counters by their growth. */
static int nodes_grow(struct cgroups *c)
{
	__u64 growth[COUNTER_DELTA_VALUES];
	size_t added = 0;
	int err = 0;

	counter_delta_begin(&c->counters);
	for (size_t i = 0; i < c->n_nodes && !err; i++)
		if (c->node[i].has)
			err = counter_delta_add(&c->counters, c->node[i].field[FIELD_CGROUP], c->node[i].value);
	for (size_t i = 0; i < c->n_nodes && !err; i++) {
		struct node *n = &c->node[i];

		if (!n->has)
			continue;
		n->has = counter_delta_of(&c->counters, added++, growth);
		memcpy(n->value, growth, n->has ? c->n_values * sizeof(*growth) : 0);
	}
	return err;
}

static int cpu_read(void *self, const struct meter_request *request, const struct meter_out *out)
{
	struct cgroups *c = self;
	int err = walk_all(c, request, out->words);

	if (!err)
		err = nodes_grow(c);
	if (err || !request->since_ns)
		return err;
	leave_own(c);
	for (size_t i = 0; i < c->n_nodes; i++) {
		for (size_t v = 0; v < c->n_values; v++)
			c->node[i].value[v] = meter_percent(c->node[i].value[v] * 1000, request->since_ns);
		give(c, &c->node[i], out);
	}
	return 0;
}

const struct meter cgroup_memory_meter = {
	.metric = &memory_metric,
	.check = memory_check,
	.start = memory_start,
	.stop = cgroups_stop,
	.read = memory_read,
};

const struct meter cgroup_cpu_meter = {
	.metric = &cpu_metric,
	.grows = 1,
	.check = cpu_check,
	.start = cpu_start,
	.stop = cgroups_stop,
	.read = cpu_read,
};
