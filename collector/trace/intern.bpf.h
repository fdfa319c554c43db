/* intern.bpf.h - keeps values in the kernel under their codes, so that the collector can show them.
 *
 *      code = hash of the value; intern(&texts, &code, &text)        host: looks the code up in `texts`
 *
 * The values are texts, paths of control groups, addresses, names and samples of digests.  Each map forgets the values
 * that were unused for longest.  The host shows the code of a forgotten value as #hash (field_codes.h).
 */
#ifndef HEATSCOPE_INTERN_BPF_H
#define HEATSCOPE_INTERN_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define INTERNED(map_name, value_type, most)                            \
	struct {                                                        \
		__uint(type, BPF_MAP_TYPE_LRU_HASH);                    \
		__uint(max_entries, most);                              \
		__type(key, __u64);                                     \
		__type(value, value_type);                              \
	} map_name SEC(".maps")

/* Keeps the value under its code, unless the map has it already. */
static __always_inline void intern(void *map, const __u64 *code, const void *value)
{
	if (!bpf_map_lookup_elem(map, code))
		bpf_map_update_elem(map, code, value, BPF_ANY);
}

#endif
