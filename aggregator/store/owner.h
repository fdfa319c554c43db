/* owner.h - lets one heatscoped at a time use a store that is a server, and names it to the others.
 *
 *      owner_claim() until it is 0 --> ours --owner_beat() every OWNER_BEAT_MS--> ours, or -EBUSY --owner_release()-->
 *
 * Text    the store keeps a text "owner", JSON: who it is, and a number that rises with each beat.  A number that rises is
 *         the sign of life; no clock of another machine is read.
 * Killed  a claim of this machine whose process is gone is free at once, and one whose process lives is not free, unless it
 *         is of another group than ours.  Any other one is free when it has not changed for OWNER_SILENT_MS: the store's
 *         longest request, during which there is no beat, is shorter.
 * Group   a group (group.h) is one owner: its leader beats.  All its members may claim.  Its claim names its bus, so one of
 *         another bus is another group: owner_lead() refuses it as owner_claim() refuses one alone.
 * Race    two that claim a free store at once both get it.  At its next beat, the one whose text was overwritten gets
 *         -EBUSY, unless it is in a group and the other one is alone: a group stays.  A group has no text until one is about to
 *         lead it, so one alone may claim the store before; it ends at its next beat.
 * Errors  0 or -errno, and then the reason says who it is and since when.
 * Pure    but for the store, the process and its machine; time is an argument.  Thread: one at a time.
 */
#ifndef HEATSCOPE_OWNER_H
#define HEATSCOPE_OWNER_H

#include "aggregator/store/store.h"

#define OWNER_BEAT_MS 3000
#define OWNER_SILENT_MS 150000
#define OWNER_LEFT_MS 8000		/* a leader whose bus was made new has written its last beat: lease and beat are shorter */
#define OWNER_TEXT_MAX 500

struct owner {				/* owner_init() */
	bool is_group;			/* we are in a group */
	char id[40];			/* ours */
	char bus[40];			/* of our group; "": not known yet, so any group is ours */
	__s64 since_ns;			/* wall clock */
	__u64 beat;
	char seen[OWNER_TEXT_MAX];	/* the text of another one, that we watch; "": none */
	__u64 seen_ms, watched_ms;	/* since when it has not changed; since when we watch */
};

int owner_init(struct owner *o, bool is_group, __s64 now_ns);

/* 0: the store is ours.  -EAGAIN: another one may live: claim again, each second.  -EBUSY: it lives. */
int owner_claim(struct owner *o, struct store *s, __u64 now_ms, char reason[256]);

/* Claims the store for our group, which we are about to lead by this bus.  Errors as those of owner_claim(). */
int owner_lead(struct owner *o, struct store *s, const char *bus, __u64 now_ms, char reason[256]);

/* -EBUSY: another one has taken the store: stop. */
int owner_beat(struct owner *o, struct store *s, char reason[256]);

/* The store is free. */
int owner_release(struct owner *o, struct store *s);

#endif
