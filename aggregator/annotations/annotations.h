/* annotations.h - annotations, kept: notes that people or their tools made, and what alerts fired.
 *
 *      POST /ca/annotations, alerts  --annotations_add()-->  here at once, and in the store  -->  grids, pictures, /ca
 *
 * Shape   by rising from_ns, then id.  Ids rise, and are never given twice.
 * Bounds  ANNOTATIONS_NOTES notes: further ones are refused.  ANNOTATIONS_ALERTS firings: the oldest goes.
 * Errors  0 or -errno; with -EINVAL and -ENOSPC `reason` (REASON_MAX bytes) is the message for /ca.
 * Thread  the loop thread only; what blocks goes through store_queue.h.
 */
#ifndef HEATSCOPE_ANNOTATIONS_H
#define HEATSCOPE_ANNOTATIONS_H

#include "render/grid/annotation.h"
#include "aggregator/catalog/catalog.h"

#define ANNOTATIONS_NOTES 10000
#define ANNOTATIONS_ALERTS 2000
#define ANNOTATIONS_TIME_MAX_S 7000000000.0	/* the year 2191 */
#define ANNOTATIONS_SHOWN 200		/* on one picture: the newest */

struct annotations;				/* its fields are in annotations.c */

/* It follows the catalog: with an instrumentation its annotations go. */
int annotations_new(struct store_queue *store_queue, struct catalog *catalog, struct annotations **ret_annotations);
void annotations_free(struct annotations *j);	/* NULL is fine; before the catalog */

/* At start, before any worker runs. */
int annotations_load(struct annotations *j, struct store *store);

/* From a request as in doc/api.md: a note at or from..to, by default now.  Id 0. */
int annotation_parse(const json_t *request, __s64 now_ns, struct annotation *ret, char *reason);
json_t *annotation_json(const struct annotation *a);	/* NULL: no memory */

/* Is it one line of UTF-8, of 1 to ANNOTATION_TEXT_MAX bytes?  -EINVAL and why not. */
int annotation_check_text(const char *text, char *reason);

const struct annotation *annotations_find(const struct annotations *j, __u64 id);	/* NULL: none */

/* Those that touch from..to (half-open), of an instrumentation and of everybody (0: all there are), at most the
 * newest `most`; *ret NULL: none.  -ENOMEM. */
int annotations_take(const struct annotations *j, __u64 inst, __s64 from_ns, __s64 to_ns, size_t most, struct annotation_list **ret);

/* Gives it an id, *ret_id.  done (may be NULL) is told when it is stored, or was not: then it is gone again. */
int annotations_add(struct annotations *j, const struct annotation *a, store_queue_done done, void *arg, __u64 *ret_id, char *reason);

/* What lasts has ended.  -ENOENT. */
int annotations_end(struct annotations *j, __u64 id, __s64 to_ns);

/* Gone at once, from the store when done() is called (may be NULL).  -ENOENT: at once. */
int annotations_remove(struct annotations *j, __u64 id, store_queue_done done, void *arg);

#endif
