/* cgroup.bpf.h - makes the codes of a control group (cgroup.h) in the kernel.
 *
 *      struct cgroup --walk from the root down--> path, unit, container, pod's uid --`pod_names`--> names
 *
 * A walk takes about 2 us, so its caller keeps the codes and makes them again at most once a second (CGROUP_CHECK_NS):
 * then new names are taken over, and texts that the maps have forgotten are put back.  The maps evict the texts that
 * were unused for longest.
 */
#ifndef HEATSCOPE_CGROUP_BPF_H
#define HEATSCOPE_CGROUP_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "collector/trace/cgroup.h"
#include "collector/trace/cgroup_name.h"
#include "collector/trace/text.bpf.h"
#include "collector/trace/vm.h"
#include "collector/trace/intern.bpf.h"

#define CGROUP_CHECK_NS 1000000000ull
#define CGROUP_DEPTH_MAX 32

INTERNED(paths, struct path, PATHS_MAX);

struct {				/* filled by the collector, see pod_names.h */
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, POD_NAMES_MAX);
	__type(key, __u64);
	__type(value, struct pod_name_entry);
} pod_names SEC(".maps");

struct cgroup_walk {
	char name[CGROUP_NAME_ROOM];
	char path[2 * CGROUP_NAME_ROOM];	/* in its first half; the rest is for one more name */
	struct text unit, container, pod;
	struct cgroup *cgroup;
	__u32 path_len, level;
	__u32 n, pod_end;		/* of the name; see cgroup_pod_end() */
	int above;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cgroup_walk);
} cgroup_walks SEC(".maps");

static __always_inline void part_keep(struct text *text, const char *name, struct cgroup_part part)
{
	__u32 n = part.n < TEXT_MAX - 1 ? part.n : TEXT_MAX - 1;

	__builtin_memset(text, 0, sizeof(*text));
	barrier_var(n);			/* the compiler knows its bound, the verifier does not */
	if (n < TEXT_MAX)
		bpf_probe_read_kernel(text, n, name + (part.at & (CGROUP_NAME_ROOM - 1)));
}

/* These are global functions: the verifier checks each once, not once per way through the others. */
__noinline int unit_find(struct cgroup_walk *w)
{
	struct cgroup_part whole = { 0 };

	if (!w)
		return 0;
	whole.n = w->n;
	if (cgroup_is_unit(w->name, w->n))
		part_keep(&w->unit, w->name, whole);
	return 0;
}

__noinline int container_find(struct cgroup_walk *w)
{
	struct cgroup_part part;

	if (!w)
		return 0;
	part = cgroup_container(w->name, w->n, w->above);
	if (part.n)
		part_keep(&w->container, w->name, part);
	w->above = cgroup_below(w->name, w->n);
	return 0;
}

__noinline int pod_end_find(struct cgroup_walk *w)
{
	if (w)
		w->pod_end = cgroup_pod_end(w->name, w->n);
	return 0;
}

__noinline int pod_find(struct cgroup_walk *w)
{
	struct cgroup_part part;
	__u32 i;

	if (!w)
		return 0;
	part = cgroup_pod_before_end(w->name, w->pod_end);
	if (!part.n)
		return 0;
	part_keep(&w->pod, w->name, part);
	CGROUP_LOOP
	for (i = 0; i < POD_UID; i++)
		w->pod.text[i] = cgroup_uid_byte(w->pod.text[i]);
	return 0;
}

/* Adds one part of the path, from the root down. */
static long cgroup_step(__u32 i, struct cgroup_walk **at)
{
	struct cgroup_walk *w = *at;
	struct cgroup *c = 0;
	__s64 n;
	__u32 end;

	if (!w || i >= w->level)
		return 1;
	bpf_probe_read_kernel(&c, sizeof(c), (struct cgroup **)&w->cgroup->ancestors + i + 1);
	n = bpf_probe_read_kernel_str(w->name, sizeof(w->name), BPF_CORE_READ(c, kn, name)) - 1;
	if (n <= 0 || n >= CGROUP_NAME_ROOM)
		return 1;
	end = w->path_len & (CGROUP_NAME_ROOM - 1);
	w->path[end] = '/';
	bpf_probe_read_kernel(&w->path[end + 1], n & (CGROUP_NAME_ROOM - 1), w->name);
	w->path_len = end + 1 + n < PATH_MAX_LEN ? end + 1 + n : PATH_MAX_LEN;
	w->n = n;
	unit_find(w);
	container_find(w);
	pod_end_find(w);
	pod_find(w);
	return 0;
}

struct path_hashing {
	const char *text;
	__u64 hash;
	__u32 n;
};

static long path_hash_step(__u32 i, struct path_hashing *h)
{
	char byte = 0;

	if (i >= h->n)
		return 1;
	bpf_probe_read_kernel(&byte, 1, h->text + i);
	h->hash = hash_byte(h->hash, byte);
	return 0;
}

static __always_inline __u64 path_remember(struct cgroup_walk *w)
{
	struct path_hashing h = { w->path, HASH_SEED, w->path_len };

	w->path[PATH_MAX_LEN] = 0;
	bpf_loop(PATH_MAX_LEN, path_hash_step, &h, 0);
	intern(&paths, &h.hash, w->path);
	return h.hash;
}

static __always_inline __u64 part_remember(struct text *text)
{
	return text->text[0] ? text_remember(text, 0) : CGROUP_NONE;
}

/* Returns the code of the name of a pod or container; of one without a known name: `otherwise`. */
static __always_inline __u64 pod_name_of(__u64 code, __u64 otherwise)
{
	struct pod_name_entry *entry = bpf_map_lookup_elem(&pod_names, &code);

	if (!entry)
		return otherwise;
	intern(&paths, &entry->code, &entry->name);
	return entry->code;
}

/* A global function: the verifier checks it once, not once per path to it. */
__noinline int cgroup_walk(struct cgroup_codes *codes)
{
	__u32 zero = 0;
	struct cgroup_walk *w = bpf_map_lookup_elem(&cgroup_walks, &zero);
	__u64 pod;

	if (!w || !codes)
		return 0;
	__builtin_memset(w->path, 0, sizeof(struct path));
	w->unit.text[0] = w->container.text[0] = w->pod.text[0] = 0;
	w->path_len = w->above = 0;
	bpf_loop(CGROUP_DEPTH_MAX, cgroup_step, &w, 0);
	if (!w->path_len) {
		w->path[0] = '/';
		w->path_len = 1;
	}
	codes->path = path_remember(w);
	codes->unit = part_remember(&w->unit);
	codes->container = part_remember(&w->container);
	pod = part_remember(&w->pod);
	codes->pod = pod_name_of(pod, pod);
	codes->name = pod_name_of(codes->container, pod == CGROUP_NONE ? CGROUP_NONE : CGROUP_UNKNOWN);
	return 0;
}

/* Makes the codes, all but check_ns. */
static __always_inline void cgroup_learn(struct cgroup_codes *codes, struct cgroup *c)
{
	__u32 zero = 0;
	struct cgroup_walk *w = bpf_map_lookup_elem(&cgroup_walks, &zero);

	if (!w)
		return;
	w->cgroup = c;
	w->level = c->level;
	cgroup_walk(codes);
}

#endif
