/* cgroup_name.h - recognises a systemd unit, a container or a pod in one part of a cgroup's path.
 *
 *      /system.slice/docker-0123...cdef.scope     unit: the last part that is one    container: 0123456789ab
 *      /kubepods/burstable/pod0f1e.../0123...cdef                      pod: 0f1e...  container: 0123456789ab
 *      /lxc/web, /lxc.payload.web                                                    container: web
 *      /machine.slice/systemd-nspawn@web.service, .../machine-web.scope              container: web
 *
 * Units       *.service, *.scope, *.slice
 * Containers  64 hexadecimal digits at the end (before .scope), alone or after a '-' or ':': docker, containerd, CRI-O,
 *             podman and Kubernetes use such names.  We show the first 12 digits, as they do.  `conmon` monitors a
 *             container from outside, so its name does not count.  LXC: the name after `lxc.payload.`, or the part
 *             below `lxc`.  systemd-nspawn: the machine's name, as systemd escapes it; a virtual machine's
 *             (`machine-qemu...`) does not count.
 * Pods        Kubernetes: `pod` and the pod's uid at the end (before .slice), alone or after a '-'.  A uid has 36 bytes,
 *             where the systemd driver has `_` for `-` (cgroup_uid_byte() says what it stands for); that of a static pod
 *             is 32 hexadecimal digits.  podman: the first 12 of the 64 digits after `libpod_pod_`.
 * All         compiled for the BPF target too: a name is in CGROUP_NAME_ROOM bytes and ends with NUL.  The loops have no
 *             branches, because the verifier follows each way through them.
 */
#ifndef HEATSCOPE_CGROUP_NAME_H
#define HEATSCOPE_CGROUP_NAME_H

#include <linux/types.h>

#define CGROUP_NAME_ROOM 256		/* a power of two, because indices are masked */
#define CONTAINER_DIGITS 64
#define CONTAINER_SHORT 12
#define POD_UID 36
#define POD_STATIC 32			/* digits of a static pod's uid */

#ifdef __bpf__				/* unrolled, a loop would need more stack than a program has */
#define CGROUP_LOOP _Pragma("clang loop unroll(disable)")
#else
#define CGROUP_LOOP
#endif

enum { CGROUP_PLAIN, CGROUP_LXC };	/* kind of the parts below */

struct cgroup_part {			/* place of a container's or pod's id in the name; n 0: none */
	__u32 at, n;
};

static inline char cgroup_byte(const char *name, __u32 at)
{
	return name[at & (CGROUP_NAME_ROOM - 1)];
}

/* Does the part of the name before `end` end with that text?  n: length of the text, a constant. */
static inline int cgroup_ends(const char *name, __u32 end, const char *text, __u32 n)
{
	__u32 i, differs = 0;

	if (end < n)
		return 0;
	for (i = 0; i < n; i++)
		differs |= (__u8)cgroup_byte(name, end - n + i) ^ (__u8)text[i];
	return !differs;
}

#define CGROUP_ENDS(name, end, text) cgroup_ends(name, end, text, sizeof(text) - 1)
#define CGROUP_IS(name, n, text) ((n) == sizeof(text) - 1 && CGROUP_ENDS(name, n, text))

static inline int cgroup_is_unit(const char *name, __u32 n)
{
	return CGROUP_ENDS(name, n, ".service") || CGROUP_ENDS(name, n, ".scope") || CGROUP_ENDS(name, n, ".slice");
}

/* Returns a number below 0 if the byte is no hexadecimal digit, else 0 or more. */
static inline __s64 cgroup_no_digit(char c)
{
	__s64 byte = c;

	return ((byte - '0') | ('9' - byte)) & ((byte - 'a') | ('f' - byte));
}

/* Are there n hexadecimal digits?  n: a constant. */
static inline int cgroup_digits(const char *name, __u32 at, __u32 n)
{
	__s64 wrong = 0;
	__u32 i;

	CGROUP_LOOP
	for (i = 0; i < n; i++)
		wrong |= cgroup_no_digit(cgroup_byte(name, at + i));
	return wrong >= 0;
}

static inline struct cgroup_part cgroup_id(const char *name, __u32 n)
{
	__u32 end = CGROUP_ENDS(name, n, ".scope") ? n - (sizeof(".scope") - 1) : n, at = end - CONTAINER_DIGITS;
	struct cgroup_part none = { 0, 0 }, id = { at, CONTAINER_SHORT };

	if (end < CONTAINER_DIGITS || !cgroup_digits(name, at, CONTAINER_DIGITS))
		return none;
	if (at && cgroup_byte(name, at - 1) != '-' && cgroup_byte(name, at - 1) != ':')
		return none;
	return CGROUP_ENDS(name, at, "conmon-") ? none : id;
}

/* Finds the name of a machine of systemd-nspawn. */
static inline struct cgroup_part cgroup_machine(const char *name, __u32 n)
{
	const __u32 unit = sizeof("systemd-nspawn@") - 1, service = sizeof(".service") - 1;
	const __u32 machine = sizeof("machine-") - 1, scope = sizeof(".scope") - 1;
	const __u32 guest = sizeof("machine-qemu") - 1;
	struct cgroup_part none = { 0, 0 };
	struct cgroup_part of_unit = { unit, n - unit - service }, of_scope = { machine, n - machine - scope };

	if (n > unit + service && CGROUP_ENDS(name, unit, "systemd-nspawn@") && CGROUP_ENDS(name, n, ".service"))
		return of_unit;
	if (n > machine + scope && CGROUP_ENDS(name, machine, "machine-") && CGROUP_ENDS(name, n, ".scope") &&
	    !(n >= guest && CGROUP_ENDS(name, guest, "machine-qemu")))
		return of_scope;
	return none;
}

/* Finds the container's id in a part of the path.  above: the kind that the parent part gives. */
static inline struct cgroup_part cgroup_container(const char *name, __u32 n, int above)
{
	const __u32 payload = sizeof("lxc.payload.") - 1;
	struct cgroup_part whole = { 0, n }, rest = { payload, n - payload }, id;

	if (above == CGROUP_LXC)
		return whole;
	if (n > payload && CGROUP_ENDS(name, payload, "lxc.payload."))
		return rest;
	id = cgroup_id(name, n);
	return id.n ? id : cgroup_machine(name, n);
}

/* Returns the byte of a pod's uid that stands at a place of the name. */
static inline char cgroup_uid_byte(char c)
{
	return c == '_' ? '-' : c;
}

static inline int cgroup_dash(const char *name, __u32 at)
{
	return cgroup_uid_byte(cgroup_byte(name, at)) == '-';
}

static inline int cgroup_uid(const char *name, __u32 at)
{
	return cgroup_digits(name, at, 8) & cgroup_dash(name, at + 8) & cgroup_digits(name, at + 9, 4) &
	       cgroup_dash(name, at + 13) & cgroup_digits(name, at + 14, 4) & cgroup_dash(name, at + 18) &
	       cgroup_digits(name, at + 19, 4) & cgroup_dash(name, at + 23) & cgroup_digits(name, at + 24, 12);
}

/* Does `pod` stand before that place, alone or after a '-'? */
static inline int cgroup_pod_before(const char *name, __u32 at)
{
	return CGROUP_ENDS(name, at, "pod") && (at == 3 || cgroup_byte(name, at - 4) == '-');
}

/* Returns where a pod's id ends, if the part of the path has one. */
static inline __u32 cgroup_pod_end(const char *name, __u32 n)
{
	const __u32 slice = sizeof(".slice") - 1, runtime = sizeof(".slice:cri-containerd:") - 1;

	if (CGROUP_ENDS(name, n, ".slice"))
		return n - slice;
	if (n > CONTAINER_DIGITS + runtime && CGROUP_ENDS(name, n - CONTAINER_DIGITS, ".slice:cri-containerd:"))
		return n - CONTAINER_DIGITS - runtime;	/* containerd without the systemd driver that kubelet has */
	return n;
}

/* Finds the pod's id that ends there. */
static inline struct cgroup_part cgroup_pod_before_end(const char *name, __u32 end)
{
	struct cgroup_part none = { 0, 0 }, id;

	id.at = end - POD_UID;
	id.n = POD_UID;
	if (end > POD_UID && cgroup_pod_before(name, id.at) && cgroup_uid(name, id.at))
		return id;
	id.at = end - POD_STATIC;
	id.n = POD_STATIC;
	if (end > POD_STATIC && cgroup_pod_before(name, id.at) && cgroup_digits(name, id.at, POD_STATIC))
		return id;
	id.at = end - CONTAINER_DIGITS;
	id.n = CONTAINER_SHORT;
	if (end > CONTAINER_DIGITS && CGROUP_ENDS(name, id.at, "libpod_pod_") &&
	    cgroup_digits(name, id.at, CONTAINER_DIGITS))
		return id;
	return none;
}

/* Finds the pod's id in a part of the path. */
static inline struct cgroup_part cgroup_pod(const char *name, __u32 n)
{
	return cgroup_pod_before_end(name, cgroup_pod_end(name, n));
}

static inline int cgroup_below(const char *name, __u32 n)
{
	return CGROUP_IS(name, n, "lxc") || CGROUP_IS(name, n, "lxc.payload") ? CGROUP_LXC : CGROUP_PLAIN;
}

#endif
