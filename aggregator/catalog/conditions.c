#include "aggregator/catalog/conditions.h"

#include "collector/core/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *condition_word(enum condition condition)
{
	static const char *const word[] = { "doubled", "late", "away", "losing", "clock", "failing", "starting", "reporting", "idle" };

	return word[condition];
}

/* ---- gathering ---- */

struct conditions {
	struct source_condition *list;	/* by name, until it is sorted */
	size_t n, room;
};

static struct source_condition *condition_of(const struct conditions *all, size_t n_sorted, const char *name)
{
	size_t place = array_place(n_sorted, at, strcmp(all->list[at].name, name) < 0);

	return place < n_sorted && !strcmp(all->list[place].name, name) ? &all->list[place] : NULL;
}

static int name_order(const void *a, const void *b)
{
	return strcmp(((const struct source_condition *)a)->name, ((const struct source_condition *)b)->name);
}

static int condition_add(struct conditions *all, const char *name, const struct source *s)
{
	if (array_grow(&all->list, all->n, &all->room, sizeof(*all->list)))
		return -ENOMEM;
	all->list[all->n++] = (struct source_condition){ .name = name, .source = s, .away_ns = s ? s->left_ns : 0 };
	return 0;
}

/* Lists every source that said hello, then those that only the store knows: each once, by name. */
static int gather_names(struct conditions *all, const struct catalog *c)
{
	size_t n_known, kept = 0;
	int err = 0;

	for (const struct source *s = catalog_source_first(c); s && !err; s = s->next)
		err = condition_add(all, s->name, s);
	n_known = all->n;
	for (const struct catalog_inst *ci = catalog_first(c); ci; ci = ci->next)
		for (size_t i = 0; i < ci->n_sightings && !err; i++)
			if (!condition_of(all, n_known, ci->sighting[i].source))
				err = condition_add(all, ci->sighting[i].source, NULL);
	if (err || !all->n)
		return err;
	qsort(all->list, all->n, sizeof(*all->list), name_order);
	for (size_t i = 1; i < all->n; i++)
		if (strcmp(all->list[kept].name, all->list[i].name))
			all->list[++kept] = all->list[i];
	all->n = kept + 1;
	return 0;
}

/* The sighting of each source by an instrumentation, by its place in the list; NULL: none. */
static void gather_sightings(const struct conditions *all, const struct catalog_inst *ci, const struct sighting **ret_seen)
{
	struct source_condition *sc;

	memset(ret_seen, 0, all->n * sizeof(*ret_seen));
	for (size_t i = 0; i < ci->n_sightings; i++) {
		const struct sighting *seen = &ci->sighting[i];
		__s64 end_ns = (seen->slot + 1) * (__s64)ci->in.slot_ns;

		sc = condition_of(all, all->n, seen->source);
		if (!sc)
			continue;
		ret_seen[sc - all->list] = seen;
		sc->until_ns = end_ns > sc->until_ns ? end_ns : sc->until_ns;
		sc->lost = events_add(sc->lost, seen->lost);
		sc->lost_ns = seen->lost_ns > sc->lost_ns ? seen->lost_ns : sc->lost_ns;
	}
}

/* ---- one source and one instrumentation ---- */

static void note_reason(struct source_condition *sc, const struct catalog_inst *ci, const char *reason)
{
	if (!sc->reason[0])
		snprintf(sc->reason, sizeof(sc->reason), "instrumentation %llu (%s.%s): %.150s", (unsigned long long)ci->in.id,
			 ci->in.module, ci->in.stat, reason);
}

/* By how much is it late?  A slot's data come after its end, so its age is up to a slot without being late.  Where the clock of
 * its host is slow, its slots look older than they are. */
static void note_lateness(struct source_condition *sc, const struct catalog_inst *ci, const struct inst_state *state,
			  const struct sighting *seen, __s64 now_ns)
{
	__s64 end_ns = seen ? (seen->slot + 1) * (__s64)ci->in.slot_ns : 0, late_ns;

	if (state->from_ns > end_ns)
		end_ns = state->from_ns;
	late_ns = end_ns ? now_ns - end_ns - (__s64)ci->in.slot_ns : 0;
	if (sc->source->knows_clock && sc->source->clock_ns < 0)
		late_ns += sc->source->clock_ns;
	if (late_ns > (state->partial ? LATE_PARTIAL_NS : LATE_NS) && late_ns > sc->late_ns)
		sc->late_ns = late_ns;
}

static void judge_inst(struct source_condition *sc, const struct catalog_inst *ci, const struct sighting *seen, __s64 now_ns)
{
	const struct offer *o = source_offer(sc->source, ci->in.module, ci->in.stat);
	const struct inst_state *state = source_inst(sc->source, ci->in.id);

	if (ci->in.suspended || ci->off || (!o && !state))
		return;
	if (o && !o->ok) {
		sc->n_failed++;
		note_reason(sc, ci, o->reason);
	} else if (!state) {
		sc->n_pending++;
	} else if (!state->active) {
		sc->n_failed++;
		note_reason(sc, ci, state->reason);
	} else {
		sc->n_partial += state->partial;
		sc->n_active += !state->partial;
		sc->n_pending += !seen;
		if (state->partial)
			note_reason(sc, ci, state->reason);
		note_lateness(sc, ci, state, seen, now_ns);
	}
}

static bool is_clock_off(const struct source *s)
{
	return s->knows_clock && (s->clock_ns > CLOCK_OFF_NS || s->clock_ns < -CLOCK_OFF_NS);
}

static bool is_doubled(const struct source *s, __s64 now_ns)
{
	return s && s->doubled_ns && now_ns - s->doubled_ns < DOUBLED_NS;
}

static enum condition judge(const struct source_condition *sc, __s64 now_ns)
{
	if (is_doubled(sc->source, now_ns))
		return CONDITION_DOUBLED;
	if (!sc->source || !sc->source->n_links)
		return CONDITION_AWAY;
	if (sc->late_ns)
		return CONDITION_LATE;
	if (sc->lost_ns && now_ns - sc->lost_ns < FARE_LOSS_NS)
		return CONDITION_LOSING;
	if (is_clock_off(sc->source))
		return CONDITION_CLOCK;
	if (sc->n_failed || sc->n_partial)
		return CONDITION_FAILING;
	if (sc->n_pending)
		return CONDITION_STARTING;
	return sc->n_active ? CONDITION_REPORTING : CONDITION_IDLE;
}

/* ---- the list ---- */

static __s64 clock_size(const struct source_condition *sc)
{
	__s64 clock_ns = sc->source ? sc->source->clock_ns : 0;

	return clock_ns < 0 ? -clock_ns : clock_ns;
}

/* Of two sources of one condition, the one with the greater urgency comes first. */
static __u64 urgency(const struct source_condition *sc)
{
	switch (sc->condition) {
	case CONDITION_LATE: return (__u64)sc->late_ns;
	case CONDITION_AWAY: return (__u64)(sc->away_ns > 0 ? sc->away_ns : 0);
	case CONDITION_LOSING: return sc->lost;
	case CONDITION_CLOCK: return (__u64)clock_size(sc);
	case CONDITION_FAILING: return sc->n_failed;
	default: return 0;
	}
}

static int urgency_order(const void *a, const void *b)
{
	const struct source_condition *x = a, *y = b;
	__u64 of_x = urgency(x), of_y = urgency(y);

	if (x->condition != y->condition)
		return x->condition < y->condition ? -1 : 1;
	return of_x != of_y ? (of_x > of_y ? -1 : 1) : strcmp(x->name, y->name);
}

static int judge_all(struct conditions *all, const struct catalog *c, __s64 now_ns)
{
	const struct sighting **seen = calloc(all->n + 1, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	for (const struct catalog_inst *ci = catalog_first(c); ci; ci = ci->next) {
		gather_sightings(all, ci, seen);
		for (size_t i = 0; i < all->n; i++)
			if (all->list[i].source && all->list[i].source->n_links)
				judge_inst(&all->list[i], ci, seen[i], now_ns);
	}
	free(seen);
	for (size_t i = 0; i < all->n; i++) {
		struct source_condition *sc = &all->list[i];

		sc->condition = judge(sc, now_ns);
		if (sc->condition == CONDITION_DOUBLED)
			snprintf(sc->reason, sizeof(sc->reason), "two collectors send as %s: each event counts twice; give one of them "
				 "another --source", sc->name);
		if (sc->condition == CONDITION_AWAY && !sc->away_ns)
			sc->away_ns = sc->until_ns;
	}
	return 0;
}

int conditions_list(const struct catalog *c, __s64 now_ns, struct source_condition **ret_list, size_t *ret_n)
{
	struct conditions all = { 0 };
	int err = gather_names(&all, c);

	if (!err)
		err = judge_all(&all, c, now_ns);
	if (err) {
		free(all.list);
		return err;
	}
	if (all.n)
		qsort(all.list, all.n, sizeof(*all.list), urgency_order);
	*ret_list = all.list;
	*ret_n = all.n;
	return 0;
}

/* ---- as JSON ---- */

static json_t *seconds(__s64 ns)
{
	return ns ? json_real((double)ns / 1e9) : json_null();
}

static json_t *condition_json(const struct source_condition *sc)
{
	const struct source *s = sc->source;
	json_t *json = json_pack("{s:s, s:s, s:f, s:o, s:o, s:I, s:o, s:{s:i, s:i, s:i, s:i}, s:s}", "source", sc->name, "state",
				 condition_word(sc->condition), "late", (double)sc->late_ns / 1e9, "away_since", seconds(sc->away_ns), "reported_until",
				 seconds(sc->until_ns), "lost", (json_int_t)sc->lost, "lost_at", seconds(sc->lost_ns), "instrumentations",
				 "active", (int)sc->n_active, "partial", (int)sc->n_partial, "failed", (int)sc->n_failed, "pending", (int)sc->n_pending,
				 "reason", sc->reason);

	json_object_set_new(json, "clock_offset", s && s->n_links && s->knows_clock ? json_real((double)s->clock_ns / 1e9) : json_null());
	json_object_set_new(json, "version", s ? json_string(s->version) : json_null());
	json_object_set_new(json, "kernel", s ? json_string(s->kernel) : json_null());
	json_object_set_new(json, "labels", s ? host_labels_to_json(&s->labels) : json_object());
	return json;
}

json_t *conditions_json(const struct catalog *c, __s64 now_ns)
{
	struct source_condition *list;
	size_t n, n_of[CONDITION_IDLE + 1] = { 0 };
	json_t *sources = json_array(), *counts = json_object();

	if (conditions_list(c, now_ns, &list, &n)) {
		json_decref(sources);
		json_decref(counts);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		n_of[list[i].condition]++;
		json_array_append_new(sources, condition_json(&list[i]));
	}
	for (int i = 0; i <= CONDITION_IDLE; i++)
		json_object_set_new(counts, condition_word((enum condition)i), json_integer((json_int_t)n_of[i]));
	free(list);
	return json_pack("{s:f, s:s, s:o, s:o}", "time", (double)now_ns / 1e9, "version", PACKAGE_VERSION, "counts", counts, "sources", sources);
}
