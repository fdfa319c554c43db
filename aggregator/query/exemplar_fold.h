/* exemplar_fold.h - merges the exemplars of several sources and slots: the worst of all, and a random draw from all.
 *
 *      bytes of each batch (exemplars.h), slots ascending --exemplar_fold_add()-->
 *         per slot: worst n of all, one drawn per decade --exemplar_fold_list()--> those asked for, the worst first
 *
 * Law     the result does not depend on how the events were spread over sources and batches.  It is never larger than
 *         the number asked for.
 * Memory  the fold copies the exemplars that may still be listed.  A list is valid until the fold is freed.
 * Errors  0, -ENOMEM, -EBADMSG.
 * Pure    no loop, file or clock.  Thread: any, one at a time per fold.
 */
#ifndef HEATSCOPE_EXEMPLAR_FOLD_H
#define HEATSCOPE_EXEMPLAR_FOLD_H

#include "collector/core/batch.h"
#include <stdbool.h>

struct exemplar_wish {
	__u64 slot_ns;
	size_t n_worst;			/* per slot */
	__u64 min, max;			/* values, half-open; max 0: no upper limit */
	__u8 why;			/* enum exemplar_why, of those to list */
	size_t n;			/* list at most so many, the worst */
};

struct exemplar_bytes {			/* the exemplars of one batch */
	struct exemplars head;		/* the names */
	char source[SOURCE_MAX];
	__s64 slot;
	size_t n_users;
	__u8 data[];
};

struct exemplar_listed {
	struct exemplar_bytes *of;
	struct exemplar_event event;
	__s64 end_ns;
};

struct exemplar_fold;

int exemplar_fold_new(const struct exemplar_wish *wish, struct exemplar_fold **ret_fold);
void exemplar_fold_free(struct exemplar_fold *f);	/* NULL is fine */

int exemplar_fold_add(struct exemplar_fold *f, const char *source, __s64 slot, const __u8 *data, size_t len);

/* Call it after the last exemplar_fold_add(). */
int exemplar_fold_list(struct exemplar_fold *f, const struct exemplar_listed **ret_list, size_t *ret_n, __u64 *ret_missed);

#endif
