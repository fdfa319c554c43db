/* pod_names.h - knows the names of a host's pods and of their containers, from the names of their log files.
 *
 *      /var/log/pods/shop_db-0_0f1e2d3c-...                 pod with that uid:       shop/db-0
 *      /var/log/containers/db-0_shop_mariadb-0123...log     container with that id:  mariadb
 *
 * The kubelet of Kubernetes keeps these two folders on every node, whatever the container runtime is.  To list them
 * takes no privilege, no socket and no password; no file in them is opened.  A host without a kubelet has neither.
 *
 * Shape   `name` is sorted by key.  A key is the code of a pod's uid, or of a container's short id (cgroup.h).
 * Limit   POD_NAMES_MAX names; the others are left out.  The kubelet cuts the name of a log at 255 bytes: if that
 *         takes a part of the id, the container's name is not known.
 * Errors  0 or -errno.
 * Thread  one thread.
 */
#ifndef HEATSCOPE_POD_NAMES_H
#define HEATSCOPE_POD_NAMES_H

#include "collector/trace/cgroup.h"

#include <stddef.h>

#define POD_LOGS "/var/log"		/* the folder that has `pods` and `containers` */

struct pod_name {
	__u64 key;
	struct pod_name_entry entry;
};

struct pod_folder {
	__s64 changed_ns;		/* when it had changed last, as we listed it; 0: it could not be listed */
	int is_fresh;			/* it had changed so shortly before that it may have changed again unnoticed */
};

struct pod_names {
	const char *logs;		/* the folder; NULL: POD_LOGS */
	struct pod_name *name;
	size_t n, room;
	__u64 *gone;			/* keys that the last refresh removed */
	size_t n_gone, gone_room;
	struct pod_folder pods, containers;
};

/* Reads a name of the folder `pods`, or of the folder `containers`.  -EINVAL: the kubelet gives no such name. */
int pod_name_of_pod(const char *text, struct pod_name *ret_name);
int pod_name_of_log(const char *text, struct pod_name *ret_name);

/* Lists the folders if they have changed.  Returns 1 if names changed, 0 if not; -ENOMEM.  A folder that cannot be
 * listed has no names. */
int pod_names_refresh(struct pod_names *p);

/* Puts all names into a map `pod_names` of programs that include cgroup.bpf.h, and removes those that are gone. */
void pod_names_put(const struct pod_names *p, int map_fd);

/* Returns the name of a key; NULL: it is not known. */
const struct pod_name *pod_names_find(const struct pod_names *p, __u64 key);

void pod_names_fini(struct pod_names *p);

#endif
