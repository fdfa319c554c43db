#include "aggregator/ingest/intake.h"

#include "aggregator/base/clock.h"
#include "aggregator/ingest/slot_keys.h"
#include "collector/core/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WATCHERS_MAX 2

struct intake {
	struct catalog *catalog;
	struct store_queue *store_queue;
	struct slot_keys *slot_keys;
	struct ingest_counters counters;
	bool (*unknown)(void *arg, __u64 inst);		/* NULL: we make the instrumentations */
	void *unknown_arg;
	struct watcher { void (*ready)(void *arg); void *arg; } watcher[WATCHERS_MAX];
};

/* Misfits are acknowledged: sent again, they would not fit either.  Logged at 1, 2, 4, 8 ... of them. */
static void count_misfit(struct intake *in, const struct incoming_batch *a, const char *why)
{
	__u64 n = ++in->counters.misfits;

	in->counters.lost_events = events_add(in->counters.lost_events, incoming_batch_events(a));
	if (!(n & (n - 1)))
		log_warning("a batch of %s for slot %lld of instrumentation %llu is lost: %s (%llu such batches so far)",
		    a->batch.source, (long long)a->batch.slot, (unsigned long long)a->batch.inst, why,
		    (unsigned long long)n);
}

/* Our own clock was set: marks the first current batch after that, unless it carries a step of its source's clock. */
static void mark_step(struct intake *in, struct incoming_batch *a, __s64 now_ns)
{
	__s64 end_ns = (incoming_batch_last(a) + 1) * (__s64)a->batch.slot_ns;

	if (a->batch.clock_step_ns || end_ns < now_ns - FUTURE_MAX_NS)
		return;
	a->batch.clock_step_ns = catalog_take_step(in->catalog, a->batch.inst);
	a->has_step = a->batch.clock_step_ns != 0;
}

/* Logged at 1, 2, 4, 8 ... of them. */
static void count_cut(struct intake *in, const struct incoming_batch *a)
{
	__u64 n = ++in->counters.cut;

	if (!(n & (n - 1)))
		log_warning("%llu events of %s in slot %lld of instrumentation %llu are lost: it has sent more than %u keys for that slot "
			    "(%llu such batches so far)", (unsigned long long)a->n_cut, a->batch.source, (long long)a->batch.slot,
			    (unsigned long long)a->batch.inst, INCOMING_BATCH_KEYS_MAX, (unsigned long long)n);
}

/* Returns 1 if the batch is to be stored. */
static int admit_batch(struct intake *in, struct incoming_batch *a, const struct host_labels *labels)
{
	const struct catalog_inst *ci = catalog_find(in->catalog, a->batch.inst);
	struct incoming_batch_bounds bounds;
	__s64 now = now_ns();
	const char *why;
	__u64 n_events;

	in->counters.batches++;
	if (!ci && in->unknown && a->batch.inst > catalog_newest_id(in->catalog) && in->unknown(in->unknown_arg, a->batch.inst))
		return -EAGAIN;
	if (!ci) {
		in->counters.unknown++;
		return 0;
	}
	catalog_clock(in->catalog, a->batch.source, a->batch.incarnation, (incoming_batch_last(a) + 1) * (__s64)a->batch.slot_ns,
		      a->batch.clock_step_ns != 0, now);
	catalog_sent(in->catalog, a->batch.source, a->batch.incarnation, a->batch.slot * (__s64)a->batch.slot_ns, now);
	bounds = (struct incoming_batch_bounds){ catalog_horizon(in->catalog, ci, now), ci->taken_from, catalog_latest_ns(in->catalog, now) };
	why = incoming_batch_check(a, &ci->in, &bounds);
	if (why) {
		count_misfit(in, a, why);
		n_events = incoming_batch_events(a);
		if (!incoming_batch_lose(a, &ci->in, &bounds))
			return 0;
		in->counters.filed_events = events_add(in->counters.filed_events, n_events);
	}
	if (slot_keys_cut(in->slot_keys, &a->batch, &a->n_cut) ||
	    incoming_batch_fill_host(a, &ci->in, labels ? labels : catalog_labels(in->catalog, a->batch.source)))
		return -ENOMEM;
	mark_step(in, a, now);		/* at the end: a refused batch must not take the step with it */
	return 1;
}

int intake_batch(struct intake *in, const __u8 *data, size_t len, const char *source,
		 const struct host_labels *labels, struct sender *sender)
{
	struct incoming_batch *a;
	int err = incoming_batch_new(data, len, &a);

	if (err)
		return err;
	err = source && strcmp(source, a->batch.source) ? -EPERM : admit_batch(in, a, labels);
	if (err == 1) {
		a->from = sender;
		err = store_queue_add(in->store_queue, a);
		if (!err)
			return 0;
	} else if (!err) {
		sender->settled(sender, &a->batch, 0, NULL);
	}
	incoming_batch_free(a);
	return err;
}

int intake_heard(struct intake *in, const __u8 *data, size_t len, bool is_fold)
{
	struct incoming_batch *a;
	int err = incoming_batch_new(data, len, &a);

	if (err)
		return err;
	if (catalog_find(in->catalog, a->batch.inst))
		store_queue_heard(in->store_queue, a, is_fold);
	if (!is_fold) {
		catalog_sent(in->catalog, a->batch.source, a->batch.incarnation, a->batch.slot * (__s64)a->batch.slot_ns, now_ns());
		catalog_seen(in->catalog, a->batch.inst, a->batch.source, incoming_batch_last(a));
		catalog_lost(in->catalog, a->batch.inst, a->batch.source, a->batch.loss.n, now_ns());
	}
	incoming_batch_free(a);
	return 0;
}

void intake_follow(struct intake *in, bool (*unknown)(void *arg, __u64 inst), void *arg)
{
	in->unknown = unknown;
	in->unknown_arg = arg;
}

/* Called when a batch is stored, now or before. */
static void catalog_report(struct intake *in, const struct incoming_batch *a)
{
	catalog_seen(in->catalog, a->batch.inst, a->batch.source, incoming_batch_last(a));
	if (!a->fresh)
		return;
	catalog_lost(in->catalog, a->batch.inst, a->batch.source, a->batch.loss.n, now_ns());
	if (a->n_cut)
		count_cut(in, a);
}

static void batch_settled(void *arg, const struct incoming_batch *a, int err)
{
	struct intake *in = arg;
	struct sender *sender = a->from;

	if (!err)
		catalog_report(in, a);
	if (a->has_step && (err || !a->fresh))
		catalog_return_step(in->catalog, a->batch.inst);
	if (sender)
		sender->settled(sender, &a->batch, err, err ? store_queue_reason(in->store_queue, err) : NULL);
	for (int i = 0; i < WATCHERS_MAX; i++)
		if (in->watcher[i].ready)
			in->watcher[i].ready(in->watcher[i].arg);
}

void intake_disown(struct intake *in, struct sender *sender)
{
	store_queue_disown(in->store_queue, sender);
}

bool intake_is_full(const struct intake *in)
{
	return store_queue_waiting(in->store_queue) >= INGEST_WAITING_MAX;
}

bool intake_has_room(const struct intake *in)
{
	return store_queue_waiting(in->store_queue) <= INGEST_WAITING_MAX / 2;
}

void intake_on_ready(struct intake *in, void (*ready)(void *arg), void *arg)
{
	for (int i = 0; i < WATCHERS_MAX; i++)
		if (!in->watcher[i].ready) {
			in->watcher[i] = (struct watcher){ ready, arg };
			return;
		}
}

void intake_off_ready(struct intake *in, void *arg)
{
	for (int i = 0; i < WATCHERS_MAX; i++)
		if (in->watcher[i].arg == arg)
			in->watcher[i] = (struct watcher){ 0 };
}

struct ingest_counters *intake_counters(struct intake *in)
{
	return &in->counters;
}

int intake_new(struct catalog *catalog, struct store_queue *store_queue, struct intake **ret_intake)
{
	struct intake *in = calloc(1, sizeof(*in));

	if (!in)
		return -ENOMEM;
	in->catalog = catalog;
	in->store_queue = store_queue;
	if (slot_keys_new(INCOMING_BATCH_KEYS_MAX, SLOT_KEYS_HASHES, &in->slot_keys)) {
		free(in);
		return -ENOMEM;
	}
	store_queue_on_settled(store_queue, batch_settled, in);
	*ret_intake = in;
	return 0;
}

void intake_free(struct intake *in)
{
	if (!in)
		return;
	store_queue_on_settled(in->store_queue, NULL, NULL);
	slot_keys_free(in->slot_keys);
	free(in);
}
