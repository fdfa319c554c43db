/* webhook_sender.h - sends POST requests to webhooks: it tries each a few times and never blocks.
 *
 *      webhook_sender_post(url, body) --http_client.h--> 2xx: delivered
 *            ^--- WEBHOOK_SENDER_TRIES, with pauses ---- 5xx, 408, 429, no answer in time, no server there
 *
 * Given up   at once if another try would not help: another status, a malformed URL, a certificate that is not trusted.
 * Reasons    are ASCII, and contain neither the URL nor its host, which may be secrets.
 * Bounds     WEBHOOK_SENDER_WAITING deliveries and WEBHOOK_SENDER_BYTES at a time.  Further ones are refused with
 *            -ENOSPC; one that alone is larger, with -E2BIG.
 * Order      A delivery that is tried again may arrive after a younger one.
 * Thread     the loop thread only.
 */
#ifndef HEATSCOPE_WEBHOOK_SENDER_H
#define HEATSCOPE_WEBHOOK_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define WEBHOOK_SENDER_TRIES 3
#define WEBHOOK_SENDER_WAITING 64
#define WEBHOOK_SENDER_BYTES (64u << 20)
#define WEBHOOK_SENDER_REASON_MAX 200

struct webhook_sender;			/* its fields are in webhook_sender.c */

struct webhook_post {
	const char *url;		/* http or https */
	const char *token;		/* "Authorization: Bearer ..."; NULL, "": none */
	const char *type;		/* Content-Type */
	void *body;			/* malloc'ed */
	size_t len;
	unsigned timeout_ms;		/* per try */
	bool link_local;		/* may connect to link-local addresses */
};

/* err 0: delivered; -ECANCELED: webhook_sender_close(); else it was given up, and `reason` says why. */
typedef void (*webhook_sender_done)(void *arg, int err, const char *reason);

/* pause_ms: before the second try; before the third it is four times as long. */
int webhook_sender_new(uv_loop_t *loop, unsigned pause_ms, struct webhook_sender **ret_sender);

/* Takes the body, also on errors, and copies the texts.  After an error it does not call done(); else it calls done()
 * once, later. */
int webhook_sender_post(struct webhook_sender *s, const struct webhook_post *post, webhook_sender_done done, void *arg);

/* Ends all deliveries in flight now and calls their done(); its memory is freed when its handles are closed.  NULL is
 * fine. */
void webhook_sender_close(struct webhook_sender *s);

#endif
