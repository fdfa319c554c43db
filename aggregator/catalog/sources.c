#include "aggregator/catalog/private.h"

#include "collector/core/array.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX 100000		/* of 8 kB each: 0.8 GB */
#define SHARED_MAX 64			/* kinds of hosts: version, kernel, labels */

/* The metrics that sources and instrumentations have, collected when they are asked for after a change: a fleet that
 * connects says ten thousand hellos, and each would collect those of all. */
struct metric_list {
	bool is_collected;
	const struct metric **metric;	/* borrowed from sources, instrumentations and `merged` */
	size_t n_metrics;
	struct metric **merged;		/* our own: one metric that sources offer with different fields */
	size_t n_merged;
};

/* --- observers, and the list of metrics --- */

static bool metric_is(const struct metric *m, const char *module, const char *stat)
{
	return !strcmp(m->module, module) && !strcmp(m->stat, stat);
}

static size_t metrics_most(const struct catalog *c)
{
	size_t n = c->n_insts;

	for (const struct source *s = c->sources; s; s = s->next)
		n += s->n_offers;
	return n;
}

static int metric_order(const void *a, const void *b)
{
	const struct metric *x = *(const struct metric *const *)a, *y = *(const struct metric *const *)b;
	int order = strcmp(x->module, y->module);

	return order ? order : strcmp(x->stat, y->stat);
}

/* Returns its place in the list; n_metrics: not in the list. */
static size_t metric_place(const struct metric_list *l, const struct metric *m)
{
	size_t i = 0;

	while (i < l->n_metrics && !metric_is(l->metric[i], m->module, m->stat))
		i++;
	return i;
}

static bool metric_has_all(const struct metric *m, const struct metric *other)
{
	for (size_t i = 0; i < other->n_fields; i++)
		if ((i >= m->n_fields || strcmp(m->field[i].name, other->field[i].name)) && !metric_field(m, other->field[i].name))
			return false;
	return true;
}

/* Replaces a borrowed metric with a copy that may be changed. */
static struct metric *metric_own(struct metric_list *l, size_t place)
{
	for (size_t i = 0; i < l->n_merged; i++)
		if (l->merged[i] == l->metric[place])
			return l->merged[i];
	l->merged[l->n_merged] = metric_copy(l->metric[place]);
	if (!l->merged[l->n_merged])
		return NULL;
	l->metric[place] = l->merged[l->n_merged];
	return l->merged[l->n_merged++];
}

/* Adds a further source's, or instrumentation's, form of a metric: the fields that the others lack.  Without memory it does not add them. */
static void metric_offered(struct metric_list *l, const struct metric *m)
{
	size_t place = metric_place(l, m);
	struct metric *own;

	if (place == l->n_metrics) {
		l->metric[l->n_metrics++] = m;
	} else if (!metric_has_all(l->metric[place], m)) {
		own = metric_own(l, place);
		if (own)
			metric_add_fields(own, m);
	}
}

static void uncollect(struct metric_list *l)
{
	for (size_t i = 0; i < l->n_merged; i++)
		metric_free(l->merged[i]);
	free(l->merged);
	free(l->metric);
	*l = (struct metric_list){ 0 };
}

/* A metric has the fields of all connected sources that can measure it; without such a source, the fields that its
 * instrumentations were made with.  Without memory there are no metrics. */
static const struct metric_list *collect(const struct catalog *c)
{
	struct metric_list *l = c->metrics;
	const struct offer *before = NULL;
	size_t most, n_offered;

	if (l->is_collected)
		return l;
	most = metrics_most(c) + 1;
	uncollect(l);
	l->metric = calloc(most, sizeof(*l->metric));
	l->merged = calloc(most, sizeof(*l->merged));
	if (!l->metric || !l->merged)
		return l;
	for (const struct source *s = c->sources; s; s = s->next) {
		for (size_t i = 0; s->n_links && s->offer != before && i < s->n_offers; i++)
			if (s->offer[i].ok)
				metric_offered(l, s->offer[i].metric);
		before = s->n_links ? s->offer : before;	/* shared: those of the source before it */
	}
	n_offered = l->n_metrics;
	for (const struct catalog_inst *ci = c->first; ci; ci = ci->next)
		if (metric_place(l, ci->metric) >= n_offered)
			metric_offered(l, ci->metric);
	qsort(l->metric, l->n_metrics, sizeof(*l->metric), metric_order);
	l->is_collected = true;
	return l;
}

void catalog_changed(struct catalog *c, bool wanted)
{
	struct catalog_observer *o, *after;

	c->metrics->is_collected = false;
	for (o = c->observers; o; o = after) {
		after = o->next;
		o->changed(o->arg, wanted);
	}
}

void catalog_observe(struct catalog *c, struct catalog_observer *o)
{
	o->next = c->observers;
	c->observers = o;
}

void catalog_unobserve(struct catalog *c, struct catalog_observer *o)
{
	struct catalog_observer **at = &c->observers;

	while (*at && *at != o)
		at = &(*at)->next;
	if (*at)
		*at = o->next;
}

const struct metric *catalog_metric(const struct catalog *c, size_t index)
{
	const struct metric_list *l = collect(c);

	return index < l->n_metrics ? l->metric[index] : NULL;
}

const struct metric *catalog_metric_find(const struct catalog *c, const char *module, const char *stat)
{
	const struct metric_list *l = collect(c);

	for (size_t i = 0; i < l->n_metrics; i++)
		if (metric_is(l->metric[i], module, stat))
			return l->metric[i];
	return NULL;
}

/* --- sources --- */

const struct source *catalog_source_first(const struct catalog *c)
{
	return c->sources;
}

static int name_order(const void *a, const void *b, void *unused)
{
	return strcmp(a, b);
}

int catalog_sources_init(struct catalog *c)
{
	c->metrics = calloc(1, sizeof(*c->metrics));
	if (!c->metrics)
		return -ENOMEM;
	c->source_of = g_tree_new_full(name_order, NULL, NULL, NULL);
	c->offers = g_ptr_array_new_with_free_func((GDestroyNotify)offers_let_go);
	return 0;
}

void catalog_sources_fini(struct catalog *c)
{
	struct source *s;

	while ((s = c->sources)) {
		c->sources = s->next;
		source_free(s);
	}
	uncollect(c->metrics);
	free(c->metrics);
	g_ptr_array_unref(c->offers);
	g_tree_destroy(c->source_of);
}

static struct source *source_find(const struct catalog *c, const char *name)
{
	return g_tree_lookup(c->source_of, name);
}

const struct host_labels *catalog_labels(const struct catalog *c, const char *source)
{
	const struct source *s = source_find(c, source);

	return s ? &s->labels : NULL;
}

static void source_link(struct catalog *c, struct source *s)
{
	GTreeNode *before = g_tree_node_previous(g_tree_insert_node(c->source_of, s->name, s));
	struct source **at = before ? &((struct source *)g_tree_node_value(before))->next : &c->sources;

	s->next = *at;
	*at = s;
	c->n_sources++;
}

static void share_offers(struct catalog *c, struct source *s)
{
	for (guint i = 0; i < c->offers->len; i++)
		if (source_share(s, c->offers->pdata[i]))
			return;
	if (c->offers->len == SHARED_MAX)
		g_ptr_array_remove_index(c->offers, 0);
	g_ptr_array_add(c->offers, offers_use(s->offer));
}

static void clock_note(struct source *s, __s64 offset_ns)
{
	if (!s->knows_clock || offset_ns > s->clock_ns)
		s->clock_ns = offset_ns;
	s->knows_clock = true;
}

int catalog_hello(struct catalog *c, const json_t *hello, __s64 now_ns, const char **ret_name, char *reason)
{
	struct source *news, *s;
	int err = source_hello(hello, &news, reason);

	if (err)
		return err;
	s = source_find(c, news->name);
	if (!s && c->n_sources >= SOURCES_MAX) {
		source_free(news);
		return refuse(reason, "there are %d sources already, which is the limit", SOURCES_MAX);
	}
	share_offers(c, news);
	if (s) {
		source_renew(s, news);
		source_free(news);
	} else {
		source_link(c, s = news);
	}
	s->n_links++;
	if (s->hello_ns > 0 && now_ns)
		clock_note(s, s->hello_ns - now_ns);
	*ret_name = s->name;
	catalog_changed(c, false);
	return 0;
}

int catalog_state(struct catalog *c, const char *source, const json_t *state, char *reason)
{
	struct source *s = source_find(c, source);
	int err = s ? source_state(s, state, reason) : -ENOENT;

	if (!err && !json_object_get(state, "self"))	/* which comes often, and changes no instrumentation */
		catalog_changed(c, false);
	return err;
}

void catalog_bye(struct catalog *c, const char *source, __s64 now_ns)
{
	struct source *s = source_find(c, source);

	if (!s || !s->n_links)
		return;
	if (!--s->n_links)
		s->left_ns = now_ns;
	catalog_changed(c, false);
}

void catalog_clock(struct catalog *c, const char *source, __u64 incarnation, __s64 host_ns, bool is_set, __s64 now_ns)
{
	struct source *s = source_find(c, source);

	if (!s || s->incarnation != incarnation || !s->hello_ns)
		return;
	s->knows_clock = s->knows_clock && !is_set;
	clock_note(s, host_ns - now_ns);
}

static void note_slot(struct source *s, __u64 incarnation, __s64 begin_ns, __s64 now_ns)
{
	if (s->incarnation == incarnation) {
		s->begun_ns = begin_ns > s->begun_ns ? begin_ns : s->begun_ns;
		s->sent_ns = now_ns;
	} else if (!s->other_ns || s->other != incarnation || begin_ns < s->other_ns) {
		s->other = incarnation;
		s->other_ns = begin_ns;
	}
}

void catalog_sent(struct catalog *c, const char *source, __u64 incarnation, __s64 begin_ns, __s64 now_ns)
{
	struct source *s = source_find(c, source);

	if (!s || !s->hello_ns || begin_ns <= s->hello_ns)
		return;
	note_slot(s, incarnation, begin_ns, now_ns);
	if (!s->other_ns || s->begun_ns <= s->other_ns || now_ns - s->sent_ns >= DOUBLED_NS)
		return;
	if (!s->doubled_ns || now_ns - s->doubled_ns >= DOUBLED_NS)
		log_warning("two collectors send as %s: each of its events counts twice; give one of them another --source", source);
	s->doubled_ns = now_ns;
}

static struct sighting *sighting_of(const struct catalog_inst *ci, const char *source)
{
	size_t place = name_index_find(&ci->sighting_of, source);

	return place == NAME_INDEX_NONE ? NULL : &ci->sighting[place];
}

const struct sighting *catalog_sighting(const struct catalog_inst *ci, const char *source)
{
	return sighting_of(ci, source);
}

int catalog_sight(struct catalog_inst *ci, const char *source, __s64 first, __s64 last)
{
	struct sighting *seen = sighting_of(ci, source);

	if (seen) {
		seen->first = first < seen->first ? first : seen->first;
		seen->slot = last > seen->slot ? last : seen->slot;
		return 0;
	}
	if (array_grow(&ci->sighting, ci->n_sightings, &ci->sightings_room, sizeof(*ci->sighting)))
		return -ENOMEM;
	ci->sighting[ci->n_sightings] = (struct sighting){ .first = first, .slot = last };
	snprintf(ci->sighting[ci->n_sightings].source, SOURCE_MAX, "%s", source);
	name_index_put(&ci->sighting_of, source, ci->n_sightings++);
	return 0;
}

void catalog_sightings_fini(struct catalog_inst *ci)
{
	free(ci->sighting);
	name_index_fini(&ci->sighting_of);
}

void catalog_unsight(struct catalog_inst *ci, __s64 slot)
{
	size_t kept = 0;

	for (size_t i = 0; i < ci->n_sightings; i++)
		if (ci->sighting[i].slot >= slot)
			ci->sighting[kept++] = ci->sighting[i];
	for (size_t i = 0; i < kept; i++)
		if (ci->sighting[i].first < slot)
			ci->sighting[i].first = slot;
	if (kept == ci->n_sightings)
		return;
	ci->n_sightings = kept;
	name_index_fini(&ci->sighting_of);
	for (size_t i = 0; i < kept; i++)
		name_index_put(&ci->sighting_of, ci->sighting[i].source, i);
}

void catalog_seen(struct catalog *c, __u64 inst, const char *source, __s64 slot)
{
	struct catalog_inst *ci = catalog_inst_of(c, inst);
	struct catalog_observer *o, *after;

	if (!ci)
		return;
	catalog_sight(ci, source, slot, slot);	/* without memory, it does not count as a source once it is
						 * disconnected */
	for (o = c->observers; o; o = after) {
		after = o->next;
		if (o->seen)
			o->seen(o->arg, inst);
	}
}

void catalog_lost(struct catalog *c, __u64 inst, const char *source, __u64 n, __s64 now_ns)
{
	struct catalog_inst *ci = catalog_inst_of(c, inst);
	struct sighting *seen = ci ? sighting_of(ci, source) : NULL;

	if (!seen || !n)
		return;
	seen->lost = events_add(seen->lost, n);
	seen->lost_ns = now_ns;
}

const char *catalog_fare_word(enum fare fare)
{
	static const char *const word[] = { "none", "pending", "active", "partial", "failed", "gone", "suspended" };

	return word[fare];
}

/* Its programs run, but the first slot that it counts has not begun.  If the start is further away, it comes from
 * another clock. */
static bool fare_is_early(const struct catalog_inst *ci, const struct inst_state *state, __s64 now_ns)
{
	return state->active && state->from_ns > now_ns && state->from_ns - now_ns <= (__s64)ci->in.slot_ns;
}

/* How well a connected source that can measure it does so. */
static enum fare fare_now(const struct catalog_inst *ci, const struct source *s, __s64 now_ns, char *reason)
{
	const struct inst_state *state = source_inst(s, ci->in.id);
	const struct sighting *seen = sighting_of(ci, s->name);

	if (ci->in.suspended || ci->off)
		return FARE_SUSPENDED;
	if (!state || fare_is_early(ci, state, now_ns))
		return FARE_PENDING;
	snprintf(reason, REASON_MAX, "%s", state->reason);
	if (!state->active || state->partial)
		return state->active ? FARE_PARTIAL : FARE_FAILED;
	if (!seen || !seen->lost_ns || now_ns - seen->lost_ns >= FARE_LOSS_NS)
		return FARE_ACTIVE;
	snprintf(reason, REASON_MAX, "events were lost within the last minute; %llu since this server's start",
		 (unsigned long long)seen->lost);
	return FARE_PARTIAL;
}

enum fare catalog_fare(const struct catalog_inst *ci, const struct source *s, __s64 now_ns, char *reason)
{
	const struct offer *o = source_offer(s, ci->in.module, ci->in.stat);

	reason[0] = 0;
	if (!s->n_links)
		return o || sighting_of(ci, s->name) ? FARE_GONE : FARE_NONE;
	if (!o && !source_inst(s, ci->in.id))
		return FARE_NONE;
	if (!o || o->ok)
		return fare_now(ci, s, now_ns, reason);
	snprintf(reason, REASON_MAX, "%s", o->reason);
	return FARE_FAILED;
}

static bool fare_can(enum fare fare)
{
	return fare == FARE_PENDING || fare == FARE_ACTIVE || fare == FARE_PARTIAL || fare == FARE_SUSPENDED;
}

__u32 catalog_n_sources(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns)
{
	__s64 horizon = catalog_horizon(c, ci, now_ns);
	char reason[REASON_MAX];
	const struct source *s;
	__u32 n = 0;

	for (size_t i = 0; i < ci->n_sightings; i++) {
		s = source_find(c, ci->sighting[i].source);
		n += (!s || !s->n_links) && ci->sighting[i].slot >= horizon;
	}
	for (s = c->sources; s; s = s->next)
		n += s->n_links && fare_can(catalog_fare(ci, s, now_ns, reason));
	return n;
}

bool catalog_reported(const struct catalog *c, const struct catalog_inst *ci, __s64 slot, __s64 now_ns)
{
	__s64 silent = SILENT_NS / (__s64)ci->in.slot_ns;
	char reason[REASON_MAX];

	for (size_t i = 0; i < ci->n_sightings; i++) {
		const struct sighting *seen = &ci->sighting[i];
		const struct source *s;
		enum fare fare;

		if (seen->slot >= slot || seen->slot < slot - silent)
			continue;	/* the usual case; this is checked at every report, for every waiting request */
		s = source_find(c, seen->source);
		fare = s ? catalog_fare(ci, s, now_ns, reason) : FARE_NONE;
		if (fare == FARE_ACTIVE || fare == FARE_PARTIAL)
			return false;
	}
	return true;
}
