/* cgroups.h - cgroup.memory and cgroup.cpu: what each control group holds and uses.
 *
 *      /sys/fs/cgroup --walk--> a node per group: its path, unit, container, and its files' numbers
 *
 * Own     a group's files count what is in the groups below it, too.  Here each group has what is its own,
 *         that less what its children have: so groups add up to units, containers and the whole, and none
 *         is counted twice.  A group that comes into being within a slot is its parent's until the next.
 * Fields  as in process.h: path, unit (the last part of the path that is one) and container, or `none`.
 * memory  bytes, of version 2, or of version 1 where the memory controller is there.
 * cpu     percent of one CPU's time; throttled: time its tasks were kept waiting by a quota.  Version 2.
 * Left out  groups without any value that have groups below them (slices); beyond CGROUPS_MAX or
 *         CGROUPS_DEPTH they are their parent's.
 */
#ifndef HEATSCOPE_CGROUPS_H
#define HEATSCOPE_CGROUPS_H

#include <linux/types.h>
#include <stddef.h>

#define CGROUPS_MAX 8192
#define CGROUPS_DEPTH 24

/* Where a hierarchy is mounted, from the text of /proc/mounts: version 2 (controller NULL), or the one of
 * version 1 with this controller.  -ENOENT: it is not; -ENAMETOOLONG. */
int cgroups_mount(const void *text, size_t len, const char *controller, char *out, size_t room);

/* The values of these names in a text of lines "name value"; how many were found. */
int cgroups_stat(const void *text, size_t len, const char *const *name, size_t n, __u64 *ret_value);

/* What start() of the meters gives, for a hierarchy that is mounted elsewhere; -ENOMEM, -ENAMETOOLONG. */
int cgroups_memory_at(const char *root, int version, void **ret_self);
int cgroups_cpu_at(const char *root, void **ret_self);

#endif
