#include "collector/trace/pod_names.h"
#include "collector/core/array.h"
#include "collector/trace/cgroup_name.h"
#include "collector/trace/wall.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FRESH_NS 1000000000		/* file systems count time in steps of at most a second */

/* ---- the names of files ---- */

/* Kubernetes allows these bytes in names of namespaces, pods and containers. */
static int is_name(const char *text, size_t n)
{
	return n && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-.") >= n;
}

static int is_uid(const char *uid)
{
	char name[CGROUP_NAME_ROOM] = "pod";
	struct cgroup_part part;
	size_t n = strlen(uid);

	if (n + 3 >= sizeof(name))
		return 0;
	memcpy(name + 3, uid, n);
	part = cgroup_pod(name, (__u32)n + 3);
	return n && part.n == n && !strchr(uid, '_');
}

static void name_set(struct pod_name *name, __u64 key)
{
	name->key = key;
	name->entry.code = cgroup_code(name->entry.name.text);
}

int pod_name_of_pod(const char *text, struct pod_name *ret_name)
{
	const char *pod = strchr(text, '_'), *uid = pod ? strchr(pod + 1, '_') : NULL;
	size_t n_namespace = pod ? (size_t)(pod++ - text) : 0, n_pod = uid ? (size_t)(uid++ - pod) : 0;

	if (!uid || !is_name(text, n_namespace) || !is_name(pod, n_pod) || !is_uid(uid))
		return -EINVAL;
	*ret_name = (struct pod_name){ 0 };
	snprintf(ret_name->entry.name.text, sizeof(ret_name->entry.name.text), "%.*s/%.*s", (int)n_namespace, text, (int)n_pod,
		 pod);
	name_set(ret_name, cgroup_code(uid));
	return 0;
}

int pod_name_of_log(const char *text, struct pod_name *ret_name)
{
	const size_t end = 1 + CONTAINER_DIGITS + sizeof(".log") - 1;	/* of "-0123...cdef.log" */
	const char *namespace = strchr(text, '_'), *name = namespace ? strchr(namespace + 1, '_') : NULL;
	size_t n = name ? strlen(++name) : 0;
	char id[CONTAINER_SHORT + 1] = "";

	if (n <= end || !is_name(name, n - end))
		return -EINVAL;
	n -= end;
	if (name[n] != '-' || strspn(name + n + 1, "0123456789abcdef") != CONTAINER_DIGITS ||
	    strcmp(name + n + 1 + CONTAINER_DIGITS, ".log"))
		return -EINVAL;
	memcpy(id, name + n + 1, CONTAINER_SHORT);
	*ret_name = (struct pod_name){ 0 };
	snprintf(ret_name->entry.name.text, sizeof(ret_name->entry.name.text), "%.*s", (int)n, name);
	name_set(ret_name, cgroup_part_code(id));
	return 0;
}

/* ---- the folders ---- */

static void folder_path(const struct pod_names *p, const char *folder, char *out)
{
	snprintf(out, PATH_MAX, "%s/%s", p->logs ? p->logs : POD_LOGS, folder);
}

static struct pod_folder folder_now(const struct pod_names *p, const char *folder)
{
	char path[PATH_MAX];
	struct stat st;
	__s64 changed_ns;

	folder_path(p, folder, path);
	if (stat(path, &st))
		return (struct pod_folder){ 0 };
	changed_ns = (__s64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return (struct pod_folder){ changed_ns, clock_ns(CLOCK_REALTIME) - changed_ns < FRESH_NS };
}

static int folder_list(struct pod_names *p, const char *folder, int (*read_name)(const char *text, struct pod_name *ret))
{
	char path[PATH_MAX];
	struct pod_name name;
	const struct dirent *e;
	DIR *entries;
	int err = 0;

	folder_path(p, folder, path);
	entries = opendir(path);
	while (entries && !err && p->n < POD_NAMES_MAX && (e = readdir(entries))) {
		if (read_name(e->d_name, &name))
			continue;
		err = array_grow(&p->name, p->n, &p->room, sizeof(*p->name));
		if (!err)
			p->name[p->n++] = name;
	}
	if (entries)
		closedir(entries);
	return err;
}

static int by_key(const void *a, const void *b)
{
	__u64 x = ((const struct pod_name *)a)->key, y = ((const struct pod_name *)b)->key;

	return x < y ? -1 : x > y;
}

/* Notes the keys of `before` that p lacks.  Returns 1 if any name came, went or changed. */
static int names_compare(struct pod_names *p, const struct pod_names *before)
{
	int changed = p->n != before->n;

	p->n_gone = 0;
	for (size_t i = 0; i < before->n; i++) {
		const struct pod_name *now = pod_names_find(p, before->name[i].key);

		changed |= !now || now->entry.code != before->name[i].entry.code;
		if (now || array_grow(&p->gone, p->n_gone, &p->gone_room, sizeof(*p->gone)))
			continue;
		p->gone[p->n_gone++] = before->name[i].key;
	}
	return changed;
}

int pod_names_refresh(struct pod_names *p)
{
	struct pod_folder pods = folder_now(p, "pods"), containers = folder_now(p, "containers");
	struct pod_names before = *p;
	int err, changed;

	if (pods.changed_ns == p->pods.changed_ns && containers.changed_ns == p->containers.changed_ns &&
	    !p->pods.is_fresh && !p->containers.is_fresh)
		return 0;
	p->name = NULL;
	p->n = p->room = 0;
	err = folder_list(p, "pods", pod_name_of_pod);
	err = err ?: folder_list(p, "containers", pod_name_of_log);
	if (err) {
		free(p->name);
		*p = before;
		return err;
	}
	p->pods = pods;
	p->containers = containers;
	if (p->n)
		qsort(p->name, p->n, sizeof(*p->name), by_key);
	changed = names_compare(p, &before);
	free(before.name);
	return changed;
}

void pod_names_put(const struct pod_names *p, int map_fd)
{
	for (size_t i = 0; i < p->n_gone; i++)
		bpf_map_delete_elem(map_fd, &p->gone[i]);
	for (size_t i = 0; i < p->n; i++)
		bpf_map_update_elem(map_fd, &p->name[i].key, &p->name[i].entry, BPF_ANY);
}

const struct pod_name *pod_names_find(const struct pod_names *p, __u64 key)
{
	size_t i = array_place(p->n, at, p->name[at].key < key);

	return i < p->n && p->name[i].key == key ? &p->name[i] : NULL;
}

void pod_names_fini(struct pod_names *p)
{
	free(p->name);
	free(p->gone);
	*p = (struct pod_names){ .logs = p->logs };
}
