#include "aggregator/catalog/private.h"

#include "aggregator/catalog/request.h"
#include "aggregator/store/observation.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTS_MAX 1000

static void inst_free(struct catalog_inst *ci)
{
	if (!ci)
		return;
	metric_free(ci->metric);
	catalog_sightings_fini(ci);
	free(ci);
}

int catalog_new(struct store_queue *store_queue, struct cube *cube, size_t cube_slots, struct catalog **ret_catalog)
{
	struct catalog *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->store_queue = store_queue;
	c->cube = cube;
	c->cube_slots = cube_slots;
	if (catalog_sources_init(c)) {
		free(c);
		return -ENOMEM;
	}
	*ret_catalog = c;
	return 0;
}

void catalog_free(struct catalog *c)
{
	struct catalog_inst *ci;

	if (!c)
		return;
	while ((ci = c->first)) {
		c->first = ci->next;
		inst_free(ci);
	}
	catalog_sources_fini(c);
	free(c);
}

void catalog_keep(struct catalog *c)
{
	c->keep = true;
}

void catalog_share(struct catalog *c)
{
	c->is_shared = true;
}

void catalog_file(struct catalog *c, const char *file)
{
	c->file = file;
}

const char *catalog_identity(const struct catalog *c)
{
	return c->identity;
}

const char *catalog_file_name(const struct catalog *c)
{
	return c->file ? c->file : "";
}

/* --- instrumentations --- */

const struct catalog_inst *catalog_first(const struct catalog *c)
{
	return c->first;
}

struct catalog_inst *catalog_inst_of(const struct catalog *c, __u64 id)
{
	struct catalog_inst *ci = c->first;

	while (ci && ci->in.id != id)
		ci = ci->next;
	return ci;
}

const struct catalog_inst *catalog_find(const struct catalog *c, __u64 id)
{
	return catalog_inst_of(c, id);
}

static void inst_link(struct catalog *c, struct catalog_inst *ci)
{
	struct catalog_inst **at = &c->first;

	while (*at && (*at)->in.id < ci->in.id)
		at = &(*at)->next;
	ci->next = *at;
	*at = ci;
	if (ci->in.id > c->newest_id)
		c->newest_id = ci->in.id;
}

/* The newest complete slots, as many as asked for, lie before the slots that still grow or are not settled yet; so the
 * cube holds those, too, and the number is rounded up. */
size_t catalog_cube_slots(const struct catalog *c, const struct instrumentation *in)
{
	__u64 slots = (__u64)in->retention_s * 1000000000 / in->slot_ns;
	__u64 open = (in->granularity_ns + 2000000000) / in->slot_ns + 2;

	return (size_t)((slots < c->cube_slots && !c->keep ? slots : c->cube_slots) + open);
}

/* The store keeps the instrumentation, its metric's field table, and the decomposition as it was requested. */
char *catalog_inst_text(const struct catalog_inst *ci)
{
	json_t *json = json_pack("{s:o, s:o, s:s, s:s}", "instrumentation", instrumentation_to_json(&ci->in), "metric",
				 metric_to_json(ci->metric), "numeric", ci->numeric, "always", ci->configured_name);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

static int inst_parse(const char *text, struct catalog_inst *ci, char *reason)
{
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const char *numeric = json_string_value(json_object_get(json, "numeric"));
	const char *configured_name = json_string_value(json_object_get(json, "always"));
	int err = instrumentation_from_json(json_object_get(json, "instrumentation"), &ci->in, reason);

	if (!err)
		err = metric_parse(json_object_get(json, "metric"), &ci->metric, reason);
	if (!err)
		err = instrumentation_bind(&ci->in, ci->metric, reason);
	snprintf(ci->numeric, sizeof(ci->numeric), "%s", numeric ? numeric : "");
	snprintf(ci->configured_name, sizeof(ci->configured_name), "%s", configured_name ? configured_name : "");
	json_decref(json);
	return err;
}

/* --- loading --- */

struct loading {
	struct catalog *catalog;
	struct catalog_inst *ci;
	__s64 newest;
	int err;
	char *reason;
};

static void load_cover(void *arg, const char *source, __s64 first, __s64 last)
{
	struct loading *l = arg;

	if (last > l->newest)
		l->newest = last;
	if (!l->err)
		l->err = catalog_sight(l->ci, source, first, last);
}

static void load_future(void *arg, const char *source, __s64 first, __s64 last)
{
	struct span *future = arg;

	future->first = first < future->first ? first : future->first;
	future->last = last > future->last ? last : future->last;
}

/* Slots after `now` are not loaded; when the clock is right again, the cube does not answer for them. */
static int leave_future(struct catalog *c, const struct catalog_inst *ci, struct store *store, __s64 now)
{
	struct span future = { INT64_MAX, -1 };
	const struct store_reader reader = { .arg = &future, .cover = load_future };
	const struct store_range range = { .first = now + 1, .last = INT64_MAX / 2, .axis = -1, .weight = -1 };
	int err = store->ops->read(store, ci->in.id, &range, &reader);

	if (!err && future.last >= 0)
		cube_leave(c->cube, ci->in.id, future.first, future.last);
	return err;
}

static void load_inst(void *arg, __u64 inst, const char *text)
{
	struct loading *l = arg;
	struct catalog_inst *ci = calloc(1, sizeof(*ci));
	char why[REASON_MAX] = "no memory";

	if (l->err)
		goto out;
	l->err = ci ? inst_parse(text, ci, why) : -ENOMEM;
	if (l->err) {
		snprintf(l->reason, REASON_MAX, "stored instrumentation %llu cannot be read: %.180s",
			 (unsigned long long)inst, why);
		goto out;
	}
	ci->in.id = inst;
	ci->off = l->catalog->off;
	inst_link(l->catalog, ci);
	l->catalog->n_insts++;
	return;
out:
	inst_free(ci);
}

static int load_data(struct catalog *c, struct catalog_inst *ci, struct store *store, __s64 now_ns)
{
	struct loading l = { .catalog = c, .ci = ci, .newest = -1 };
	const struct store_reader reader = { .arg = &l, .cover = load_cover };
	const struct store_range all = { .first = c->is_shared ? catalog_horizon(c, ci, now_ns) : 0,
					 .last = (now_ns + FUTURE_MAX_NS) / (__s64)ci->in.slot_ns, .axis = -1, .weight = -1 };
	size_t n_slots = catalog_cube_slots(c, &ci->in);
	__s64 first;
	int err = cube_open(c->cube, ci->in.id, n_slots);

	if (!err)
		err = store->ops->read(store, ci->in.id, &all, &reader);
	if (!err)
		err = l.err;
	if (!err)
		err = leave_future(c, ci, store, all.last);
	if (!err)
		err = store_kept(store, ci->in.id, ci->kept_from);
	if (!err)
		err = store->ops->oldest(store, ci->in.id, &ci->taken_from);
	if (!err && c->is_shared)
		cube_leave(c->cube, ci->in.id, 0, all.last);
	if (err || l.newest < 0 || c->is_shared)
		return err;
	first = l.newest - (__s64)n_slots + 1;
	return cube_load(c->cube, ci->in.id, store, first > 0 ? first : 0, l.newest);
}

int catalog_load(struct catalog *c, struct store *store, __s64 now_ns, char *reason)
{
	struct loading l = { .catalog = c, .reason = reason };
	int err = store->ops->identity(store, c->identity);
	char off[8] = "";

	reason[0] = 0;
	if (!err)
		err = store->ops->recall(store, "off", off, sizeof(off));
	c->off = !strcmp(off, "yes");
	if (!err)
		err = store->ops->inst_each(store, load_inst, &l);
	if (!err)
		err = l.err;
	for (struct catalog_inst *ci = c->first; ci && !err; ci = ci->next)
		err = load_data(c, ci, store, now_ns);
	if (err && !reason[0])
		snprintf(reason, REASON_MAX, "what is stored cannot be read: %.200s",
			 store->reason[0] ? store->reason : strerror(-err));
	return err;
}

/* --- creating and deleting --- */

struct making {
	struct catalog *catalog;
	struct catalog_inst *ci;
	catalog_made done;
	void *arg;
};

static int make_work(void *arg, struct store *store)
{
	struct making *m = arg;
	char *text = NULL;
	int err = store->ops->next_id(store, &m->ci->in.id);

	if (!err) {
		text = catalog_inst_text(m->ci);
		err = text ? store_inst_put(store, m->ci->in.id, text) : -ENOMEM;
	}
	free(text);
	return err;
}

static void make_done(void *arg, int err)
{
	struct making *m = arg;
	struct catalog *c = m->catalog;
	int cube_err;

	if (err) {
		inst_free(m->ci);
		m->ci = NULL;
		c->n_insts--;
	} else {
		m->ci->off = c->off;
		m->ci->n_steps = c->n_steps;
		inst_link(c, m->ci);
		cube_err = cube_open(c->cube, m->ci->in.id, catalog_cube_slots(c, &m->ci->in));
		if (cube_err)
			log_error("instrumentation %llu is kept in the store only: %s",
				(unsigned long long)m->ci->in.id, strerror(-cube_err));
		catalog_changed(c, true);
	}
	m->done(m->arg, err, m->ci);
	free(m);
}

/* Explains why no source offers the metric, in the words of a source that refuses. */
static int no_metric(const struct catalog *c, const char *module, const char *stat, char *reason)
{
	const struct offer *o;

	for (const struct source *s = c->sources; s; s = s->next) {
		o = s->n_links ? source_offer(s, module, stat) : NULL;
		if (o && !o->ok)
			return refuse(reason, "no source can measure %s.%s; %s says: %.140s", module, stat, s->name, o->reason);
	}
	return refuse(reason, "\"%s.%s\" is not a valid module/stat pair", module, stat);
}

static int make_inst(struct catalog *c, const json_t *request, __s64 now_ns, struct catalog_inst *ci, char *reason)
{
	const char *module, *stat;
	const struct metric *m;
	int err = request_metric(request, &module, &stat, reason);

	if (err)
		return err;
	m = catalog_metric_find(c, module, stat);
	if (!m)
		return no_metric(c, module, stat, reason);
	err = request_parse(request, m, &ci->in, ci->numeric, reason);
	if (err)
		return err;
	ci->in.crtime_ms = now_ns / 1000000;
	ci->metric = metric_copy(m);
	return ci->metric ? 0 : -ENOMEM;
}

int catalog_create(struct catalog *c, const json_t *request, __s64 now_ns, catalog_made done, void *arg,
		   char *reason)
{
	return catalog_create_configured(c, request, "", now_ns, done, arg, reason);
}

int catalog_create_configured(struct catalog *c, const json_t *request, const char *configured_name, __s64 now_ns, catalog_made done,
			  void *arg, char *reason)
{
	struct making *m;
	int err;

	if (c->n_insts >= INSTS_MAX)
		return refuse(reason, "there are %d instrumentations already, which is the limit", INSTS_MAX);
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	*m = (struct making){ c, calloc(1, sizeof(*m->ci)), done, arg };
	err = m->ci ? make_inst(c, request, now_ns, m->ci, reason) : -ENOMEM;
	if (!err) {
		snprintf(m->ci->configured_name, sizeof(m->ci->configured_name), "%s", configured_name);
		c->n_insts++;
		err = store_queue_submit_write(c->store_queue, make_work, make_done, m);
		c->n_insts -= err != 0;
	}
	if (err) {
		inst_free(m->ci);
		free(m);
	}
	return err;
}

static void inst_forget(struct catalog *c, struct catalog_inst *ci)
{
	struct catalog_inst **at = &c->first;

	while (*at != ci)
		at = &(*at)->next;
	*at = ci->next;
	c->n_insts--;
	for (struct source *s = c->sources; s; s = s->next)
		source_forget(s, ci->in.id);
	cube_drop(c->cube, ci->in.id);
	store_queue_drop(c->store_queue, ci->in.id);
	inst_free(ci);
}

struct deleting {
	struct catalog *catalog;	/* the worker must not touch it */
	__u64 id;
	store_queue_done done;
	void *arg;
};

static int delete_work(void *arg, struct store *store)
{
	struct deleting *d = arg;

	return store_inst_delete(store, d->id);
}

/* Until here it took batches: if the deletion is refused, none of them is lost. */
static void delete_done(void *arg, int err)
{
	struct deleting *d = arg;
	struct catalog_inst *ci = catalog_inst_of(d->catalog, d->id);

	if (err)
		log_error("instrumentation %llu could not be deleted from the store: %s",
			(unsigned long long)d->id, store_queue_error(err));
	if (ci && err) {
		ci->is_going = false;
	} else if (ci) {
		inst_forget(d->catalog, ci);
		catalog_changed(d->catalog, true);
	}
	if (d->done)
		d->done(d->arg, err);
	free(d);
}

int catalog_delete(struct catalog *c, __u64 id, store_queue_done done, void *arg)
{
	struct catalog_inst *ci = catalog_inst_of(c, id);
	struct deleting *d;
	int err;

	if (!ci || ci->is_going)
		return -ENOENT;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	*d = (struct deleting){ c, id, done, arg };
	ci->is_going = true;
	err = store_queue_submit_write(c->store_queue, delete_work, delete_done, d);
	if (err) {
		ci->is_going = false;
		free(d);
	}
	return err;
}

/* --- following another heatscoped --- */

__u64 catalog_newest_id(const struct catalog *c)
{
	return c->newest_id;
}

void catalog_leave(struct catalog *c, __s64 until_ns)
{
	for (const struct catalog_inst *ci = c->first; ci; ci = ci->next)
		cube_leave(c->cube, ci->in.id, 0, until_ns / (__s64)ci->in.slot_ns);
}

/* Its data of before are in the store only. */
static void follow_new(struct catalog *c, struct catalog_inst *ci, __s64 until_ns)
{
	int err;

	c->n_insts++;
	ci->off = c->off;
	ci->n_steps = c->n_steps;
	inst_link(c, ci);
	err = cube_open(c->cube, ci->in.id, catalog_cube_slots(c, &ci->in));
	if (err)
		log_error("instrumentation %llu is kept in the store only: %s", (unsigned long long)ci->in.id, strerror(-err));
	cube_leave(c->cube, ci->in.id, 0, until_ns / (__s64)ci->in.slot_ns);
}

static void follow_change(struct catalog *c, struct catalog_inst *ci, const struct catalog_inst *news)
{
	char *was = catalog_inst_text(ci), *is = catalog_inst_text(news);

	if (was && is && strcmp(was, is))
		catalog_apply_change(c, ci, &news->in, news->configured_name);
	free(was);
	free(is);
}

/* Takes the list. */
static void follow_list(struct catalog *c, struct catalog_inst *list, __s64 until_ns)
{
	for (struct catalog_inst *ci = c->first, *after; ci; ci = after) {
		struct catalog_inst *same = list;

		after = ci->next;
		while (same && same->in.id != ci->in.id)
			same = same->next;
		if (!same)
			inst_forget(c, ci);
	}
	while (list) {
		struct catalog_inst *news = list, *known = catalog_inst_of(c, news->in.id);

		list = news->next;
		if (known) {
			follow_change(c, known, news);
			inst_free(news);
		} else {
			follow_new(c, news, until_ns);
		}
	}
}

int catalog_follow(struct catalog *c, struct store *texts, __s64 until_ns, char *reason)
{
	struct catalog read = { 0 };
	struct loading l = { .catalog = &read, .reason = reason };
	char off[8] = "";
	int err = texts->ops->recall(texts, "off", off, sizeof(off));

	if (!err)
		err = texts->ops->inst_each(texts, load_inst, &l);
	if (!err)
		err = l.err;
	if (err) {
		while (read.first) {
			struct catalog_inst *ci = read.first;

			read.first = ci->next;
			inst_free(ci);
		}
		return err;
	}
	catalog_apply_off(c, !strcmp(off, "yes"));
	follow_list(c, read.first, until_ns);
	catalog_changed(c, true);
	return 0;
}

/* --- retention --- */

__s64 catalog_newest_ns(const struct catalog *c)
{
	__s64 newest_ns = 0;

	for (const struct catalog_inst *ci = c->first; ci; ci = ci->next)
		for (size_t i = 0; i < ci->n_sightings; i++) {
			__s64 end_ns = (ci->sighting[i].slot + 1) * (__s64)ci->in.slot_ns;

			newest_ns = end_ns > newest_ns ? end_ns : newest_ns;
		}
	return newest_ns;
}

void catalog_set_ahead(struct catalog *c, __s64 ahead_ns)
{
	c->ahead_ns = ahead_ns;
}

__s64 catalog_latest_ns(const struct catalog *c, __s64 now_ns)
{
	return c->ahead_ns < 0 ? now_ns - c->ahead_ns : now_ns;
}

/* Returns the earlier of now_ns and the believed time. */
static __s64 earliest_ns(const struct catalog *c, __s64 now_ns)
{
	return c->ahead_ns > 0 ? now_ns - c->ahead_ns : now_ns;
}

/* Forgets the slots in the future that sources reported, so that we do not wait for these sources. */
static void inst_set_back(struct catalog *c, struct catalog_inst *ci, __s64 now_ns)
{
	__s64 now = now_ns / (__s64)ci->in.slot_ns, latest = (now_ns + FUTURE_MAX_NS) / (__s64)ci->in.slot_ns;

	for (struct sighting *s = ci->sighting; s < ci->sighting + ci->n_sightings; s++) {
		s->slot = s->slot > latest ? now : s->slot;
		s->first = s->first > latest ? now : s->first;
	}
	cube_set_back(c->cube, ci->in.id, now);
}

void catalog_stepped(struct catalog *c, __s64 step_ns, __s64 now_ns)
{
	c->step_ns = step_ns;
	c->n_steps++;
	for (struct source *s = c->sources; s; s = s->next)
		s->clock_ns -= step_ns;
	for (struct catalog_inst *ci = c->first; ci && step_ns < 0; ci = ci->next)
		inst_set_back(c, ci, now_ns);
}

__s64 catalog_take_step(struct catalog *c, __u64 inst)
{
	struct catalog_inst *ci = catalog_inst_of(c, inst);

	if (!ci || ci->n_steps == c->n_steps)
		return 0;
	ci->n_steps = c->n_steps;
	return c->step_ns;
}

void catalog_return_step(struct catalog *c, __u64 inst)
{
	struct catalog_inst *ci = catalog_inst_of(c, inst);

	if (ci)
		ci->n_steps = c->n_steps - 1;
}

__s64 catalog_horizon(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns)
{
	__s64 from_ns = earliest_ns(c, now_ns) - (__s64)ci->in.retention_s * 1000000000;

	return c->keep || from_ns < 0 ? 0 : from_ns / (__s64)ci->in.slot_ns;
}

void catalog_horizons(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns, __s64 ret_slot[TIERS])
{
	for (int tier = 0; tier < TIERS; tier++) {
		__s64 from_ns = earliest_ns(c, now_ns) - (__s64)instrumentation_kept_s(&ci->in, tier) * 1000000000;

		ret_slot[tier] = c->keep || from_ns < 0 ? 0 : from_ns / (__s64)ci->in.slot_ns;
	}
}

void catalog_expired(struct catalog *c, __u64 inst, const __s64 kept_from[TIERS], __s64 taken_from)
{
	struct catalog_inst *ci = catalog_inst_of(c, inst);
	__s64 first, newest, slot = kept_from[0];

	if (!ci)
		return;
	memcpy(ci->kept_from, kept_from, sizeof(ci->kept_from));
	ci->taken_from = taken_from;
	catalog_unsight(ci, slot);
	/* A slot of the cube that is partly too old goes when newer slots come; queries do not read it before that. */
	if (cube_range(c->cube, inst, &first, &newest) || newest >= slot)
		return;
	cube_drop(c->cube, inst);
	cube_open(c->cube, inst, catalog_cube_slots(c, &ci->in));
}

json_t *catalog_want(const struct catalog *c)
{
	json_t *list = json_array();

	for (const struct catalog_inst *ci = c->first; ci; ci = ci->next)
		if (!ci->in.suspended && !c->off)
			json_array_append_new(list, instrumentation_to_json(&ci->in));
	return json_pack("{s:s, s:o}", "aggregator", c->identity, "instrumentations", list);
}
