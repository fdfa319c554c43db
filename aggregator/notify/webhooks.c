#include "aggregator/notify/webhooks.h"

#include "aggregator/base/endpoint.h"
#include "aggregator/http/token.h"
#include "aggregator/notify/host_list.h"
#include "collector/core/log.h"

#include <curl/curl.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_MS 2000			/* and 8000 */

struct hook {
	const struct conf_webhook *conf;
	bool is_listed;			/* webhook-hosts lists its host */
	char token[TOKEN_MAX + 1];
	unsigned long long n_delivered, n_given_up, n_waiting;
	char reason[WEBHOOK_SENDER_REASON_MAX];	/* why the last message was given up */
};

struct webhooks {
	struct webhook_sender *sender;	/* NULL: closed */
	size_t n;
	struct hook hook[CONF_WEBHOOKS_MAX];
};

struct delivery {
	struct hook *hook;
	char *what;
	webhook_sender_done done;
	void *arg;
};

static struct hook *find_hook(const struct webhooks *w, const char *name)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->hook[i].conf->name, name))
			return (struct hook *)&w->hook[i];
	return NULL;
}

const struct conf_webhook *webhooks_find(const struct webhooks *w, const char *name)
{
	const struct hook *h = find_hook(w, name);

	return h ? h->conf : NULL;
}

static void count_given_up(struct hook *h, const char *name, const char *what, const char *reason)
{
	if (h) {
		h->n_given_up++;
		snprintf(h->reason, sizeof(h->reason), "%s", reason);
	}
	log_warning("webhook %s: %s was given up: %s", name, what, reason);
}

void webhooks_give_up(struct webhooks *w, const char *name, const char *what, const char *reason)
{
	count_given_up(find_hook(w, name), name, what, reason);
}

static void on_done(void *arg, int err, const char *reason)
{
	struct delivery *d = arg;

	d->hook->n_waiting--;
	if (err)
		count_given_up(d->hook, d->hook->conf->name, d->what, reason);
	else
		d->hook->n_delivered++;
	d->done(d->arg, err, reason);
	free(d->what);
	free(d);
}

static const char *refusal_text(int err, char room[WEBHOOK_SENDER_REASON_MAX])
{
	switch (err) {
	case -ENOSPC: return "too many messages are being sent already";
	case -E2BIG:
		snprintf(room, WEBHOOK_SENDER_REASON_MAX, "it is larger than %u MB", WEBHOOK_SENDER_BYTES >> 20);
		return room;
	case -ECANCELED: return "heatscoped was stopped";
	default: return "out of memory";
	}
}

static int post_delivery(struct webhooks *w, struct hook *h, struct delivery *d, void *body, size_t len)
{
	const struct webhook_post p = { .url = h->conf->url, .token = h->token, .type = "application/json", .body = body, .len = len,
					.timeout_ms = 1000 * h->conf->timeout_s, .link_local = h->is_listed };

	if (d && d->what && w->sender)
		return webhook_sender_post(w->sender, &p, on_done, d);
	free(body);
	return w->sender ? -ENOMEM : -ECANCELED;
}

void webhooks_post(struct webhooks *w, const char *name, const char *what, void *body, size_t len, webhook_sender_done done, void *arg)
{
	static const char no_such[] = "the configuration has no such webhook";
	struct hook *h = find_hook(w, name);
	struct delivery *d = h ? malloc(sizeof(*d)) : NULL;
	char room[WEBHOOK_SENDER_REASON_MAX];
	const char *why;
	int err;

	if (d)
		*d = (struct delivery){ .hook = h, .what = strdup(what), .done = done, .arg = arg };
	if (!h)
		free(body);
	err = h ? post_delivery(w, h, d, body, len) : -ENOENT;
	if (!err) {
		h->n_waiting++;
		return;
	}
	why = h ? refusal_text(err, room) : no_such;
	count_given_up(h, name, what, why);
	if (d)
		free(d->what);
	free(d);
	done(arg, err, why);
}

json_t *webhooks_json(const struct webhooks *w)
{
	json_t *all = json_array();

	for (size_t i = 0; w && i < w->n; i++) {
		const struct hook *h = &w->hook[i];

		json_array_append_new(all, json_pack("{s:s, s:i, s:I, s:I, s:I, s:s}", "name", h->conf->name, "line", (int)h->conf->line,
				      "delivered", (json_int_t)h->n_delivered, "waiting", (json_int_t)h->n_waiting, "given_up",
				      (json_int_t)h->n_given_up, "reason", h->reason));
	}
	return all;
}

/* ---- begin and end ---- */

int webhooks_reload(struct webhooks *w, char *reason)
{
	char token[CONF_WEBHOOKS_MAX][TOKEN_MAX + 1] = { "" }, why[CONF_REASON_MAX - 128];
	int err = 0;

	for (size_t i = 0; !err && i < w->n; i++) {
		const struct conf_webhook *conf = w->hook[i].conf;

		if (*conf->token_file)
			err = token_secret(conf->token_file, token[i], why, sizeof(why));
		if (err)
			snprintf(reason, CONF_REASON_MAX, "the webhook %s at line %u: %s", conf->name, conf->line, why);
	}
	for (size_t i = 0; !err && i < w->n; i++)
		memcpy(w->hook[i].token, token[i], sizeof(token[i]));
	gnutls_memset(token, 0, sizeof(token));
	return err;
}

/* Returns the host as libcurl will understand it; free with curl_free().  NULL: it does not understand it. */
static char *host_of(const char *url)
{
	CURLU *parts = curl_url();
	char *host = NULL;

	if (parts && !curl_url_set(parts, CURLUPART_URL, url, 0))
		curl_url_get(parts, CURLUPART_HOST, &host, 0);
	curl_url_cleanup(parts);
	return host;
}

static bool is_link_local(const char *host)
{
	char text[64];
	struct sockaddr_storage addr = { 0 };

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(host + (*host == '['), "]"), host + (*host == '['));
	if (uv_ip4_addr(text, 0, (struct sockaddr_in *)&addr) && uv_ip6_addr(text, 0, (struct sockaddr_in6 *)&addr))
		return false;
	return endpoint_is_link_local((struct sockaddr *)&addr);
}

/* Checks what can be known before sending; names are only looked up then. */
static int check_host(struct hook *h, const char *hosts, char *reason)
{
	char *host = host_of(h->conf->url);
	const char *why = NULL;

	h->is_listed = host && host_list_has(hosts, host);
	if (!host)
		why = "its URL is not valid";
	else if (*hosts && !h->is_listed)
		why = "its host is not among webhook-hosts";
	else if (!h->is_listed && is_link_local(host))
		why = "its host is a link-local address, where clouds hand out secrets: list it in webhook-hosts if "
			"it is intended";
	curl_free(host);
	if (why)
		snprintf(reason, CONF_REASON_MAX, "the webhook %s at line %u: %s", h->conf->name, h->conf->line, why);
	return why ? -EINVAL : 0;
}

int webhooks_new(uv_loop_t *loop, const struct conf_webhook *conf, size_t n, const char *hosts, struct webhooks **ret_webhooks,
		 char *reason)
{
	struct webhooks *w = calloc(1, sizeof(*w));
	int err = w ? webhook_sender_new(loop, PAUSE_MS, &w->sender) : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++) {
		w->hook[w->n].conf = &conf[i];
		err = check_host(&w->hook[w->n++], hosts, reason);
	}
	if (!err)
		err = webhooks_reload(w, reason);
	if (w)
		*ret_webhooks = w;	/* also after an error: the caller must close its handle */
	return err;
}

void webhooks_close(struct webhooks *w)
{
	if (!w)
		return;
	webhook_sender_close(w->sender);
	w->sender = NULL;
}

void webhooks_free(struct webhooks *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++)
		gnutls_memset(w->hook[i].token, 0, sizeof(w->hook[i].token));
	free(w);
}
