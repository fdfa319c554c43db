/* privilege.h - gives up this process' capabilities, for good.
 *
 * Works afterwards (tried on Linux 6.18): everything on open descriptors, which are maps, iterators, and attaching and
 * detaching of loaded programs.  Fails: to make maps, to load programs, perf_event_open().  So a collector without
 * capabilities drains, sheds and recovers, and enables nothing new.
 */
#ifndef HEATSCOPE_PRIVILEGE_H
#define HEATSCOPE_PRIVILEGE_H

/* Empties all sets, so that no program that the process starts gets a capability back.  Capabilities belong to threads:
 * -EBUSY if another thread of ours still has some.  reason: REASON_MAX bytes, one sentence. */
int privilege_drop(char *reason);

/* Empties all sets of this thread alone, so that threads which it starts have none either. */
void privilege_drop_thread(void);

#endif
