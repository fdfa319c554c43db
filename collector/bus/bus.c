#include "collector/bus/bus.h"

#include "collector/core/array.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"
#include "collector/core/secret_file.h"
#include "collector/core/user_file.h"

#include <errno.h>
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define DELAY_FIRST_MS 100
#define DELAY_MOST_MS 5000
#define CONNECT_MS 2000
#define WRITE_MS 1000
#define LEAVE_MS 500
#define SUBSCRIPTIONS_MAX 64
#define SYSTEM_CA "/etc/ssl/certs/ca-certificates.crt"

/* Threads put events here, and the loop takes them.  Each connection has its own: the threads of libnats may outlive
 * the connection, so the mailbox lives until the last of them lets go. */
struct mailbox {
	uv_mutex_t lock;
	uv_async_t *wake;		/* NULL: the bus is done with it; events are dropped */
	unsigned n_users;
	natsMsg **message;		/* in the order of their arrival */
	size_t n_messages, room;
	bool is_lost;
	char why[REASON_MAX];
	char complained[REASON_MAX];	/* the latest error that was logged; the thread of libnats' callbacks has it */
};

struct attempt {			/* to connect, on a thread of its own */
	uv_thread_t thread;
	struct bus *bus;
	char url[256];
	struct mailbox *mailbox;
	natsConnection *nc;		/* NULL: it failed */
	char reason[REASON_MAX];
};

struct bus {
	uv_loop_t *loop;
	uv_async_t wake;
	uv_timer_t timer;
	char *text[7];			/* the configuration's own memory */
	struct bus_conf conf;
	struct bus_ops ops;
	void *arg;
	char server[BUS_SERVERS_MAX][256];
	size_t n_servers, next_server;
	struct attempt *attempt;	/* NULL: none runs */
	bool is_attempt_over;		/* under the lock of its mailbox */
	struct mailbox *mailbox;	/* of the connection */
	natsConnection *nc;
	natsSubscription *subscription[SUBSCRIPTIONS_MAX];
	size_t n_subscriptions;
	unsigned delay_ms;
	__u64 opened_ms;
	char complained[REASON_MAX];	/* the latest reason that was reported; "": none since the last connection */
	char restart[REASON_MAX];	/* why the connection is to be dropped; "": it is not */
	bool closing;
	int n_handles;
};

/* --- mailboxes --- */

static struct mailbox *mailbox_new(uv_async_t *wake)
{
	struct mailbox *m = calloc(1, sizeof(*m));

	if (m && uv_mutex_init(&m->lock)) {
		free(m);
		return NULL;
	}
	if (m) {
		m->wake = wake;
		m->n_users = 1;
	}
	return m;
}

static void mailbox_use(struct mailbox *m)
{
	uv_mutex_lock(&m->lock);
	m->n_users++;
	uv_mutex_unlock(&m->lock);
}

static void mailbox_let_go(void *arg)
{
	struct mailbox *m = arg;
	unsigned n_left;

	uv_mutex_lock(&m->lock);
	n_left = --m->n_users;
	uv_mutex_unlock(&m->lock);
	if (n_left)
		return;
	for (size_t i = 0; i < m->n_messages; i++)
		natsMsg_Destroy(m->message[i]);
	free(m->message);
	uv_mutex_destroy(&m->lock);
	free(m);
}

static void mailbox_shut(struct mailbox *m)
{
	uv_mutex_lock(&m->lock);
	m->wake = NULL;
	uv_mutex_unlock(&m->lock);
	mailbox_let_go(m);
}

static void mailbox_lose(struct mailbox *m, const char *why)
{
	uv_mutex_lock(&m->lock);
	if (!m->is_lost)
		snprintf(m->why, sizeof(m->why), "%s", why);
	m->is_lost = true;
	if (m->wake)
		uv_async_send(m->wake);
	uv_mutex_unlock(&m->lock);
}

static void on_nats_message(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *closure)
{
	struct mailbox *m = closure;
	bool taken = false, full = false;

	uv_mutex_lock(&m->lock);
	if (m->wake) {
		full = array_grow(&m->message, m->n_messages, &m->room, sizeof(*m->message)) != 0;
		taken = !full;
	}
	if (taken) {
		m->message[m->n_messages++] = msg;
		uv_async_send(m->wake);
	}
	uv_mutex_unlock(&m->lock);
	if (!taken)
		natsMsg_Destroy(msg);
	if (full)
		mailbox_lose(m, "no memory for its messages");
}

static void on_nats_closed(natsConnection *nc, void *closure)
{
	const char *why = NULL;

	natsConnection_GetLastError(nc, &why);
	mailbox_lose(closure, why && *why ? why : "it closed the connection");
	mailbox_let_go(closure);
}

/* Such as a subject that the server does not permit; logged once until another one comes. */
static void on_nats_error(natsConnection *nc, natsSubscription *sub, natsStatus status, void *closure)
{
	struct mailbox *m = closure;
	const char *text = NULL;

	if (status == NATS_SLOW_CONSUMER) {
		mailbox_lose(m, "it sends more messages than we take");
		return;
	}
	natsConnection_GetLastError(nc, &text);
	text = text && *text ? text : natsStatus_GetText(status);
	if (strcmp(m->complained, text))
		log_warning("bus: the server says: %.200s", text);
	snprintf(m->complained, sizeof(m->complained), "%s", text);
}

/* --- connecting: on a thread --- */

static bool is_secure(const struct bus *b, const char *url)
{
	return !strncmp(url, "tls://", 6) || bus_text_is_set(b->conf.ca) || bus_text_is_set(b->conf.certificate);
}

/* "nats://user:password@host:port" -> "host" */
static void host_of(const char *url, char ret_host[256])
{
	const char *from = strstr(url, "://"), *at;
	size_t len;

	from = from ? from + 3 : url;
	at = strrchr(from, '@');
	from = at ? at + 1 : from;
	len = *from == '[' ? strcspn(++from, "]") : strcspn(from, ":/");
	snprintf(ret_host, 256, "%.*s", (int)len, from);
}

static natsStatus set_user(natsOptions *o, const char *path, char *reason)
{
	struct user_file user;

	if (user_file_read(path, &user, reason))
		return NATS_INVALID_ARG;
	return natsOptions_SetUserInfo(o, user.user, user.password);
}

static natsStatus set_credentials(natsOptions *o, const char *path, char *reason)
{
	if (secret_file_check(path, "seed", reason, REASON_MAX))
		return NATS_INVALID_ARG;
	return natsOptions_SetUserCredentialsFromFiles(o, path, NULL);
}

static natsStatus set_security(const struct bus *b, const char *url, natsOptions *o, char *reason)
{
	const struct bus_conf *c = &b->conf;
	natsStatus s = NATS_OK;
	char host[256];

	if (bus_text_is_set(c->credentials))
		s = set_credentials(o, c->credentials, reason);
	if (!s && bus_text_is_set(c->user_file))
		s = set_user(o, c->user_file, reason);
	if (s || !is_secure(b, url))
		return s;
	host_of(url, host);
	s = natsOptions_SetSecure(o, true);
	if (!s)
		s = natsOptions_LoadCATrustedCertificates(o, bus_text_is_set(c->ca) ? c->ca : SYSTEM_CA);
	if (!s)
		s = natsOptions_SetExpectedHostname(o, host);
	if (!s && bus_text_is_set(c->certificate))
		s = natsOptions_LoadCertificatesChain(o, c->certificate, c->key);
	return s;
}

static natsStatus make_options(struct attempt *a, natsOptions **ret_options)
{
	struct bus *b = a->bus;
	natsOptions *o = NULL;
	natsStatus s = natsOptions_Create(&o);

	if (!s)
		s = natsOptions_SetURL(o, a->url);
	if (!s)
		s = natsOptions_SetName(o, b->conf.name);
	if (!s)
		s = natsOptions_SetAllowReconnect(o, false);	/* each connection is a new one, see the header */
	if (!s)
		s = natsOptions_SetTimeout(o, CONNECT_MS);
	if (!s)
		s = natsOptions_SetWriteDeadline(o, WRITE_MS);
	if (!s)
		s = natsOptions_SetPingInterval(o, 5000);
	if (!s)
		s = natsOptions_SetErrorHandler(o, on_nats_error, a->mailbox);
	if (!s)
		s = natsOptions_SetClosedCB(o, on_nats_closed, a->mailbox);
	if (!s)
		s = set_security(b, a->url, o, a->reason);
	*ret_options = o;
	return s;
}

/* libnats begins its texts with the place in its source, such as "(conn.c:1905): ". */
const char *bus_error_text(int status)
{
	const char *text = nats_GetLastError(NULL), *end = text && *text == '(' ? strstr(text, "): ") : NULL;

	return end ? end + 3 : bus_text_is_set(text) ? text : natsStatus_GetText((natsStatus)status);
}

/* The server says no more than "Authorization Violation". */
static void explain_refusal(struct attempt *a)
{
	const struct bus_conf *c = &a->bus->conf;
	const char *file = bus_text_is_set(c->credentials) ? c->credentials : bus_text_is_set(c->user_file) ? c->user_file : c->certificate;

	if (bus_text_is_set(file))
		snprintf(a->reason, sizeof(a->reason), "it refuses the user of %.150s: unknown, wrong password, or expired", file);
	else
		snprintf(a->reason, sizeof(a->reason), "it takes only users that it knows: give credentials, a user file or a certificate");
}

/* The server closes the connection without a word when it refuses our certificate, or has got none: in TLS 1.3 after our side of
 * the handshake. */
static bool is_closed_in_handshake(const char *text)
{
	return text && (strstr(text, "'PONG', got ''") || strstr(text, "SSL_write error") || strstr(text, "SSL_read error"));
}

static void explain_closed(struct attempt *a)
{
	const char *file = a->bus->conf.certificate;

	if (bus_text_is_set(file))
		snprintf(a->reason, sizeof(a->reason), "it closes the connection, as if it refused the certificate in %.100s: "
			 "expired, or of an authority that it does not know", file);
	else
		snprintf(a->reason, sizeof(a->reason), "it closes the connection: if it wants a certificate, give one");
}

static void explain_failure(struct attempt *a, natsStatus s)
{
	const char *text = nats_GetLastError(NULL);

	if (a->reason[0])
		return;
	if (s == NATS_CONNECTION_AUTH_FAILED)
		explain_refusal(a);
	else if (is_closed_in_handshake(text))
		explain_closed(a);
	else if (s == NATS_NO_SERVER)
		snprintf(a->reason, sizeof(a->reason), "no server answers at this address, or its name is not known");
	else
		snprintf(a->reason, sizeof(a->reason), "%.220s", bus_error_text(s));
}

static void attempt_run(void *arg)
{
	struct attempt *a = arg;
	struct bus *b = a->bus;
	struct mailbox *m = a->mailbox;
	natsOptions *options = NULL;
	natsStatus s;

	if (b->conf.thread_begins)
		b->conf.thread_begins();
	mailbox_use(m);			/* for on_nats_closed() */
	s = make_options(a, &options);
	if (!s)
		s = natsConnection_Connect(&a->nc, options);
	natsOptions_Destroy(options);
	if (s) {
		explain_failure(a, s);
		a->nc = NULL;
		mailbox_let_go(m);
	} else if (b->ops.prepare && b->ops.prepare(b->arg, a->nc, a->reason)) {
		natsConnection_Destroy(a->nc);
		a->nc = NULL;
	}
	nats_ReleaseThreadMemory();
	uv_mutex_lock(&m->lock);
	b->is_attempt_over = true;
	uv_async_send(&b->wake);
	uv_mutex_unlock(&m->lock);
}

/* --- connections --- */

static void on_timer(uv_timer_t *timer);

static void bus_wait(struct bus *b)
{
	unsigned random_ms = b->delay_ms ? (unsigned)(uv_hrtime() / 1000 % b->delay_ms) : 0;

	if (b->closing)
		return;
	uv_timer_start(&b->timer, on_timer, b->delay_ms + random_ms, 0);
	b->delay_ms = b->delay_ms * 2 < DELAY_MOST_MS ? b->delay_ms * 2 : DELAY_MOST_MS;
}

static void bus_drop(struct bus *b)
{
	for (size_t i = 0; i < b->n_subscriptions; i++)
		natsSubscription_Destroy(b->subscription[i]);
	b->n_subscriptions = 0;
	if (b->nc)
		natsConnection_Destroy(b->nc);
	b->nc = NULL;
	if (b->mailbox)
		mailbox_shut(b->mailbox);
	b->mailbox = NULL;
}

static void bus_lost(struct bus *b, const char *why)
{
	char text[REASON_MAX];

	snprintf(text, sizeof(text), "%s", why);
	bus_drop(b);
	if (uv_now(b->loop) - b->opened_ms > DELAY_MOST_MS)
		b->delay_ms = DELAY_FIRST_MS;
	if (!b->closing)
		b->ops.lost(b->arg, text);
	bus_wait(b);
}

static void handle_gone(uv_handle_t *handle)
{
	struct bus *b = handle->data;
	struct bus_ops ops = b->ops;
	void *arg = b->arg;

	if (--b->n_handles)
		return;
	for (size_t i = 0; i < sizeof(b->text) / sizeof(*b->text); i++)
		free(b->text[i]);
	free(b);
	if (ops.closed)
		ops.closed(arg);
}

static void bus_end(struct bus *b)
{
	bus_drop(b);
	uv_close((uv_handle_t *)&b->timer, handle_gone);
	uv_close((uv_handle_t *)&b->wake, handle_gone);
}

/* The thread that connects has ended. */
static void attempt_over(struct bus *b)
{
	struct attempt *a = b->attempt;
	char why[REASON_MAX];

	uv_thread_join(&a->thread);
	b->attempt = NULL;
	b->is_attempt_over = false;
	b->nc = a->nc;
	b->mailbox = a->mailbox;
	snprintf(why, sizeof(why), "%.220s", a->reason);
	free(a);
	if (b->closing) {
		bus_end(b);
	} else if (b->nc) {
		b->complained[0] = 0;
		b->opened_ms = uv_now(b->loop);
		b->ops.connected(b->arg);
	} else {
		bus_drop(b);
		if (strcmp(why, b->complained))
			b->ops.lost(b->arg, why);
		snprintf(b->complained, sizeof(b->complained), "%s", why);
		bus_wait(b);
	}
}

static void bus_connect(struct bus *b)
{
	struct attempt *a = calloc(1, sizeof(*a));

	if (a)
		a->mailbox = mailbox_new(&b->wake);
	if (a && a->mailbox) {
		a->bus = b;
		snprintf(a->url, sizeof(a->url), "%s", b->server[b->next_server]);
		b->next_server = (b->next_server + 1) % b->n_servers;
		b->attempt = a;
		if (!uv_thread_create(&a->thread, attempt_run, a))
			return;
	}
	if (a && a->mailbox)
		mailbox_shut(a->mailbox);
	b->attempt = NULL;
	free(a);
	bus_wait(b);
}

static void on_timer(uv_timer_t *timer)
{
	bus_connect(timer->data);
}

/* --- what the threads queued --- */

static int status_of(natsMsg *msg)
{
	const char *text = NULL;

	/* A message without data and with this header comes from the server itself. */
	return natsMsg_GetDataLength(msg) || natsMsgHeader_Get(msg, "Status", &text) ? 0 : atoi(text);
}

static void deliver(struct bus *b, natsMsg *msg)
{
	const char *reply = natsMsg_GetReply(msg);
	struct bus_message m = { .subject = natsMsg_GetSubject(msg), .reply = reply ? reply : "", .private = msg,
				 .data = (const uint8_t *)natsMsg_GetData(msg), .len = (size_t)natsMsg_GetDataLength(msg) };

	m.status = status_of(msg);
	b->ops.message(b->arg, &m);
}

/* Takes all queued messages at once; a callback may close or restart the bus. */
static void take_events(struct bus *b)
{
	struct mailbox *m = b->mailbox;
	natsMsg **message;		/* in the order of their arrival */
	size_t n;
	bool is_lost;
	char why[REASON_MAX];

	uv_mutex_lock(&m->lock);
	message = m->message;
	n = m->n_messages;
	m->message = NULL;
	m->n_messages = m->room = 0;
	is_lost = m->is_lost;
	snprintf(why, sizeof(why), "%s", m->why);
	uv_mutex_unlock(&m->lock);
	for (size_t i = 0; i < n; i++) {
		if (!b->closing && !b->restart[0])
			deliver(b, message[i]);
		natsMsg_Destroy(message[i]);
	}
	free(message);
	if (b->closing)
		return;
	if (b->restart[0])
		snprintf(why, sizeof(why), "%s", b->restart);
	if (is_lost || b->restart[0]) {
		b->restart[0] = 0;
		bus_lost(b, why);
	}
}

static void on_wake(uv_async_t *wake)
{
	struct bus *b = wake->data;
	bool is_over = false;

	if (b->attempt) {
		uv_mutex_lock(&b->attempt->mailbox->lock);
		is_over = b->is_attempt_over;
		uv_mutex_unlock(&b->attempt->mailbox->lock);
	}
	if (is_over)
		attempt_over(b);
	if (b->mailbox && b->nc && !b->closing)
		take_events(b);
}

/* --- the interface --- */

static int copy_text(struct bus *b, int which, const char *from, const char **to)
{
	if (!from)
		return 0;
	b->text[which] = strdup(from);
	*to = b->text[which];
	return b->text[which] ? 0 : -ENOMEM;
}

static int copy_conf(struct bus *b, const struct bus_conf *c)
{
	int err = copy_text(b, 0, c->url, &b->conf.url);

	b->conf.thread_begins = c->thread_begins;
	err = err ?: copy_text(b, 1, c->credentials, &b->conf.credentials);
	err = err ?: copy_text(b, 2, c->user_file, &b->conf.user_file);
	err = err ?: copy_text(b, 3, c->ca, &b->conf.ca);
	err = err ?: copy_text(b, 4, c->certificate, &b->conf.certificate);
	err = err ?: copy_text(b, 5, c->key, &b->conf.key);
	return err ?: copy_text(b, 6, c->name, &b->conf.name);
}

int bus_new(uv_loop_t *loop, const struct bus_conf *conf, const struct bus_ops *ops, void *arg, struct bus **ret_bus,
	    char reason[REASON_MAX])
{
	struct bus *b;
	int err = bus_conf_check(conf, reason);

	if (err)
		return err;
	b = calloc(1, sizeof(*b));
	err = b ? copy_conf(b, conf) : -ENOMEM;
	if (err) {
		for (size_t i = 0; b && i < sizeof(b->text) / sizeof(*b->text); i++)
			free(b->text[i]);
		free(b);
		return no_memory(reason);
	}
	for (const char *at = conf->url; *at; at += strcspn(at, ","), at += *at == ',')
		snprintf(b->server[b->n_servers++], sizeof(b->server[0]), "%.*s", (int)strcspn(at, ","), at);
	b->loop = loop;
	b->ops = *ops;
	b->arg = arg;
	b->delay_ms = DELAY_FIRST_MS;
	b->n_handles = 2;
	uv_timer_init(loop, &b->timer);
	uv_async_init(loop, &b->wake, on_wake);
	b->timer.data = b->wake.data = b;
	bus_connect(b);
	*ret_bus = b;
	return 0;
}

void bus_close(struct bus *b)
{
	if (b->closing)
		return;
	b->closing = true;
	uv_timer_stop(&b->timer);
	if (b->nc)
		natsConnection_FlushTimeout(b->nc, LEAVE_MS);
	if (!b->attempt)
		bus_end(b);		/* else when the attempt is over */
}

void bus_restart(struct bus *b, const char *why)
{
	if (!b->nc)
		return;
	snprintf(b->restart, sizeof(b->restart), "%s", why);
	uv_async_send(&b->wake);
}

size_t bus_payload_max(const struct bus *b)
{
	return b->nc ? (size_t)natsConnection_GetMaxPayload(b->nc) : 0;
}

const char *bus_header(const struct bus_message *m, const char *name)
{
	const char *value = NULL;

	return natsMsgHeader_Get(m->private, name, &value) ? NULL : value;
}

/* Returns 0 or -errno; a broken connection is dropped from the loop. */
static int checked(struct bus *b, natsStatus s)
{
	if (!s)
		return 0;
	if (s == NATS_NO_MEMORY)
		return -ENOMEM;
	if (s == NATS_MAX_PAYLOAD)
		return -EMSGSIZE;
	mailbox_lose(b->mailbox, natsStatus_GetText(s));
	return -EIO;
}

int bus_subscribe(struct bus *b, const char *subject)
{
	natsSubscription *sub = NULL;
	natsStatus s;

	if (!b->nc || b->n_subscriptions == SUBSCRIPTIONS_MAX)
		return b->nc ? -ENOSPC : -ENOTCONN;
	mailbox_use(b->mailbox);
	s = natsConnection_Subscribe(&sub, b->nc, subject, on_nats_message, b->mailbox);
	if (s) {
		mailbox_let_go(b->mailbox);
		return checked(b, s);
	}
	natsSubscription_SetOnCompleteCB(sub, mailbox_let_go, b->mailbox);
	natsSubscription_SetPendingLimits(sub, -1, -1);		/* we bound what we ask for */
	b->subscription[b->n_subscriptions++] = sub;
	return 0;
}

int bus_publish(struct bus *b, const struct bus_outgoing *m)
{
	natsMsg *msg = NULL;
	natsStatus s;

	if (!b->nc)
		return -ENOTCONN;
	s = natsMsg_Create(&msg, m->subject, m->reply, m->data, (int)m->len);
	for (size_t i = 0; !s && i < sizeof(m->header) / sizeof(*m->header) && m->header[i].name; i++)
		s = natsMsgHeader_Set(msg, m->header[i].name, m->header[i].value);
	if (!s)
		s = natsConnection_PublishMsg(b->nc, msg);
	natsMsg_Destroy(msg);
	return checked(b, s);
}
