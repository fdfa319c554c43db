/* cgroup.h - describes the codes that the kernel gives to a control group, and shows them as labels.
 *
 *      kernel: cgroup_learn() -> struct cgroup_codes          host: cgroup_label(), cgroup_code()
 *
 *      path       hash of the path in the version 2 hierarchy, at most PATH_MAX_LEN bytes of it
 *      unit       hash of the name of the innermost systemd unit in the path, or CGROUP_NONE
 *      container  hash of the short id of the innermost container in the path, or CGROUP_NONE
 *      pod        hash of the pod's name, `namespace/name`; of its uid while the collector does not know the name; or
 *                 CGROUP_NONE
 *      name       hash of the container's name in its pod; CGROUP_UNKNOWN while the collector does not know it;
 *                 CGROUP_NONE outside of pods
 *
 * cgroup_name.h finds unit, container and pod in the path.  The collector knows the names from files of Kubernetes
 * (pod_names.h) and puts them into the map `pod_names`, where the programs find them.  So an event has the code of the
 * name, and a predicate on a name also holds for a pod of that name that does not exist yet.
 *
 * A hash depends on the text only.  So a text has the same code in every process, control group and host.  If the
 * kernel has no memory for a control group, its codes are CGROUP_UNKNOWN.
 */
#ifndef HEATSCOPE_CGROUP_H
#define HEATSCOPE_CGROUP_H

#include <linux/types.h>

#define PATH_MAX_LEN 255		/* == LABEL_MAX */
#define PATHS_MAX 1024
#define POD_NAMES_MAX 8192		/* pods and containers of a host */

enum cgroup_code { CGROUP_UNKNOWN, CGROUP_NONE };	/* codes that are no hashes: "unknown", "none" */

struct path {
	char text[PATH_MAX_LEN + 1];
};

struct cgroup_codes {
	__u64 path, unit, container, pod, name;
	__u64 check_ns;			/* CLOCK_MONOTONIC: the codes are not made again before then */
};

/* An entry of the map `pod_names`; its key is the code of a pod's uid, or of a container's short id. */
struct pod_name_entry {
	__u64 code;			/* of the name */
	struct path name;
};

#ifndef __bpf__
#include <stddef.h>

/* Writes the label of one of these codes: its text, or #hash if the maps have forgotten the text.  out is LABEL_MAX + 1
 * bytes. */
void cgroup_label(int texts_fd, int paths_fd, __u64 code, char *out);

/* Returns the code of a text, even if no such control group exists: of a path, pod or container's name, or of a unit or
 * container.  It never returns CGROUP_UNKNOWN. */
__u64 cgroup_code(const char *text);
__u64 cgroup_part_code(const char *text);
#endif

#endif
