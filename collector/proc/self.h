/* self.h - measures what the collector itself costs: heatscope.ticks, spool, process, programs, maps.
 *
 *      ticks      each drain of each probe: how long it took, how late it began, how much it sent
 *      spool      the data that waits for the aggregator
 *      process    the collector's CPU time and memory
 *      programs   run time and runs of its BPF programs, if kernel.bpf_stats_enabled is on
 *      maps       kernel memory of its BPF maps, by name
 *
 * It finds the programs and maps by our descriptors: /proc/self/fdinfo has the kind and the size of each.
 */
#ifndef HEATSCOPE_SELF_H
#define HEATSCOPE_SELF_H

#include <linux/types.h>
#include <stddef.h>

struct self_object {			/* the BPF program or map of a descriptor */
	int is_program, is_map;
	__u64 id, memory_bytes, run_ns, runs;
};

/* Reads the text of /proc/self/fdinfo/N; if it is neither program nor map, both flags are 0. */
void self_parse_fdinfo(const void *text, size_t len, struct self_object *ret);

/* Reads the text of /proc/self/statm: the pages in memory.  -EBADMSG. */
int self_parse_statm(const void *text, size_t len, __u64 *ret_resident);

struct self_totals {
	__u64 n_programs, map_bytes;	/* BPF programs; kernel memory of the maps */
};

/* Counts the programs and maps of this process.  0 or -errno. */
int self_totals_read(struct self_totals *ret);

#endif
