/* cgroup_name.h - recognises a systemd unit or a container in one part of a cgroup's path.
 *
 *      /system.slice/docker-0123...cdef.scope     unit: the last part that is one    container: 0123456789ab
 *      /kubepods/burstable/pod0f1e.../0123...cdef                                    container: 0123456789ab
 *      /lxc/web, /lxc.payload.web                                                    container: web
 *
 * Units       *.service, *.scope, *.slice
 * Containers  64 hexadecimal digits at the end (before .scope), alone or after a '-': docker, containerd, CRI-O, podman
 *             and Kubernetes use such names.  We show the first 12 digits, as they do.  `conmon` monitors a container
 *             from outside, so its name does not count.  LXC: the name after `lxc.payload.`, or the part below `lxc`.
 * Both        compiled for the BPF target too: a name is in CGROUP_NAME_ROOM bytes and ends with NUL.
 */
#ifndef HEATSCOPE_CGROUP_NAME_H
#define HEATSCOPE_CGROUP_NAME_H

#include <linux/types.h>

#define CGROUP_NAME_ROOM 256		/* a power of two, because indices are masked */
#define CONTAINER_DIGITS 64
#define CONTAINER_SHORT 12

enum { CGROUP_PLAIN, CGROUP_LXC };	/* kind of the parts below */

struct cgroup_part {			/* place of the container's id in the name; n 0: none */
	__u32 at, n;
};

static inline char cgroup_byte(const char *name, __u32 at)
{
	return name[at & (CGROUP_NAME_ROOM - 1)];
}

/* Does the part of the name before `end` end with that text?  n: length of the text, a constant. */
static inline int cgroup_ends(const char *name, __u32 end, const char *text, __u32 n)
{
	__u32 i;

	if (end < n)
		return 0;
	for (i = 0; i < n; i++)
		if (cgroup_byte(name, end - n + i) != text[i])
			return 0;
	return 1;
}

#define CGROUP_ENDS(name, end, text) cgroup_ends(name, end, text, sizeof(text) - 1)
#define CGROUP_IS(name, n, text) ((n) == sizeof(text) - 1 && CGROUP_ENDS(name, n, text))

static inline int cgroup_is_unit(const char *name, __u32 n)
{
	return CGROUP_ENDS(name, n, ".service") || CGROUP_ENDS(name, n, ".scope") || CGROUP_ENDS(name, n, ".slice");
}

static inline int cgroup_digits(const char *name, __u32 at)
{
	__u32 i;

	for (i = 0; i < CONTAINER_DIGITS; i++) {
		char c = cgroup_byte(name, at + i);

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return 0;
	}
	return 1;
}

static inline struct cgroup_part cgroup_id(const char *name, __u32 n)
{
	__u32 end = CGROUP_ENDS(name, n, ".scope") ? n - (sizeof(".scope") - 1) : n, at = end - CONTAINER_DIGITS;
	struct cgroup_part none = { 0, 0 }, id = { at, CONTAINER_SHORT };

	if (end < CONTAINER_DIGITS || !cgroup_digits(name, at))
		return none;
	if (at && cgroup_byte(name, at - 1) != '-')
		return none;
	return CGROUP_ENDS(name, at, "conmon-") ? none : id;
}

/* Finds the container's id in a part of the path.  above: the kind that the parent part gives. */
static inline struct cgroup_part cgroup_container(const char *name, __u32 n, int above)
{
	const __u32 payload = sizeof("lxc.payload.") - 1;
	struct cgroup_part whole = { 0, n }, rest = { payload, n - payload };

	if (above == CGROUP_LXC)
		return whole;
	if (n > payload && CGROUP_ENDS(name, payload, "lxc.payload."))
		return rest;
	return cgroup_id(name, n);
}

static inline int cgroup_below(const char *name, __u32 n)
{
	return CGROUP_IS(name, n, "lxc") || CGROUP_IS(name, n, "lxc.payload") ? CGROUP_LXC : CGROUP_PLAIN;
}

#endif
