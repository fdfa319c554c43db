/* cgroups.h - reads what each control group holds and uses, for cgroup.memory and cgroup.cpu.
 *
 *      /sys/fs/cgroup --walk--> a node per group: its path, unit, container, pod, and its files' numbers
 *
 * Own     a group's files also count the groups below it.  We subtract the children's values, so each group has only
 *         its own.  Then groups add up to units, containers and the whole.  A group that is created within a slot
 *         counts for its parent until the next slot.
 * Fields  as in cgroup.h: path, unit (the last part of the path that is a unit), container, pod, the container's name.
 * memory  bytes, from version 2, or from version 1 if it has the memory controller.
 * cpu     percent of one CPU's time; throttled: time for which a quota kept its tasks waiting.  Version 2.
 * Limits  A group without any value is left out if it has groups below it (a slice).  Groups beyond CGROUPS_MAX or
 *         CGROUPS_DEPTH count for their parents.
 */
#ifndef HEATSCOPE_CGROUPS_H
#define HEATSCOPE_CGROUPS_H

#include <linux/types.h>
#include <stddef.h>

#define CGROUPS_MAX 8192
#define CGROUPS_DEPTH 24

/* Finds in the text of /proc/mounts where a hierarchy is mounted: version 2 (controller NULL), or the one of
 * version 1 with this controller.  -ENOENT: it is not mounted; -ENAMETOOLONG. */
int cgroups_mount(const void *text, size_t len, const char *controller, char *out, size_t room);

/* Reads the values of these names from a text of lines "name value"; returns how many were found. */
int cgroups_stat(const void *text, size_t len, const char *const *name, size_t n, __u64 *ret_value);

/* For tests: like start() of the two meters, but for a tree of ordinary files at `root` instead of the mounted
 * hierarchy.  -ENOMEM, -ENAMETOOLONG. */
int cgroups_memory_at(const char *root, int version, void **ret_self);
int cgroups_cpu_at(const char *root, void **ret_self);

#endif
