/* need.h - finds out which needs of a probe this kernel and this process do not meet.
 *
 *      NEED_TRACING | NEED_CAP(...)  --need_missing()-->  the missing ones  --need_names()-->  words
 *
 * A probe states its capabilities as a word of bits.  test/e2e/privilege proves them: it runs each probe as an
 * unprivileged user with exactly these, and with each one removed.
 *
 * We check before libbpf does, because libbpf's message for a missing capability speaks of RLIMIT_MEMLOCK.
 */
#ifndef HEATSCOPE_NEED_H
#define HEATSCOPE_NEED_H

#include <linux/capability.h>
#include <linux/types.h>

#define NEED_CAP(cap) (1ull << (cap))

/* For a tracing program: CAP_BPF makes maps and loads programs, CAP_PERFMON lets them read the kernel's memory. */
#define NEED_TRACING (NEED_CAP(CAP_BPF) | NEED_CAP(CAP_PERFMON))

#define NEED_NAMES_MAX 128

/* Returns those of these capabilities that are not effective.  CAP_SYS_ADMIN counts as CAP_BPF and CAP_PERFMON, as in
 * the kernel. */
__u64 need_missing(__u64 caps);

/* Writes "CAP_BPF and CAP_PERFMON", or "none".  out: NEED_NAMES_MAX bytes. */
const char *need_names(__u64 caps, char *out);

/* Does the kernel have type information (BTF)? */
int need_btf(void);

/* Does the kernel's task_struct have the members that thread_clock.bpf.h reads? */
int need_split(void);

/* May a program iterate over the elements of maps of a kind ("bpf_sk_storage_map")?  Some kernels refuse that, whatever
 * the capabilities. */
int need_map_iterator(const char *name);

/* Must we treat this feature as missing?  For tests: HEATSCOPE_WITHOUT lists such features, with commas: btf, split,
 * map_elements, iotimes, groupdead, names of tracepoints and functions. */
int need_pretends(const char *feature);

/* Writes one sentence (REASON_MAX bytes) about what is missing for tracing with these capabilities, and what to do;
 * "" if nothing is. */
void need_check(__u64 caps, char *reason);

#endif
