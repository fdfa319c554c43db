/* privilege.h - giving up this process' capabilities, for good.
 *
 * What still works afterwards was tried on Linux 6.18: everything on descriptors that are open (maps,
 * iterators, attaching and detaching programs that are loaded).  What does not: making maps, loading
 * programs, perf_event_open().  So a collector without capabilities drains, sheds and recovers, and
 * enables nothing new.
 */
#ifndef HEATSCOPE_PRIVILEGE_H
#define HEATSCOPE_PRIVILEGE_H

/* All sets, and no program that it may start gets any back.  Capabilities belong to threads: -EBUSY, if
 * another thread of ours has kept some.  reason: REASON_MAX bytes, one sentence. */
int privilege_drop(char *reason);

#endif
