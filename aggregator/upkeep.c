#include "aggregator/upkeep.h"

#include "aggregator/base/clock.h"
#include "aggregator/group.h"
#include "collector/core/log.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPIRE_EVERY 6			/* upkeeps: once a minute */
#define LATE_NS 5000000000ll		/* a slice that comes later than this after its slot costs writing its chunk
					 * once more */

/* --- the clock --- */

#define TIME_KEPT "time"		/* the name under which the store keeps the believed time */
#define GAP_LOG_NS 3600000000000ll	/* a shorter gap before a start is not logged */

static void say_leap(const struct aggregator *a, enum leap leap, __s64 ahead_ns)
{
	const char *way = ahead_ns > 0 ? "ahead of" : "behind";
	double s = (double)(ahead_ns > 0 ? ahead_ns : -ahead_ns) / 1e9;

	if (leap == LEAP_BEGUN)
		log_warning("the clock is %.0f s %s the expected time: heatscoped trusts it when it has run evenly "
			"for an hour, and nothing expires by it until then", s, way);
	else if (leap == LEAP_UNDONE)
		log_info("the clock has the expected time again: nothing expired by the wrong time");
	else if (leap == LEAP_BELIEVED)
		log_info("the clock has run evenly for an hour: heatscoped trusts it");
}

void upkeep_begin_time(struct aggregator *a)
{
	char text[32] = "";
	__s64 known_ns = 0, ahead_ns;
	enum leap leap;

	if (!a->store->ops->recall(a->store, TIME_KEPT, text, sizeof(text)))
		known_ns = atoll(text);
	leap = timekeeper_begin(&a->time, known_ns > 0 ? known_ns : catalog_newest_ns(a->services.catalog), now_ns(), boot_ns());
	ahead_ns = timekeeper_ahead(&a->time);
	catalog_set_ahead(a->services.catalog, ahead_ns);
	if (ahead_ns > GAP_LOG_NS || ahead_ns < 0)
		say_leap(a, leap, ahead_ns);
}

void upkeep_follow_clock(struct aggregator *a)
{
	__s64 now = now_ns(), step_ns;
	enum leap leap = timekeeper_update(&a->time, now, boot_ns(), &step_ns);

	catalog_set_ahead(a->services.catalog, timekeeper_ahead(&a->time));
	say_leap(a, leap, timekeeper_ahead(&a->time));
	if (step_ns)
		catalog_stepped(a->services.catalog, step_ns, now);
}

/* --- upkeep: the first job keeps the time and measures the size; the second one expires and compacts all instrumentations, and if
 * it fails for one, it still does the others --- */

struct upkeep_inst {
	__u64 inst;
	__s64 horizon[TIERS], now;	/* slots */
	__s64 kept_from[TIERS], taken_from;
	int err;
};

struct upkeep {
	struct aggregator *a;
	bool trim, expire, leads;
	__u64 until_ms;			/* boot clock: after it another heatscoped may lead */
	char reason[256], size_reason[256];
	int size_err;			/* its size is as it was */
	int err;			/* of the first job */
	__s64 believed_ns, latest_ns;	/* the believed time; the later of it and the wall clock */
	__u64 bytes;			/* of the store, if it can measure them */
	size_t n;
	struct upkeep_inst inst[];
};

static int keep_time(const struct upkeep *u, struct store *store)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)u->believed_ns);
	return store->ops->remember(store, TIME_KEPT, text);
}

/* The lease may have been renewed since, which the worker does not know: the next upkeep does the rest. */
static bool still_leads(const struct upkeep *u)
{
	return u->leads && (__u64)boot_ns() / 1000000 < u->until_ms;
}

/* While one shard is away, the others are tidied. */
static bool is_tidied_apart(const struct upkeep *u, const struct store *store)
{
	return store->ops->shards && still_leads(u);
}

static int measure_work(void *arg, struct store *store)
{
	struct upkeep *u = arg;

	store->now_ns = u->latest_ns;
	u->err = u->expire ? keep_time(u, store) : 0;
	snprintf(u->reason, sizeof(u->reason), "%s", u->err ? store->reason : "");
	if (!u->err && store->ops->size)
		u->size_err = store->ops->size(store, &u->bytes);
	snprintf(u->size_reason, sizeof(u->size_reason), "%s", u->size_err ? store->reason : "");
	if (u->trim)
		malloc_trim(0);
	return u->err;
}

/* An instrumentation that is deleted meanwhile has the same error as a server that is away, which does not answer this. */
static bool is_deleted(struct store *store, int err)
{
	char text[32];

	return err == -EAGAIN && !store->ops->recall(store, TIME_KEPT, text, sizeof(text));
}

static int tidy_work(void *arg, struct store *store)
{
	struct upkeep *u = arg;
	int err = u->err, shrink_err;

	store->now_ns = u->latest_ns;
	for (struct upkeep_inst *i = u->inst; i < u->inst + u->n && !atomic_load(&u->a->upkeep_ends); i++) {
		if (u->expire && still_leads(u))
			i->err = store->ops->expire(store, i->inst, i->horizon);
		if (!i->err && still_leads(u))
			i->err = store->ops->compact(store, i->inst, i->now);
		if (!i->err)
			i->err = store_kept(store, i->inst, i->kept_from);
		if (!i->err)
			i->err = store->ops->oldest(store, i->inst, &i->taken_from);
		if (i->err && !err)
			snprintf(u->reason, sizeof(u->reason), "%s", store->reason);
		if (i->err && is_deleted(store, i->err))
			continue;
		err = err ? err : i->err;
		if (i->err == -EAGAIN && !is_tidied_apart(u, store))	/* it is away for the others, too */
			break;
	}
	shrink_err = (err == -EAGAIN && !is_tidied_apart(u, store)) || !still_leads(u) ? 0 : store->ops->shrink(store);
	if (shrink_err)
		snprintf(u->reason, sizeof(u->reason), "%s", store->reason);
	return shrink_err ? shrink_err : err;
}

/* A store that stays away is logged once. */
static void log_upkeep(struct aggregator *a, int err, const char *reason)
{
	if (err && err != a->upkeep_err)
		log_error("the store could not be tidied: %s", *reason ? reason : strerror(-err));
	if (!err && a->upkeep_err)
		log_info("the store could be tidied again");
	a->upkeep_err = err;
}

static void log_size(struct aggregator *a, int err, const char *reason)
{
	if (err && err != a->size_err)
		log_warning("how large the store is could not be measured: %s", *reason ? reason : strerror(-err));
	a->size_err = err;
}

static void upkeep_end(struct upkeep *u, int err)
{
	u->a->upkeep_busy = false;
	log_upkeep(u->a, err, u->reason);
	free(u);
}

static void tidy_done(void *arg, int err)
{
	struct upkeep *u = arg;

	if (!err)
		log_size(u->a, u->size_err, u->size_reason);
	for (size_t i = 0; i < u->n; i++)
		if (!err || (err != -EAGAIN && !u->inst[i].err))
			catalog_expired(u->a->services.catalog, u->inst[i].inst, u->inst[i].kept_from, u->inst[i].taken_from);
	upkeep_end(u, err);
}

/* A store that keeps no time, as it is full, needs tidying all the more. */
static void measure_done(void *arg, int err)
{
	struct upkeep *u = arg;
	int submit_err;

	u->a->store_bytes = u->bytes ? u->bytes : u->a->store_bytes;
	u->leads = group_leads(u->a);
	u->until_ms = group_leads_until_ms(u->a);
	submit_err = store_queue_submit(u->a->upkeep_queue, tidy_work, tidy_done, u);
	if (submit_err == -ESHUTDOWN)
		free(u);
	else if (submit_err)
		upkeep_end(u, submit_err);
}

static struct upkeep *upkeep_new(struct aggregator *a, __s64 now)
{
	const struct catalog_inst *ci;
	struct upkeep *u;
	size_t n = 0;

	for (ci = catalog_first(a->services.catalog); ci; ci = ci->next)
		n++;
	u = calloc(1, sizeof(*u) + n * sizeof(*u->inst));
	if (!u)
		return NULL;
	u->a = a;
	for (ci = catalog_first(a->services.catalog); ci; ci = ci->next) {
		struct upkeep_inst *i = &u->inst[u->n++];

		*i = (struct upkeep_inst){ .inst = ci->in.id, .now = (now - LATE_NS) / (__s64)ci->in.slot_ns };
		catalog_horizons(a->services.catalog, ci, now, i->horizon);
	}
	return u;
}

static __u64 n_requests(const struct aggregator *a)
{
	__u64 n = 0;

	for (int i = 0; i < 2; i++)
		n += a->http[i] ? http_counters(a->http[i])->requests : 0;
	return n;
}

/* Decides whether to return free memory to the kernel.  While people make requests, the memory that pictures needed is
 * kept for the next one (see memory.h); after the last request it is trimmed. */
static bool is_to_trim(struct aggregator *a)
{
	__u64 n = n_requests(a);
	bool quiet = n == a->n_requests, trim = quiet && !a->is_trimmed;

	a->n_requests = n;
	a->is_trimmed = quiet;
	return trim;
}

void upkeep_run(struct aggregator *a)
{
	struct upkeep *u;

	upkeep_follow_clock(a);
	if (group_leads(a))
		catalog_reap(a->services.catalog, boot_ns());
	u = a->upkeep_busy ? NULL : upkeep_new(a, now_ns());
	if (!u)
		return;
	u->trim = is_to_trim(a);
	u->believed_ns = now_ns() - timekeeper_ahead(&a->time);
	u->latest_ns = catalog_latest_ns(a->services.catalog, now_ns());
	u->expire = group_leads(a) && !a->conf.keep && a->n_upkeeps++ % EXPIRE_EVERY == 0;
	a->upkeep_busy = !store_queue_submit(a->services.store_queue, measure_work, measure_done, u);
	if (!a->upkeep_busy)
		free(u);
}
