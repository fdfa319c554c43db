/* annotations.h - keeps annotations: notes of people or their tools, and firings of alerts.
 *
 *      POST /ca/annotations, alerts  --annotations_add()-->  here at once, and in the store  -->  grids, pictures, /ca
 *
 * Shape   ordered by from_ns, then id.  Ids rise, and an id is never used twice.
 * Bounds  at most ANNOTATIONS_NOTES notes: further ones are refused.  At most ANNOTATIONS_ALERTS firings: a new one
 *         removes the oldest.
 * Errors  0 or -errno; with -EINVAL and -ENOSPC `reason` (REASON_MAX bytes) is the message for /ca.
 * Thread  the loop thread only.  store_queue.h runs the calls that block.
 */
#ifndef HEATSCOPE_ANNOTATIONS_H
#define HEATSCOPE_ANNOTATIONS_H

#include "render/grid/annotation.h"
#include "aggregator/catalog/catalog.h"

#define ANNOTATIONS_NOTES 10000
#define ANNOTATIONS_ALERTS 2000
#define ANNOTATIONS_TIME_MAX_S 7000000000.0	/* the year 2191 */
#define ANNOTATIONS_SHOWN 200		/* the newest ones, on one picture */

struct annotations;				/* its fields are in annotations.c */

/* Observes the catalog: if an instrumentation is deleted, this deletes its annotations, too. */
int annotations_new(struct store_queue *store_queue, struct catalog *catalog, struct annotations **ret_annotations);

/* Do we write to the store?  At first, no: then the annotations of a deleted instrumentation stay until the heatscoped that
 * does has removed them. */
void annotations_own(struct annotations *j, bool owns);
void annotations_free(struct annotations *j);	/* NULL is fine; before the catalog */

/* Replaces all by those of the store, which no worker uses: at start, or a copy of the texts (store_copy_texts()). */
int annotations_load(struct annotations *j, struct store *store);

/* Reads a request as in doc/api.md: a note at or from..to, by default now.  Id 0. */
int annotation_parse(const json_t *request, __s64 now_ns, struct annotation *ret, char *reason);
json_t *annotation_json(const struct annotation *a);	/* NULL: no memory */

/* Returns 0 if the text is one line of UTF-8, of 1 to ANNOTATION_TEXT_MAX bytes; else -EINVAL with the reason. */
int annotation_check_text(const char *text, char *reason);

const struct annotation *annotations_find(const struct annotations *j, __u64 id);	/* NULL: no such id */

/* Copies the annotations that touch from..to (half-open): those of the instrumentation, and those of no instrumentation
 * (inst 0: all).  If there are more than `most`, it copies the newest.  *ret NULL: there are none.  -ENOMEM. */
int annotations_take(const struct annotations *j, __u64 inst, __s64 from_ns, __s64 to_ns, size_t most, struct annotation_list **ret);

/* Adds an annotation and gives it an id, *ret_id.  Calls done() (may be NULL) when the store has it; with an error if
 * it could not be stored, after which it is no longer here. */
int annotations_add(struct annotations *j, const struct annotation *a, store_queue_done done, void *arg, __u64 *ret_id, char *reason);

/* Sets the end of an annotation that lasts.  -ENOENT. */
int annotations_end(struct annotations *j, __u64 id, __s64 to_ns);

/* Removes an annotation: here at once, from the store before it calls done() (may be NULL).  -ENOENT: no such id;
 * done() is not called. */
int annotations_remove(struct annotations *j, __u64 id, store_queue_done done, void *arg);

#endif
