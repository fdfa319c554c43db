/* self.h - what the collector itself does and costs: heatscope.ticks, spool, process, programs, maps.
 *
 *      ticks      each drain of each probe: how long it took, how late it began, what it handed over
 *      spool      what waits for the aggregator
 *      process    the collector's CPU time and memory
 *      programs   run time and runs of the BPF programs it holds, where kernel.bpf_stats_enabled is on
 *      maps       kernel memory of the BPF maps it holds, by name; the memory of the counts is in those
 *
 * The programs and maps are those of our descriptors: /proc/self/fdinfo says what each is and takes.
 */
#ifndef HEATSCOPE_SELF_H
#define HEATSCOPE_SELF_H

#include <linux/types.h>
#include <stddef.h>

struct self_object {			/* a descriptor of a BPF program or map */
	int is_program, is_map;
	__u64 id, memory_bytes, run_ns, runs;
};

/* From the text of /proc/self/fdinfo/N; neither program nor map: both flags are 0. */
void self_parse_fdinfo(const void *text, size_t len, struct self_object *ret);

/* From the text of /proc/self/statm: the pages in memory.  -EBADMSG. */
int self_parse_statm(const void *text, size_t len, __u64 *ret_resident);

#endif
