/* exemplar_fold.h - the exemplars of several sources and slots: the worst of all, and the draw of all.
 *
 *      bytes of each batch (exemplars.h), slots ascending --exemplar_fold_add()--> per slot: worst n of all, one drawn per decade
 *                                                         --exemplar_fold_list()--> those asked for, the worst first
 *
 * Law     it is the same however the events were spread over sources and batches, and never more than asked for.
 * Memory  the fold's own copies, of what may still be among those that are listed; a list is valid until the fold is freed.
 * Errors  0, -ENOMEM, -EBADMSG.
 * Pure    no loop, file or clock.  Thread: any, one at a time per fold.
 */
#ifndef HEATSCOPE_EXEMPLAR_FOLD_H
#define HEATSCOPE_EXEMPLAR_FOLD_H

#include "collector/core/batch.h"
#include <stdbool.h>

struct exemplar_wish {
	__u64 slot_ns;
	size_t n_worst;			/* of a slot */
	__u64 min, max;			/* values, half-open; max 0: no upper limit */
	__u8 why;			/* enum exemplar_why: those are listed */
	size_t n;			/* at most so many, the worst */
};

struct exemplar_bytes {			/* of one batch */
	struct exemplars head;		/* the names */
	char source[SOURCE_MAX];
	__s64 slot;
	size_t n_users;
	__u8 data[];
};

struct exemplar_listed {
	struct exemplar_bytes *of;
	struct exemplar_told told;
	__s64 end_ns;
};

struct exemplar_fold;

int exemplar_fold_new(const struct exemplar_wish *wish, struct exemplar_fold **ret_fold);
void exemplar_fold_free(struct exemplar_fold *f);	/* NULL is fine */

int exemplar_fold_add(struct exemplar_fold *f, const char *source, __s64 slot, const __u8 *data, size_t len);

/* After the last one. */
int exemplar_fold_list(struct exemplar_fold *f, const struct exemplar_listed **ret_list, size_t *ret_n, __u64 *ret_missed);

#endif
