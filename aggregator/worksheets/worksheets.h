/* worksheets.h - the worksheets that people saved, and those that come with heatscoped.
 *
 *      POST, PUT, DELETE /ca/worksheets --> here, and in the store --> GET, page, command
 *
 * Ready   those that come along have words for ids and are not changed; they are in ready_worksheets.json.
 * Bounds  WORKSHEETS_MAX saved ones, each as large as a request can be: further ones are refused.
 * Errors  0 or -errno; with -EINVAL `reason` (REASON_MAX bytes) is the message for /ca.
 * Thread  the loop thread only; what blocks goes through store_queue.h.
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

/* At start, before any worker runs.  One that cannot be read is left out, which is said: nothing else waits for it. */
int worksheets_load(struct worksheets *w, struct store *store);

/* As a reply has it: with id, uri, and ready: true of those that come along.  A new reference; NULL: none, or no memory. */
json_t *worksheets_find(const struct worksheets *w, const char *id);
json_t *worksheets_list(const struct worksheets *w);	/* of all, those that come along first; without their panels */

/* Called when it is stored, or was not: then all is as it was before.  id: of the worksheet. */
typedef void (*worksheets_done)(void *arg, int err, const char *id);

/* given: what a person saves, or a change of one.  -ENOENT: there is none. */
int worksheets_add(struct worksheets *w, const json_t *given, worksheets_done done, void *arg, char *reason);
int worksheets_clone(struct worksheets *w, const char *id, const json_t *changes, worksheets_done done, void *arg, char *reason);
int worksheets_change(struct worksheets *w, const char *id, const json_t *changes, worksheets_done done, void *arg, char *reason);
int worksheets_remove(struct worksheets *w, const char *id, worksheets_done done, void *arg, char *reason);

extern const char worksheets_ready[];	/* JSON: an array */

#endif
