/* webhooks.h - sends messages to the webhooks of the configuration file, by name, and counts the results.
 *
 *      webhooks_post("ops", JSON) --webhook_sender.h--> done(); delivered or given up: counted, logged, in the status
 *
 * Secrets  Only this module uses URLs and tokens; no reply and no log has them.
 * Names    An alert or report names its webhook.  So a user who may make an alert cannot send data, or requests, to a
 *          place that is not in the configuration.
 * Hosts    It refuses link-local addresses, and hosts that `webhook-hosts` does not list.
 * Thread   the loop thread only.
 */
#ifndef HEATSCOPE_WEBHOOKS_H
#define HEATSCOPE_WEBHOOKS_H

#include "aggregator/base/conf_limits.h"
#include "aggregator/notify/webhook_sender.h"

#include <jansson.h>

#define CONF_WEBHOOKS_MAX 16

struct conf_webhook {
	char name[CONF_NAME_MAX];
	unsigned line;
	char url[CONF_URL_MAX];		/* http or https */
	char token_file[PATH_MAX];	/* "": none */
	unsigned timeout_s;
	bool picture;			/* send the picture, too */
};

struct webhooks;			/* its fields are in webhooks.c */

/* The n entries of the configuration file outlive it.  hosts: those that they may name (host_list.h), "": any.  Errors
 * with a sentence in `reason` (CONF_REASON_MAX bytes).  *ret_webhooks is set also after an error, to be closed and
 * freed; NULL: no memory. */
int webhooks_new(uv_loop_t *loop, const struct conf_webhook *conf, size_t n, const char *hosts, struct webhooks **ret_webhooks,
		 char *reason);
int webhooks_reload(struct webhooks *w, char *reason);	/* reads the tokens again; after an error the old ones stay
							 * valid */
void webhooks_close(struct webhooks *w);	/* nothing is sent from then on; NULL is fine */
void webhooks_free(struct webhooks *w);		/* after the close, when the loop has run out; NULL is fine */

const struct conf_webhook *webhooks_find(const struct webhooks *w, const char *name);	/* NULL: no such webhook */

/* Takes the body, JSON.  what: for the log, "alert slow".  done() is called once, perhaps from within. */
void webhooks_post(struct webhooks *w, const char *name, const char *what, void *body, size_t len, webhook_sender_done done, void *arg);

/* Counts and logs a message that was given up before it could be sent. */
void webhooks_give_up(struct webhooks *w, const char *name, const char *what, const char *reason);

/* [{"name", "line", "delivered", "waiting", "given_up", "reason"}]; NULL: no memory */
json_t *webhooks_json(const struct webhooks *w);

#endif
