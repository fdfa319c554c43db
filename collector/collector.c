#include "collector/collector.h"
#include "collector/link.h"
#include "collector/core/log.h"
#include "collector/privilege.h"
#include "collector/probe/probes.h"
#include "collector/probe/self_stats.h"
#include "collector/probe/recording.h"
#include "collector/self_report.h"
#include "collector/spool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#define AFTER_SLOT_MS 20		/* by then, events that ended at the boundary are in the map */
#define LEAVE_MS 1000			/* how long to wait for the last acknowledgements */
#define HASTY_BYTES (1u << 20)		/* with more than this waiting, a replay without a clock pauses */
#define KERNEL_TEXT 96
#define COMPLAIN_NS 60000000000ll
#define SELF_NS 10000000000ll

struct collector {
	const struct collector_conf *conf;
	uv_loop_t loop;
	uv_timer_t tick, early, leave;
	uv_signal_t term, interrupt;
	struct link *link;
	struct probes *probes;
	struct spool *spool;
	int spool_on_disk;
	struct recorder *recorder;
	char aggregator[64];		/* the one whose instrumentations are enabled */
	int said_want;			/* got WANT on this connection: batches may be sent */
	char *said_state;		/* as last sent, JSON */
	int leaving;
	__s64 due_ns;			/* wall time of the next tick */
	__u64 due_hrtime;		/* the same by uv_hrtime() */
	unsigned n_lost_links;
	__s64 started_ns, self_ns;	/* our start; the last STATE about ourselves */
	int fixed, err;			/* has dropped its capabilities; why it ends */
	struct spool_stats reported;	/* as last logged */
	__s64 reported_ns;
	json_t *reported_failures;	/* id -> reason, as last logged */
};

static __s64 wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (__s64)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- ending --- */

static void close_handle(void *handle)
{
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

static void collector_close(struct collector *c)
{
	if (c->link)
		link_close(c->link);
	c->link = NULL;
	c->said_want = 0;
	close_handle(&c->tick);
	close_handle(&c->early);
	close_handle(&c->leave);
	close_handle(&c->term);
	close_handle(&c->interrupt);
}

static void on_leave(uv_timer_t *timer)
{
	collector_close(timer->data);
}

static void close_when_done(struct collector *c)
{
	if (c->leaving && (!c->said_want || !spool_stats(c->spool).waiting))
		collector_close(c);
}

/* --- sending --- */

static void pump(struct collector *c)
{
	struct bytes frame = { 0 };

	while (c->said_want && link_is_ready(c->link) && spool_next(c->spool, &frame) > 0)
		if (link_send_batch(c->link, &frame)) {
			spool_rewind(c->spool);		/* connection lost, or no memory: the next tick tries again */
			break;
		}
	if (c->link)
		link_flush(c->link);
	bytes_fini(&frame);
}

static void log_losses(struct collector *c, __s64 now_ns)
{
	struct spool_stats s = spool_stats(c->spool);

	if (now_ns - c->reported_ns < COMPLAIN_NS && now_ns >= c->reported_ns)
		return;
	if (s.dropped_batches == c->reported.dropped_batches && s.foreign_batches == c->reported.foreign_batches &&
	    s.cut_bytes == c->reported.cut_bytes && s.file_err == c->reported.file_err)
		return;
	if (s.dropped_batches > c->reported.dropped_batches)
		log_warning("spool is full: %llu batches with %llu events dropped since the start; they are reported as lost",
			    (unsigned long long)s.dropped_batches, (unsigned long long)s.dropped_events);
	if (s.foreign_batches > c->reported.foreign_batches)
		log_warning("%llu batches were for another aggregator and are dropped",
			    (unsigned long long)s.foreign_batches);
	if (s.cut_bytes > c->reported.cut_bytes)
		log_warning("spool: %llu damaged or torn bytes were cut", (unsigned long long)s.cut_bytes);
	if (s.file_err && s.file_err != c->reported.file_err)
		log_warning("spool: %s; continuing in memory", strerror(-s.file_err));
	c->reported = s;
	c->reported_ns = now_ns;
}

/* --- ticks --- */

static void record_failed(struct collector *c, int err)
{
	log_error("recording %s: %s; it ends here", c->conf->record_path, strerror(-err));
	recorder_close(c->recorder);
	c->recorder = NULL;
}

static void take_batch(void *arg, const struct batch *b)
{
	struct collector *c = arg;
	int err = spool_put(c->spool, b);

	if (err)
		log_error("a batch of instrumentation %llu is lost: %s", (unsigned long long)b->inst, strerror(-err));
	err = c->recorder ? recorder_batch(c->recorder, b) : 0;
	if (err)
		record_failed(c, err);
}

static void self_stats_stock(const struct collector *c)
{
	struct spool_stats s = spool_stats(c->spool);

	self_stats_spool_set(&(struct self_stats_spool){ s.waiting, s.in_flight, s.dropped_batches });
}

static void drain(struct collector *c)
{
	const struct batch_sink sink = { take_batch, c };
	__s64 now_ns = wall_ns();
	int err;

	self_stats_late(now_ns > c->due_ns ? (__u64)(now_ns - c->due_ns) : 0);
	self_stats_stock(c);
	err = probes_drain(c->probes, now_ns, &sink);
	if (err)
		log_error("draining the probes: %s", strerror(-err));
	err = c->recorder ? recorder_flush(c->recorder) : 0;
	if (err)
		record_failed(c, err);
	log_losses(c, now_ns);
}

/* Without a clock, a replay hands over batches as fast as the aggregator takes them. */
static int hasty(const struct collector *c)
{
	return c->conf->probe.recording && !c->conf->probe.follow_clock;
}

static void on_tick(uv_timer_t *timer);

static void arm_early(struct collector *c);
static void leave_after_once(struct collector *c);

static void on_early(uv_timer_t *timer)
{
	struct collector *c = timer->data;

	probes_wake(c->probes, wall_ns());
	if (probes_wake_at(c->probes) > wall_ns())
		arm_early(c);
	leave_after_once(c);
}

/* Sets the timer for a probe's work between two drains. */
static void arm_early(struct collector *c)
{
	__s64 at = probes_wake_at(c->probes), now_ns = wall_ns();

	if (at)
		uv_timer_start(&c->early, on_early, at > now_ns ? (__u64)(at - now_ns) / 1000000 : 0, 0);
	else
		uv_timer_stop(&c->early);
}

static void arm_tick(struct collector *c)
{
	__s64 slot_ns = (__s64)probes_slot_ns(c->probes), now_ns = wall_ns();
	__u64 delay_ms = (__u64)((now_ns / slot_ns + 1) * slot_ns - now_ns + 999999) / 1000000 + AFTER_SLOT_MS;

	if (hasty(c) && probes_active(c->probes) && !probes_finished(c->probes) &&
	    spool_stats(c->spool).waiting < HASTY_BYTES)
		delay_ms = 0;
	c->due_ns = now_ns + (__s64)delay_ms * 1000000;
	c->due_hrtime = uv_hrtime() + delay_ms * 1000000;
	uv_update_time(&c->loop);
	uv_timer_start(&c->tick, on_tick, delay_ms, 0);
	arm_early(c);
}

static void leave(struct collector *c);

/* A replay ends when the aggregator has acknowledged all of it.  Another probe ends at once; leave() then waits up to LEAVE_MS
 * for the acknowledgements. */
static void leave_after_once(struct collector *c)
{
	if (c->conf->once && !c->leaving && probes_finished(c->probes) &&
	    !(c->conf->probe.recording && spool_stats(c->spool).waiting))
		leave(c);
}

/* Sends the state again if it has changed. */
static void send_state(struct collector *c)
{
	json_t *state = probes_state(c->probes);
	char *text = json_dumps(state, JSON_COMPACT);

	if (text && (!c->said_state || strcmp(text, c->said_state))) {
		link_send_json(c->link, FRAME_STATE, state);
		free(c->said_state);
		c->said_state = text;
		text = NULL;
	}
	free(text);
	json_decref(state);
}

/* Sends what we use ourselves, if it is due. */
static void send_self(struct collector *c)
{
	__s64 now_ns = wall_ns();
	struct spool_stats spool;
	json_t *state;

	if (now_ns >= c->self_ns && now_ns - c->self_ns < SELF_NS)
		return;
	c->self_ns = now_ns;
	spool = spool_stats(c->spool);
	state = json_pack("{s:[], s:o}", "instrumentations", "self", self_report_json(&spool, c->started_ns));
	if (state)
		link_send_json(c->link, FRAME_STATE, state);
	json_decref(state);
}

static void on_tick(uv_timer_t *timer)
{
	struct collector *c = timer->data;

	if (!hasty(c) || spool_stats(c->spool).waiting < HASTY_BYTES)
		drain(c);
	if (c->said_want) {
		send_state(c);
		send_self(c);
	}
	pump(c);
	leave_after_once(c);
	if (!c->leaving)
		arm_tick(c);
}

/* Ends: hands over the last data of the probes, and waits a moment for the acknowledgements. */
static void leave(struct collector *c)
{
	c->leaving = 1;
	uv_timer_stop(&c->tick);
	uv_timer_stop(&c->early);
	probes_end(c->probes);
	if (!hasty(c))
		drain(c);
	pump(c);
	uv_timer_start(&c->leave, on_leave, LEAVE_MS, 0);
	close_when_done(c);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct collector *c = handle->data;

	log_info("signal %d (%s): leaving", number, strsignal(number));
	if (c->leaving)
		collector_close(c);
	else
		leave(c);
}

/* --- the aggregator --- */

/* "Linux 6.1.0 x86_64" */
static void put_kernel(char out[KERNEL_TEXT])
{
	struct utsname u;

	*out = 0;
	if (!uname(&u))
		snprintf(out, KERNEL_TEXT, "%.15s %.60s %.15s", u.sysname, u.release, u.machine);
}

static void on_connected(void *arg)
{
	struct collector *c = arg;
	const struct probe_conf *p = &c->conf->probe;
	char incarnation[24], kernel[KERNEL_TEXT];
	json_t *hello;

	c->self_ns = 0;			/* after a restart the aggregator does not know it */
	snprintf(incarnation, sizeof(incarnation), "%llu", (unsigned long long)p->incarnation);
	put_kernel(kernel);
	hello = json_pack("{s:i, s:s, s:s, s:i, s:s, s:s, s:s, s:o}", "format", FRAME_VERSION, "source", p->source, "incarnation",
			  incarnation, "pid", (int)getpid(), "version", c->conf->version, "kernel", kernel, "text",
			  p->text_full ? "full" : "digest", "metrics",
			  probes_metrics(c->probes));
	json_object_set_new(hello, "time_ns", json_integer(wall_ns()));
	if (p->labels && p->labels->n)
		json_object_set_new(hello, "labels", host_labels_to_json(p->labels));
	if (!hello || link_send_json(c->link, FRAME_HELLO, hello))
		log_error("no memory to say hello");
	json_decref(hello);
}

static void on_enabled(void *arg, const struct instrumentation *in, const struct metric *m)
{
	struct collector *c = arg;
	int err = c->recorder ? recorder_begin(c->recorder, in, m) : 0;

	log_info("instrumentation %llu of %s.%s is active", (unsigned long long)in->id, in->module, in->stat);
	if (err)
		record_failed(c, err);
}

/* Logs each failure once: again only after it was active, or for another reason. */
static void log_failures(struct collector *c, const json_t *state)
{
	const json_t *list = json_object_get(state, "instrumentations"), *one;
	json_t *reported = json_object();
	char id[24];
	size_t i;

	json_array_foreach(list, i, one) {
		json_t *reason = json_object_get(one, "reason");
		const char *is = json_string_value(json_object_get(one, "state"));

		if (!strcmp(is, "active") || json_is_false(json_object_get(one, "known")))
			continue;
		snprintf(id, sizeof(id), "%lld", (long long)json_integer_value(json_object_get(one, "id")));
		if (!json_equal(json_object_get(c->reported_failures, id), reason))
			log_warning("instrumentation %s %s%s: %s", id, strcmp(is, "failed") ? "is " : "", is, json_string_value(reason));
		json_object_set(reported, id, reason);
	}
	json_decref(c->reported_failures);
	c->reported_failures = reported;
}

/* The first set is enabled: from now on this process cannot load anything, and neither can an attacker who takes it
 * over. */
static void fix(struct collector *c)
{
	char reason[REASON_MAX] = "";

	if (!c->conf->fixed || c->fixed || !probes_active(c->probes))
		return;
	probes_fix(c->probes);
	c->fixed = 1;
	c->err = privilege_drop(reason);
	if (!c->err) {
		log_info("fixed: all capabilities dropped; nothing new can be measured until a restart");
		return;
	}
	log_error("--fixed: %s", reason);
	collector_close(c);
}

static void on_want(void *arg, const json_t *want)
{
	struct collector *c = arg;
	const char *aggregator = json_string_value(json_object_get(want, "aggregator"));
	const struct probes_watch watch = { on_enabled, c };
	unsigned n_lost_links = c->n_lost_links;
	json_t *state;

	if (c->leaving && !strcmp(c->aggregator, aggregator)) {		/* connected again, for the data that are left */
		c->said_want = 1;
		pump(c);
		return;
	}
	drain(c);			/* hands over the data of the instrumentations that end now */
	if (strcmp(c->aggregator, aggregator))		/* there the same ids mean other instrumentations */
		probes_disable_all(c->probes);
	snprintf(c->aggregator, sizeof(c->aggregator), "%s", aggregator);
	spool_bind(c->spool, aggregator);
	if (probes_want(c->probes, json_object_get(want, "instrumentations"), wall_ns(), &watch))
		log_error("the aggregator wants an instrumentation that cannot be read");
	fix(c);
	if (c->err || c->n_lost_links != n_lost_links)		/* on_loading() found that the link is lost */
		return;
	state = probes_state(c->probes);
	log_failures(c, state);
	json_decref(state);
	free(c->said_state);
	c->said_state = NULL;
	send_state(c);
	c->said_want = 1;
	send_self(c);
	pump(c);
	if (!c->leaving)
		arm_tick(c);
}

static void on_acks(void *arg, const struct ack *ack, size_t n)
{
	struct collector *c = arg;

	for (size_t i = 0; i < n; i++)
		spool_ack(c->spool, &ack[i]);
	pump(c);
	leave_after_once(c);
	if (!c->leaving && hasty(c))
		arm_tick(c);
	close_when_done(c);
}

static void on_lost(void *arg)
{
	struct collector *c = arg;

	c->said_want = 0;
	c->n_lost_links++;
	spool_rewind(c->spool);
	close_when_done(c);
}

/* A daemon waits until it is welcome; somebody waits for the end of what is sent once. */
static bool on_refused(void *arg, const char *why)
{
	struct collector *c = arg;

	if (!c->conf->once)
		return false;
	log_error("heatscoped refuses us: %s", why);
	c->err = -EPERM;
	collector_close(c);
	return true;
}

/* --- starting --- */

static int open_spool(struct collector *c)
{
	const struct collector_conf *conf = c->conf;
	struct spool_conf spool = { conf->spool_path, conf->spool_limit, conf->probe.incarnation };
	char reason[REASON_MAX];
	int err = spool_open(&spool, &c->spool, reason);

	if (err && conf->spool_optional) {
		log_warning("%s; unacknowledged batches are kept in memory only", reason);
		spool.path = NULL;
		err = spool_open(&spool, &c->spool, reason);
	}
	if (err)
		log_error("%s", reason);
	c->spool_on_disk = spool.path && *spool.path;
	return err;
}

static int open_recorder(struct collector *c)
{
	int err = c->conf->record_path ? recorder_open(c->conf->record_path, &c->recorder) : 0;

	if (err)
		log_error("recording %s: %s", c->conf->record_path, strerror(-err));
	return err;
}

/* probes_want() loads programs: does a tick in time, but for the state: that of the new instrumentation is not known yet. */
static void on_loading(void *arg)
{
	struct collector *c = arg;

	if (uv_hrtime() < c->due_hrtime)
		return;
	drain(c);
	pump(c);
	arm_tick(c);
}

static int open_probes(struct collector *c)
{
	const char *reason;
	struct probe_conf conf = c->conf->probe;
	int err;

	conf.meanwhile = on_loading;
	conf.meanwhile_arg = c;
	err = probes_open(c->conf->probes, c->conf->n_probes, &conf, &c->probes);

	if (err) {
		log_error("probes: %s", strerror(-err));
		return err;
	}
	if (probes_opened(c->probes, &reason))
		return 0;
	log_error("%s", reason);
	return -ENODEV;
}

static int open_link(struct collector *c)
{
	static const struct link_ops ops = { on_connected, on_want, on_acks, on_lost, NULL, on_refused };
	const struct collector_conf *conf = c->conf;
	char reason[REASON_MAX];
	int err;

	if (conf->bus.url) {
		err = link_bus_new(&c->loop, &conf->bus, conf->probe.source, &ops, c, &c->link, reason);
		if (err)
			log_error("--bus: %s", reason);
		return err;
	}
	err = link_socket_new(&c->loop, conf->socket_path, &ops, c, &c->link);
	if (err)
		log_error("socket %s: %s", conf->socket_path, strerror(-err));
	return err;
}

static void init_handles(struct collector *c)
{
	uv_timer_init(&c->loop, &c->tick);
	uv_timer_init(&c->loop, &c->early);
	uv_timer_init(&c->loop, &c->leave);
	uv_signal_init(&c->loop, &c->term);
	uv_signal_init(&c->loop, &c->interrupt);
	c->tick.data = c->early.data = c->leave.data = c->term.data = c->interrupt.data = c;
}

static void start(struct collector *c)
{
	uv_signal_start(&c->term, on_signal, SIGTERM);
	uv_signal_start(&c->interrupt, on_signal, SIGINT);
	arm_tick(c);
}

static void collector_fini(struct collector *c)
{
	__u64 waiting = c->spool ? spool_stats(c->spool).waiting : 0;
	int err = recorder_close(c->recorder);

	if (err)
		log_error("recording %s: %s", c->conf->record_path, strerror(-err));
	if (waiting)
		log_info("%llu bytes are not acknowledged%s", (unsigned long long)waiting,
			 c->spool_on_disk ? "; they stay in the spool" : " and lost");
	free(c->said_state);
	json_decref(c->reported_failures);
	probes_close(c->probes);
	spool_close(c->spool);
}

int collector_run(const struct collector_conf *conf)
{
	struct collector c = { .conf = conf, .started_ns = wall_ns() };
	int err;

	signal(SIGPIPE, SIG_IGN);	/* a lost connection shows as an error of the write */
	err = uv_loop_init(&c.loop);
	if (err)
		return err;
	init_handles(&c);
	err = open_probes(&c);
	if (!err)
		err = open_spool(&c);
	if (!err)
		err = open_recorder(&c);
	if (!err)
		err = open_link(&c);
	if (!err)
		start(&c);
	else
		collector_close(&c);
	uv_run(&c.loop, UV_RUN_DEFAULT);
	uv_loop_close(&c.loop);
	collector_fini(&c);
	return err ?: c.err;
}
