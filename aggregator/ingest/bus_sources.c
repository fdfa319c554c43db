#include "aggregator/ingest/bus_sources.h"

#include "aggregator/base/clock.h"
#include "collector/bus/subjects.h"
#include "collector/core/log.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bus_source {
	char name[SOURCE_MAX];
	bool is_here;
	__u64 hello, incarnation;	/* of a source that is here: the hash and the incarnation of its hello */
	__u64 refused, refused_ms;	/* the hash of a hello that was refused, and when; 0: none */
	__u64 asked_ms;			/* since when its hello is not known; 0: it is */
	bool is_missed;			/* the log says that it does not come */
	json_t *state, *self;		/* as the catalog last took them; NULL: none */
	__u64 seen_ms;
};

struct bus_sources {
	struct catalog *catalog;
	bool verbose;
	GHashTable *source;		/* name -> struct bus_source, which it owns */
};

static void forget_states(struct bus_source *s)
{
	json_decref(s->state);
	json_decref(s->self);
	s->state = s->self = NULL;
}

static void bus_source_free(void *arg)
{
	forget_states(arg);
	free(arg);
}

static struct bus_source *source_of(struct bus_sources *all, const char *name)
{
	struct bus_source *s = g_hash_table_lookup(all->source, name);

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	snprintf(s->name, sizeof(s->name), "%s", name);
	g_hash_table_insert(all->source, s->name, s);
	return s;
}

static void source_gone(struct bus_sources *all, struct bus_source *s)
{
	if (!s->is_here)
		return;
	if (all->verbose)
		log_info("source %s is gone", s->name);
	s->is_here = false;
	forget_states(s);
	catalog_bye(all->catalog, s->name, now_ns());
}

/* --- hellos --- */

static int take_hello(struct bus_sources *all, struct bus_source *s, const json_t *hello, char *reason)
{
	const char *name = json_string_value(json_object_get(hello, "source"));
	const char *incarnation = json_string_value(json_object_get(hello, "incarnation"));
	int err;

	if (!name || strcmp(name, s->name))
		return refuse(reason, "it is no hello of this source");
	err = catalog_hello(all->catalog, hello, 0, &name, reason);
	if (err)
		return err;
	if (s->is_here)
		catalog_bye(all->catalog, s->name, now_ns());	/* the one before */
	else if (all->verbose)
		log_info("source %s says hello", s->name);
	forget_states(s);
	s->is_here = true;
	s->incarnation = incarnation ? strtoull(incarnation, NULL, 10) : 0;
	return 0;
}

int bus_sources_hello(struct bus_sources *all, const char *name, const char *text, size_t len, __u64 now_ms,
		      char reason[REASON_MAX])
{
	struct bus_source *s = source_of(all, name);
	__u64 hash = hello_hash(text, len);
	json_t *json;
	int err = 0;

	if (!s)
		return no_memory(reason);
	if (!s->is_here || hash != s->hello) {
		json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
		err = take_hello(all, s, json, reason);
		json_decref(json);
	}
	s->asked_ms = 0;
	s->is_missed = false;
	s->refused = err == -EINVAL ? hash : 0;
	s->refused_ms = now_ms;
	if (err)
		return err;
	s->hello = hash;
	s->seen_ms = now_ms;
	return 0;
}

/* --- presence --- */

/* kept: the state of this kind that was last taken. */
static int take_state(struct bus_sources *all, const struct bus_source *s, json_t **kept, json_t *state, char *reason)
{
	int err;

	if (!state || (*kept && json_equal(*kept, state)))
		return 0;
	err = catalog_state(all->catalog, s->name, state, reason);
	if (err)
		return err;
	json_decref(*kept);
	*kept = json_incref(state);
	return 0;
}

#define REFUSED_MS 600000		/* a hello that was refused is asked for again after that */
#define MISSED_MS 60000

/* Returns whether to ask for the hello that its presence names. */
static int ask_for(struct bus_source *s, __u64 hello, __u64 now_ms)
{
	if (s->refused && hello == s->refused && now_ms - s->refused_ms < REFUSED_MS)
		return 0;
	if (!s->asked_ms)
		s->asked_ms = now_ms;
	if (!s->is_missed && now_ms - s->asked_ms >= MISSED_MS) {
		s->is_missed = true;
		log_warning("%s does not send its hello, though it is asked for it: may its user of the bus publish "
			    "$KV.heatscope_hellos.%s?", s->name, s->name);
	}
	return 1;
}

static int take_presence(struct bus_sources *all, struct bus_source *s, const json_t *json, __u64 now_ms, char *reason)
{
	const char *text = json_string_value(json_object_get(json, "hello"));
	int err;

	if (json_is_true(json_object_get(json, "gone"))) {
		source_gone(all, s);
		return 0;
	}
	if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return refuse(reason, "it does not name a hello");
	s->seen_ms = now_ms;
	if (!s->is_here || strtoull(text, NULL, 16) != s->hello)
		return ask_for(s, strtoull(text, NULL, 16), now_ms);
	err = take_state(all, s, &s->state, json_object_get(json, "state"), reason);
	return err ? err : take_state(all, s, &s->self, json_object_get(json, "self"), reason);
}

int bus_sources_take(struct bus_sources *all, const char *name, const char *text, size_t len, __u64 now_ms, char reason[REASON_MAX])
{
	struct bus_source *s = source_of(all, name);
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	int err;

	snprintf(reason, REASON_MAX, "no memory");
	err = s ? take_presence(all, s, json, now_ms, reason) : -ENOMEM;
	json_decref(json);
	return err;
}

void bus_sources_expire(struct bus_sources *all, __u64 now_ms)
{
	GHashTableIter at;
	void *one;

	g_hash_table_iter_init(&at, all->source);
	while (g_hash_table_iter_next(&at, NULL, &one)) {
		struct bus_source *s = one;

		if (s->is_here && now_ms - s->seen_ms > BUS_SOURCE_AGE_S * 1000)
			source_gone(all, s);
	}
}

void bus_sources_renew(struct bus_sources *all, __u64 now_ms)
{
	GHashTableIter at;
	void *one;

	g_hash_table_iter_init(&at, all->source);
	while (g_hash_table_iter_next(&at, NULL, &one))
		((struct bus_source *)one)->seen_ms = now_ms;
}

__u64 bus_sources_incarnation(const struct bus_sources *all, const char *name)
{
	const struct bus_source *s = g_hash_table_lookup(all->source, name);

	return s && s->is_here ? s->incarnation : 0;
}

struct bus_sources *bus_sources_new(struct catalog *catalog, bool verbose)
{
	struct bus_sources *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	*all = (struct bus_sources){ catalog, verbose, g_hash_table_new_full(g_str_hash, g_str_equal, NULL, bus_source_free) };
	return all;
}

void bus_sources_free(struct bus_sources *all)
{
	if (!all)
		return;
	g_hash_table_destroy(all->source);
	free(all);
}
