/* need.h - what BPF probes need of this kernel and this user, and what of it is missing.
 *
 * We look ourselves, because libbpf's message for a missing capability speaks of RLIMIT_MEMLOCK.
 */
#ifndef HEATSCOPE_NEED_H
#define HEATSCOPE_NEED_H

/* The capabilities that are missing, in words; NULL: none. */
const char *need_caps(void);

/* Is there type information (BTF)? */
int need_btf(void);

/* One sentence (REASON_MAX bytes) on what is missing and what to do; "" if nothing is. */
void need_check(char *reason);

#endif
