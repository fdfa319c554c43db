/* cgroup.bpf.h - notes the control group of the server's thread in its turns.
 *
 *      a new connection, or a receive --at most once a second--> struct turn_cgroup --> fields of the event
 *
 * The iterators over the connections run in the collector, so the codes are kept with the connection.  Its control
 * group is that of the thread that served it last.  Kernels that have no storage at control groups have servers too, so
 * the codes of all control groups are in a map by their id.
 *
 * Cost  A receive reads the clock, and only if an instrumentation wants one of the fields.
 * Depth The programs call these functions themselves: under received() there would not be enough stack.
 */
#ifndef HEATSCOPE_SERVER_CGROUP_BPF_H
#define HEATSCOPE_SERVER_CGROUP_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "collector/ring/events.bpf.h"
#include "collector/server/exchange.h"
#include "collector/trace/cgroup.bpf.h"

#define CGROUPS_MAX 4096
#define TURN_WANTED_CGROUP (15ull << (FIELD_BLOCKED_IN + TURN_CGROUP))

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CGROUPS_MAX);
	__type(key, __u64);
	__type(value, struct cgroup_codes);
} cgroups SEC(".maps");

/* Returns the codes of a control group; NULL: no memory. */
static __always_inline struct cgroup_codes *cgroup_codes_at(struct cgroup *c, __u64 now_ns)
{
	const struct cgroup_codes unknown = { 0 };	/* CGROUP_UNKNOWN */
	__u64 id = c->kn->id;
	struct cgroup_codes *codes = bpf_map_lookup_elem(&cgroups, &id);

	if (!codes) {
		bpf_map_update_elem(&cgroups, &id, &unknown, BPF_NOEXIST);
		codes = bpf_map_lookup_elem(&cgroups, &id);
	}
	if (codes && now_ns >= codes->check_ns) {
		codes->check_ns = now_ns + CGROUP_CHECK_NS;
		cgroup_learn(codes, c);
	}
	return codes;
}

/* Notes the control group of the current thread.  A global function: the verifier checks it once. */
__noinline int turn_cgroup_note(struct turn *n)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct cgroup_codes *codes;

	if (!n)
		return 0;
	n->cgroup.check_ns = now_ns + CGROUP_CHECK_NS;
	codes = cgroup_codes_at(bpf_get_current_task_btf()->cgroups->dfl_cgrp, now_ns);
	if (!codes)
		return 0;
	n->cgroup.code[TURN_CGROUP - TURN_CGROUP] = codes->path;
	n->cgroup.code[TURN_CONTAINER - TURN_CGROUP] = codes->container;
	n->cgroup.code[TURN_POD - TURN_CGROUP] = codes->pod;
	n->cgroup.code[TURN_CONTAINER_NAME - TURN_CGROUP] = codes->name;
	return 0;
}

/* Called at a receive of a connection. */
static __always_inline void turn_cgroup_receive(struct turn *n)
{
	if ((wanted & TURN_WANTED_CGROUP) && bpf_ktime_get_ns() >= n->cgroup.check_ns)
		turn_cgroup_note(n);
}

static __always_inline void turn_cgroup_fill(struct event *e, const struct turn *n)
{
	e->field[FIELD_BLOCKED_IN + TURN_CGROUP] = n->cgroup.code[TURN_CGROUP - TURN_CGROUP];
	e->field[FIELD_BLOCKED_IN + TURN_CONTAINER] = n->cgroup.code[TURN_CONTAINER - TURN_CGROUP];
	e->field[FIELD_BLOCKED_IN + TURN_POD] = n->cgroup.code[TURN_POD - TURN_CGROUP];
	e->field[FIELD_BLOCKED_IN + TURN_CONTAINER_NAME] = n->cgroup.code[TURN_CONTAINER_NAME - TURN_CGROUP];
}

#endif
