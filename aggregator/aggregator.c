#include "aggregator/aggregator.h"

#include "aggregator/annotations/annotations.h"
#include "aggregator/api/api.h"
#include "aggregator/base/clock.h"
#include "aggregator/catalog/configured.h"
#include "aggregator/export/otlp_push.h"
#include "aggregator/group.h"
#include "aggregator/http/http.h"
#include "aggregator/notify/alert_notifier.h"
#include "aggregator/notify/alerts.h"
#include "aggregator/notify/configured_alerts.h"
#include "aggregator/notify/reports.h"
#include "aggregator/notify/webhooks.h"
#include "aggregator/status.h"
#include "aggregator/store/shards.h"
#include "aggregator/upkeep.h"
#include "aggregator/worksheets/worksheets.h"
#include "collector/core/file_lock.h"
#include "collector/core/refuse.h"
#include "collector/core/user_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UPKEEP_MS 10000
#define ALERTS_MS 1000
#define OTLP_PAUSE_MS 1000

/* --- beginning --- */

/* Makes our own folders, which may be missing where no package has made them.  Any other missing folder is a mistyped
 * path. */
static int folder_ready(const char *path, const char *option, char *reason)
{
	char copy[PATH_MAX];
	const char *folder;
	struct stat st;
	int err = 0;

	snprintf(copy, sizeof(copy), "%s", path);
	folder = dirname(copy);
	if (!stat(folder, &st) || (errno != ENOENT && errno != ENOTDIR))
		return 0;		/* open() and the other users report any other problem */
	if (strcmp(folder, "/run/heatscope") && strcmp(folder, "/var/lib/heatscope"))
		return refuse_in(-ENOENT, reason, CONF_REASON_MAX, "there is no folder %.300s (--%s)", folder, option);
	if (mkdir(folder, 0755) && errno != EEXIST) {
		err = -errno;
		snprintf(reason, CONF_REASON_MAX, "cannot make the folder %s: %s; run it as root, or give --database PATH "
			 "and --socket PATH", folder, strerror(-err));
	}
	return err;
}

/* Takes a lock on a file of our own, next to the database: closing any descriptor of the database itself would drop
 * SQLite's locks on it. */
static int lock_database(struct aggregator *a, char *reason)
{
	char path[PATH_MAX + 8];
	int err;

	snprintf(path, sizeof(path), "%s-lock", a->conf.database);
	a->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
	if (a->lock_fd < 0) {
		err = -errno;
		snprintf(reason, CONF_REASON_MAX, "cannot make %.300s: %s%s", path, strerror(-err),
			 err == -EACCES ? "; run it as root, or give --database PATH and --socket PATH" : "");
		return err;
	}
	if (file_lock(a->lock_fd))
		return refuse_in(-EBUSY, reason, CONF_REASON_MAX, "another heatscoped uses the database %.300s already",
			a->conf.database);
	return 0;
}

static int open_clickhouse(struct aggregator *a, struct store **ret_store, char *reason)
{
	const struct conf_clickhouse *c = &a->conf.clickhouse;
	struct store_clickhouse_conf conf = { .url = c->url, .database = c->database, .ca = c->ca };
	struct user_file user = { "", "" };
	char why[CONF_REASON_MAX - 64] = "";
	int err = c->user_file[0] ? user_file_read(c->user_file, &user, reason) : 0;

	if (err)
		return err;
	conf.user = user.user;
	conf.password = user.password;
	err = shards_open_clickhouse(&conf, ret_store, why, sizeof(why));
	if (!err)
		err = (*ret_store)->ops->limit(*ret_store, a->conf.max_size);
	if (err)
		snprintf(reason, CONF_REASON_MAX, "%s", why[0] ? why : *ret_store ? (*ret_store)->reason : "");
	return err;
}

static void close_store(struct store **s)
{
	if (*s)
		(*s)->ops->close(*s);
	*s = NULL;
}

static int open_store(struct aggregator *a, char *reason)
{
	char why[CONF_REASON_MAX - 64] = "";
	int err;

	if (a->conf.clickhouse.url[0])
		return open_clickhouse(a, &a->store, reason);
	if (!strcmp(a->conf.database, "memory"))
		return store_memory_open(&a->store);
	err = folder_ready(a->conf.database, "database", reason);
	if (!err)
		err = lock_database(a, reason);
	if (err)
		return err;
	err = store_sqlite_open(a->conf.database, &a->store, why, sizeof(why));
	if (!err)
		err = a->store->ops->limit(a->store, a->conf.max_size);
	if (err)
		snprintf(reason, CONF_REASON_MAX, "%s", why[0] ? why : a->store ? a->store->reason : "");
	return err;
}

/* A database in a file belongs to one heatscoped. */
static bool is_in_group(const struct aggregator *a)
{
	return a->conf.bus.url[0] && a->conf.clickhouse.url[0];
}

_Static_assert(CONF_REASON_MAX == STORE_WAIT_REASON_MAX, "try_store() writes the one for the other");

/* Opens both handles of a server; neither writes. */
static int open_handles(struct aggregator *a, char *reason)
{
	int err = a->store ? 0 : open_store(a, reason);

	if (!err && aggregator_has_server(a) && !a->upkeep_store)
		err = open_clickhouse(a, &a->upkeep_store, reason);
	if (err) {
		close_store(&a->upkeep_store);
		close_store(&a->store);
	}
	return err;
}

/* The second handle reads the set that the first one has founded. */
static int found_shards(struct aggregator *a, char why[256])
{
	struct store *s = a->store;
	int err = shards_found(s, now_ns());

	if (!err) {
		s = a->upkeep_store;
		err = shards_found(s, now_ns());
	}
	if (err)
		snprintf(why, 256, "%.255s", s->reason);
	return err;
}

/* One that is refused writes nothing: neither its claim nor its list of shards. */
static int claim_store(struct aggregator *a, char why[256])
{
	int err = owner_claim(&a->owner, a->store, (__u64)boot_ns() / 1000000, why);

	if (err)
		return err;
	err = found_shards(a, why);
	if (err && !is_in_group(a))
		owner_release(&a->owner, a->store);
	return err;
}

/* Opens the store, and claims it if it is a server: then on a worker. */
static int try_store(void *arg, char *reason)
{
	struct aggregator *a = arg;
	char why[256] = "";
	int err = open_handles(a, reason);

	if (!err && aggregator_has_server(a))
		err = claim_store(a, why);
	a->is_claimed = !err && aggregator_has_server(a) && !is_in_group(a);
	if (why[0] && err)
		snprintf(reason, CONF_REASON_MAX, "%s", why);
	return err;
}

static int open_annotations(struct aggregator *a)
{
	int err = annotations_new(a->services.store_queue, a->services.catalog, &a->services.annotations);

	if (!err)
		err = annotations_load(a->services.annotations, a->store);
	return err ? err : alerts_new(a->services.store_queue, a->services.cube, a->services.catalog, a->services.annotations, &a->alerts);
}

static int open_reports(struct aggregator *a)
{
	const struct reports_parts parts = { .services = &a->services, .webhooks = a->webhooks, .conf = a->conf.report,
					     .n = a->conf.n_reports, .page_url = a->conf.page_url };

	return reports_new(&parts, &a->reports);
}

/* Puts the name of the configuration file, where the webhooks are, before the reason. */
static int webhooks_refused(const struct aggregator *a, int err, char *reason)
{
	char why[CONF_REASON_MAX];

	if (!err || !reason[0])
		return err;
	snprintf(why, sizeof(why), "%s", reason);
	snprintf(reason, CONF_REASON_MAX, "%.200s: %.300s", a->conf.file, why);
	return err;
}

static int open_middle(struct aggregator *a, char *reason)
{
	char why[REASON_MAX] = "";
	int err = cube_new(&a->services.cube);

	if (!err)
		err = store_queue_new(a->services.loop, a->store, a->services.cube, &a->services.store_queue);
	a->upkeep_queue = a->services.store_queue;
	if (!err && a->upkeep_store)
		err = store_queue_new(a->services.loop, a->upkeep_store, a->services.cube, &a->upkeep_queue);
	if (!err)
		err = catalog_new(a->services.store_queue, a->services.cube, a->conf.cube_slots, &a->services.catalog);
	if (!err && a->conf.keep)
		catalog_keep(a->services.catalog);
	if (!err && is_in_group(a))
		catalog_share(a->services.catalog);
	if (!err)
		err = catalog_load(a->services.catalog, a->store, now_ns(), why);
	if (!err)
		upkeep_begin_time(a);
	if (!err)
		err = open_annotations(a);
	if (!err)
		err = worksheets_new(a->services.store_queue, &a->worksheets);
	if (!err)
		err = worksheets_load(a->worksheets, a->store);
	if (!err)
		err = configured_new(a->services.catalog, a->conf.file, a->conf.instrumentation, a->conf.n_instrumentations, &a->configured);
	if (!err)
		err = export_new(a->services.store_queue, a->services.catalog, a->conf.export, a->conf.n_export, &a->export);
	if (!err)
		err = webhooks_refused(a, webhooks_new(a->services.loop, a->conf.webhook, a->conf.n_webhooks, a->conf.webhook_hosts,
						       &a->webhooks, reason), reason);
	if (!err)
		err = alert_notifier_new(&a->services, a->alerts, a->webhooks, a->conf.page_url, &a->notifier);
	if (!err)
		err = open_reports(a);
	if (!err && !is_in_group(a))
		err = group_lead(a, a->store);
	if (why[0])
		snprintf(reason, CONF_REASON_MAX, "%.200s: %s", a->conf.database, why);
	return err;
}

static int open_ingest(struct aggregator *a, char *reason)
{
	int fd, err = folder_ready(a->conf.socket, "socket", reason);

	if (!err)
		err = endpoint_listen(&a->ingest_at, 0660, &fd, reason, CONF_REASON_MAX);
	if (err)
		return err;
	a->ingest_bound = true;
	err = intake_new(a->services.catalog, a->services.store_queue, &a->intake);
	if (err)
		close(fd);
	return err ? err : ingest_new(a->services.loop, fd, a->services.catalog, a->intake, a->conf.verbose, &a->ingest);
}

static int open_bus(struct aggregator *a, char *reason)
{
	const struct conf_bus *b = &a->conf.bus;
	struct bus_ingest_conf conf = { .bus = { b->url, b->credentials, b->user_file, b->ca, b->certificate, b->key, "heatscoped", NULL },
					      .replicas = b->replicas, .max_bytes = b->max_size,
					      .verbose = a->conf.verbose, .store_queue = a->services.store_queue };
	int err = is_in_group(a) ? group_new(a, &a->group) : 0;

	if (err || !b->url[0])
		return err;
	if (a->group) {
		conf.group = &group_ops;
		conf.group_arg = a->group;
	}
	err = bus_module_load(&a->bus, reason);
	return err ? err : a->bus->new(a->services.loop, &conf, a->services.catalog, a->intake, &a->bus_ingest, reason);
}

static void on_metrics(const void *arg, struct exposition *e) { status_metrics(arg, e); }

static struct metrics_parts metrics_parts_of(const struct aggregator *a)
{
	return (struct metrics_parts){ a->export, a->services.catalog, on_metrics, a };
}

static int open_otlp(struct aggregator *a, char *reason)
{
	const struct metrics_parts parts = metrics_parts_of(a);

	return otlp_push_new(a->services.loop, &a->conf.otlp, &parts, OTLP_PAUSE_MS, &a->otlp, reason);
}

static json_t *on_status(const void *arg)
{
	return status_json(arg);
}

static int open_api(struct aggregator *a)
{
	const struct api_parts parts = { .services = &a->services, .alerts = a->alerts, .worksheets = a->worksheets, .held = &a->held,
					 .status = on_status, .status_arg = a,
					 .metrics = metrics_parts_of(a), .forward = a->group ? group_forward : NULL, .forward_arg = a->group };

	return api_new(&parts, &a->api);
}

/* While we wait for the store, there is no api. */
static void on_request(void *arg, struct http_request *r)
{
	struct aggregator *a = arg;
	char text[STORE_WAIT_REASON_MAX + 100] = "heatscoped starts";

	if (a->api) {
		api_handle(a->api, r);
		return;
	}
	if (a->store_wait)
		store_wait_text(a->store_wait, text, sizeof(text));
	http_busy(r, 2, text);
}

static int open_http(struct aggregator *a, int which, char *reason)
{
	struct http_conf conf = { .page = a->conf.page, .held = &a->held,
				  .token = a->conf.token_file[0] ? &a->token : NULL };
	const char *path = which ? a->conf.api_socket : strncmp(a->conf.listen, "unix:", 5) ? NULL : a->conf.listen + 5;
	int fd, err;

	if (!a->http_at[which].len || a->http[which])
		return 0;
	err = path ? folder_ready(path, which ? "api-socket" : "listen", reason) : 0;
	if (err)
		return err;
	if (endpoint_is_tcp(&a->http_at[which]))
		conf.tls = a->tls;
	err = endpoint_listen(&a->http_at[which], 0660, &fd, reason, CONF_REASON_MAX);
	if (err)
		return err;
	a->http_bound[which] = true;
	err = http_new(a->services.loop, fd, &conf, on_request, a, &a->http[which]);
	if (err)
		snprintf(reason, CONF_REASON_MAX, "the HTTP server does not start: %s", strerror(-err));
	return err;
}

static int parse_unix(const char *path, struct endpoint *ret_at, char *reason)
{
	char at[PATH_MAX + 8];

	snprintf(at, sizeof(at), "unix:%s", path);
	return endpoint_parse(at, ret_at, reason, CONF_REASON_MAX);
}

static int parse_places(struct aggregator *a, char *reason)
{
	int err = endpoint_parse(a->conf.listen, &a->http_at[0], reason, CONF_REASON_MAX);

	if (!err && a->conf.api_socket[0])
		err = parse_unix(a->conf.api_socket, &a->http_at[1], reason);
	return err ? err : parse_unix(a->conf.socket, &a->ingest_at, reason);
}

/* Refuses to serve beyond this machine without a token, or to let a token travel unencrypted. */
static int check_reach(const struct aggregator *a, char *reason)
{
	const struct conf *c = &a->conf;

	if (!c->tls_certificate[0] != !c->tls_key[0])
		snprintf(reason, CONF_REASON_MAX, "tls-certificate and tls-key go together: %s is missing",
			 c->tls_key[0] ? "tls-certificate" : "tls-key");
	else if (endpoint_is_beyond(&a->http_at[0]) && !(c->token_file[0] && c->tls_key[0]))
		snprintf(reason, CONF_REASON_MAX, "\"%.64s\" can be reached from other machines: that needs token-file, "
			 "tls-certificate and tls-key; without them only loopback addresses and Unix sockets are served",
			 c->listen);
	else
		return 0;
	return -EPERM;
}

static int open_secrets(struct aggregator *a, char *reason)
{
	int err = check_reach(a, reason);

	if (!err && a->conf.token_file[0])
		err = token_read(a->conf.token_file, &a->token, reason, CONF_REASON_MAX);
	if (!err && a->conf.tls_key[0])
		err = tls_read(a->conf.tls_certificate, a->conf.tls_key, &a->tls, reason, CONF_REASON_MAX);
	return err;
}

/* --- other heatscoped in the same store --- */

static int beat_work(void *arg, struct store *store)
{
	struct aggregator *a = arg;

	return owner_beat(&a->owner, store, a->beat_reason);
}

/* While the store is away, later beats do it. */
static void beat_done(void *arg, int err)
{
	struct aggregator *a = arg;

	a->is_beating = false;
	a->beat_err = err;
	if (err == -EBUSY && a->changed && !a->services.stopping)
		a->changed(a->changed_arg, err, a->beat_reason);
}

static void beat(struct aggregator *a)
{
	if (!aggregator_has_server(a) || a->is_beating || boot_ns() - a->beat_ns < OWNER_BEAT_MS * 1000000ll)
		return;
	a->beat_ns = boot_ns();
	a->is_beating = !store_queue_submit(a->services.store_queue, beat_work, beat_done, a);
}

static int release_work(void *arg, struct store *store)
{
	return owner_release(&((struct aggregator *)arg)->owner, store);
}

static void release_done(void *arg, int err)
{
}

static void on_watch(uv_timer_t *timer)
{
	struct aggregator *a = timer->data;

	upkeep_follow_clock(a);
	if (a->group)
		group_tick(a->group);
	if (!group_leads(a))
		return;
	beat(a);
	configured_alerts_check(a->configured_alerts, now_ns());
	alerts_tick(a->alerts, now_ns());
	reports_tick(a->reports, now_ns());
}

static void on_upkeep(uv_timer_t *timer)
{
	upkeep_run(timer->data);
}

static void start_timers(struct aggregator *a)
{
	uv_timer_init(a->services.loop, &a->alerts_timer);
	a->alerts_timer.data = a;
	uv_timer_start(&a->alerts_timer, on_watch, ALERTS_MS, ALERTS_MS);
	uv_timer_init(a->services.loop, &a->upkeep);
	a->upkeep.data = a;
	a->has_timer = true;
	uv_timer_start(&a->upkeep, on_upkeep, UPKEEP_MS, UPKEEP_MS);
	otlp_push_start(a->otlp);
}

static int open_both_http(struct aggregator *a, char *reason)
{
	int err = open_http(a, 0, reason);

	return err ? err : open_http(a, 1, reason);
}

/* All that needs the store. */
static int open_rest(struct aggregator *a, char *reason)
{
	int err = open_middle(a, reason);

	if (!err)
		err = open_otlp(a, reason);
	if (!err)
		err = open_ingest(a, reason);
	if (!err)
		err = open_bus(a, reason);
	if (!err)
		err = open_api(a);
	if (!err)
		err = open_both_http(a, reason);
	if (!err) {
		store_queue_begin(a->services.store_queue);
		if (a->upkeep_store)
			store_queue_begin(a->upkeep_queue);
		start_timers(a);
	}
	if (err && !reason[0])
		snprintf(reason, CONF_REASON_MAX, "it does not start: %s", strerror(-err));
	return err;
}

static void on_store(void *arg, int err, const char *why)
{
	struct aggregator *a = arg;
	char reason[CONF_REASON_MAX];

	a->store_wait = NULL;
	snprintf(reason, sizeof(reason), "%s", why);
	if (!err) {
		reason[0] = 0;
		err = open_rest(a, reason);
	}
	if (a->changed)
		a->changed(a->changed_arg, err, reason);
}

/* To open a server may take minutes: an upgrade copies its data. */
static int wait_for_store(struct aggregator *a, char *reason)
{
	static const struct store_wait_ops ops = { try_store, on_store };
	int err = open_both_http(a, reason);

	if (!err)
		err = store_wait_new(a->services.loop, &ops, a, now_ns(), &a->store_wait);
	if (err && !reason[0])
		snprintf(reason, CONF_REASON_MAX, "it does not start: %s", strerror(-err));
	return err;
}

bool aggregator_waits(const struct aggregator *a)
{
	return a->store_wait;
}

void aggregator_observe(struct aggregator *a, void (*changed)(void *arg, int err, const char *reason), void *arg)
{
	a->changed = changed;
	a->changed_arg = arg;
}

int aggregator_open(struct aggregator *a, uv_loop_t *loop, const struct conf *conf, char *reason)
{
	int err;

	memset(a, 0, sizeof(*a));
	a->conf = *conf;
	a->services.loop = loop;
	a->services.keep = conf->keep;
	a->lock_fd = -1;
	a->start_ns = boot_ns();
	a->started_ns = now_ns();
	reason[0] = 0;
	err = parse_places(a, reason);
	if (!err)
		err = open_secrets(a, reason);
	if (!err)
		err = owner_init(&a->owner, is_in_group(a), a->started_ns);
	if (!err && aggregator_has_server(a))
		return wait_for_store(a, reason);
	if (!err)
		err = try_store(a, reason);
	if (!err)
		err = open_rest(a, reason);
	if (err && !reason[0])
		snprintf(reason, CONF_REASON_MAX, "it does not start: %s", strerror(-err));
	return err;
}

int aggregator_reload(struct aggregator *a, char *reason)
{
	struct token token = a->token;
	int err;

	reason[0] = 0;
	err = a->conf.token_file[0] ? token_read(a->conf.token_file, &token, reason, CONF_REASON_MAX) : 0;

	if (!err)
		err = webhooks_refused(a, webhooks_reload(a->webhooks, reason), reason);
	if (!err)
		err = otlp_push_reload(a->otlp, reason);
	if (!err)
		a->token = token;
	return err;
}

/* --- ending --- */

static void on_pushed(void *arg)
{
	struct aggregator *a = arg;

	a->otlp = NULL;
	http_close(a->http[0]);
	http_close(a->http[1]);
	api_close(a->api);
	ingest_close(a->ingest);
	if (a->bus_ingest)
		a->bus->close(a->bus_ingest);
}

static void on_drained(void *arg)
{
	struct aggregator *a = arg;

	if (a->has_timer) {
		otlp_push_finish(a->otlp, on_pushed, a);
		return;
	}
	otlp_push_close(a->otlp);		/* it did not start */
	on_pushed(a);
}

/* Upkeep, if it has a queue of its own, has ended: our claim may. */
static void on_upkeep_over(void *arg)
{
	struct aggregator *a = arg;

	/* While the store is away it could take long. */
	if (a->is_claimed && a->services.store_queue && !a->beat_err)
		store_queue_submit(a->services.store_queue, release_work, release_done, a);
	if (a->services.store_queue)
		store_queue_drain(a->services.store_queue, on_drained, a);
	else
		on_drained(a);
}

void aggregator_stop(struct aggregator *a)
{
	if (a->services.stopping)
		return;
	a->services.stopping = true;
	atomic_store(&a->upkeep_ends, true);
	if (a->has_timer) {
		uv_close((uv_handle_t *)&a->upkeep, NULL);
		uv_close((uv_handle_t *)&a->alerts_timer, NULL);
	}
	webhooks_close(a->webhooks);
	if (a->ingest)
		ingest_stop(a->ingest);
	if (a->bus_ingest)
		a->bus->stop(a->bus_ingest);
	store_wait_stop(a->store_wait);
	if (a->upkeep_queue != a->services.store_queue)
		store_queue_drain(a->upkeep_queue, on_upkeep_over, a);
	else
		on_upkeep_over(a);
}

void aggregator_close(struct aggregator *a)
{
	for (int i = 0; i < 2; i++)
		if (a->http_bound[i])
			endpoint_remove(&a->http_at[i]);
	if (a->ingest_bound)
		endpoint_remove(&a->ingest_at);
	api_free(a->api);
	export_free(a->export);
	configured_free(a->configured);
	configured_alerts_free(a->configured_alerts);
	alert_notifier_free(a->notifier);
	reports_free(a->reports);
	webhooks_free(a->webhooks);
	alerts_free(a->alerts);
	annotations_free(a->services.annotations);
	worksheets_free(a->worksheets);
	group_free(a->group);
	intake_free(a->intake);
	catalog_free(a->services.catalog);
	if (a->upkeep_queue != a->services.store_queue)
		store_queue_free(a->upkeep_queue);
	store_queue_free(a->services.store_queue);
	if (a->services.cube)
		cube_free(a->services.cube);
	close_store(&a->upkeep_store);
	close_store(&a->store);
	if (a->lock_fd >= 0) {
		file_unlock(a->lock_fd);
		close(a->lock_fd);
	}
	tls_free(a->tls);
}
