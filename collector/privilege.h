/* privilege.h - gives up this process' capabilities, for good.
 *
 * We tried on Linux 6.18 what works afterwards: everything on open descriptors (maps,
 * iterators, attaching and detaching loaded programs).  These do not work: making maps, loading
 * programs, perf_event_open().  So a collector without capabilities drains, sheds and recovers, and
 * enables nothing new.
 */
#ifndef HEATSCOPE_PRIVILEGE_H
#define HEATSCOPE_PRIVILEGE_H

/* Empties all sets, so that no program that the process starts gets a capability back.  Capabilities belong to threads:
 * -EBUSY if another thread of ours still has some.  reason: REASON_MAX bytes, one sentence. */
int privilege_drop(char *reason);

#endif
