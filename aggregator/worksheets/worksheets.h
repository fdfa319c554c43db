/* worksheets.h - keeps the worksheets that people saved, and offers the ready ones that come with heatscoped.
 *
 *      POST, PUT, DELETE /ca/worksheets --> here, and in the store --> GET, page, command
 *
 * Ready   ready worksheets have words as ids and cannot be changed; they are in ready_worksheets.json.
 * Bounds  at most WORKSHEETS_MAX saved ones, each as large as a request can be; further ones are refused.
 * Errors  0 or -errno; with -EINVAL `reason` (REASON_MAX bytes) is the message for /ca.
 * Thread  the loop thread only. store_queue.h runs the calls that block.
 */
#ifndef HEATSCOPE_WORKSHEETS_H
#define HEATSCOPE_WORKSHEETS_H

#include "aggregator/store/store_queue.h"
#include "aggregator/worksheets/worksheet.h"

#define WORKSHEETS_MAX 200
#define WORKSHEET_ID_MAX 40

struct worksheets;			/* its fields are in worksheets.c */

int worksheets_new(struct store_queue *store_queue, struct worksheets **ret_worksheets);
void worksheets_free(struct worksheets *w);	/* NULL is fine */

/* Replaces all saved ones by those of the store, which no worker uses: at start, or a copy of the texts
 * (store_copy_texts()).  If one cannot be read, this logs it and loads the others. */
int worksheets_load(struct worksheets *w, struct store *store);

/* Returns it as in a reply: with id, uri, and, for ready ones, ready: true.  A new reference; NULL: no such one, or no
 * memory. */
json_t *worksheets_find(const struct worksheets *w, const char *id);
json_t *worksheets_list(const struct worksheets *w);	/* all, ready ones first, without their panels */

/* Called after the worksheet was stored, or after it failed: then everything is as before.  id: the worksheet's. */
typedef void (*worksheets_done)(void *arg, int err, const char *id);

/* given: a worksheet that a person saves, or a change of one.  -ENOENT: no such worksheet. */
int worksheets_add(struct worksheets *w, const json_t *given, worksheets_done done, void *arg, char *reason);
int worksheets_clone(struct worksheets *w, const char *id, const json_t *changes, worksheets_done done, void *arg, char *reason);
int worksheets_change(struct worksheets *w, const char *id, const json_t *changes, worksheets_done done, void *arg, char *reason);
int worksheets_remove(struct worksheets *w, const char *id, worksheets_done done, void *arg, char *reason);

extern const char worksheets_ready[];	/* JSON: an array */

#endif
