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

#define SHARED_MAX 64

struct hello_text {			/* {"hello":{...}  of a value, as collectors write it */
	size_t len;			/* without the outer brace; 0: the value has another form */
	__u64 hash;
};

struct bus_source {
	char name[SOURCE_MAX];
	json_t *hello, *state, *self;	/* as the catalog last took them; NULL: none, gone */
	struct hello_text text;		/* of the hello, while that is not NULL */
	__u64 seen_ms;
};

struct bus_sources {
	struct catalog *catalog;
	bool verbose;
	GHashTable *source;		/* name -> struct bus_source, which it owns */
	json_t *shared;			/* the latest different lists of metrics of hellos */
	size_t n_shared;		/* how many there were */
};

static void source_clear(struct bus_source *s)
{
	json_decref(s->hello);
	json_decref(s->state);
	json_decref(s->self);
	s->hello = s->state = s->self = NULL;
}

static void bus_source_free(void *arg)
{
	source_clear(arg);
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
	if (!s->hello)
		return;
	if (all->verbose)
		log_info("source %s is gone", s->name);
	source_clear(s);
	catalog_bye(all->catalog, s->name, now_ns());
}

/* The metrics of a hello take half a megabyte as JSON.  Most hosts have the same, so these are kept once. */
static void share_metrics(struct bus_sources *all, json_t *hello)
{
	json_t *metrics = json_object_get(hello, "metrics"), *known;
	size_t i;

	json_array_foreach(all->shared, i, known)
		if (json_equal(known, metrics)) {
			json_object_set(hello, "metrics", known);
			return;
		}
	if (json_array_size(all->shared) < SHARED_MAX)
		json_array_append(all->shared, metrics);
	else
		json_array_set(all->shared, all->n_shared % SHARED_MAX, metrics);
	all->n_shared++;
}

static int take_hello(struct bus_sources *all, struct bus_source *s, json_t *hello, char *reason)
{
	const char *name = json_string_value(json_object_get(hello, "source"));
	int err;

	if (s->hello && json_equal(s->hello, hello))
		return 0;
	if (!name || strcmp(name, s->name))
		return refuse(reason, "its hello has the name of another source");
	source_gone(all, s);
	err = catalog_hello(all->catalog, hello, 0, &name, reason);
	if (!err) {
		share_metrics(all, hello);
		s->hello = json_incref(hello);
	}
	if (!err && all->verbose)
		log_info("source %s says hello", s->name);
	return err;
}

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

/* The hello is the first and nearly all of the text, and nearly always the same: 44 kB every 15 s, from each host.  So it
 * is recognised by its hash (FNV-1a) and its end, before anything is parsed. */
static struct hello_text hello_text(const char *text, size_t len)
{
	static const char begin[] = "{\"hello\":{";
	struct hello_text t = { 0, 0xcbf29ce484222325 };
	size_t depth = 1, at = sizeof(begin) - 1;
	bool quoted = false;

	if (len < at || memcmp(text, begin, at))
		return t;
	for (; at < len && depth; at++) {
		t.hash = (t.hash ^ (__u8)text[at]) * 0x100000001b3;
		if (quoted && text[at] == '\\' && at + 1 < len)
			t.hash = (t.hash ^ (__u8)text[++at]) * 0x100000001b3;
		else if (text[at] == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (text[at] == '{') - (text[at] == '}');
	}
	t.len = depth ? 0 : at - 1;
	return t;
}

/* The value without its hello: {"hello":{...},"state":...  ->  {"state":... */
static json_t *load_rest(const char *text, size_t len)
{
	char *rest = malloc(len + 1);
	json_t *json;

	if (!rest)
		return NULL;
	memcpy(rest, text, len);
	rest[0] = '{';
	json = json_loadb(rest, len, JSON_REJECT_DUPLICATES, NULL);
	free(rest);
	return json;
}

static int take_states(struct bus_sources *all, struct bus_source *s, const json_t *json, char *reason)
{
	int err = take_state(all, s, &s->state, json_object_get(json, "state"), reason);

	return err ? err : take_state(all, s, &s->self, json_object_get(json, "self"), reason);
}

/* A value with the hello that was taken before. */
static int take_rest(struct bus_sources *all, struct bus_source *s, const char *text, size_t len, __u64 now_ms, char *reason)
{
	size_t at = 1 + s->text.len;		/* of "," or "}" */
	json_t *json = at < len && text[at] == ',' ? load_rest(text + at, len - at) : json_object();
	int err = json ? take_states(all, s, json, reason) : refuse(reason, "it is not JSON with a hello");

	if (json)
		s->seen_ms = now_ms;
	json_decref(json);
	return err;
}

static int take_whole(struct bus_sources *all, struct bus_source *s, const char *text, size_t len, __u64 now_ms, char *reason)
{
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL), *hello = json_object_get(json, "hello");
	int err = 0;

	if (json_is_true(json_object_get(json, "gone"))) {
		source_gone(all, s);
	} else if (!hello) {
		err = refuse(reason, "it is not JSON with a hello");
	} else {
		s->seen_ms = now_ms;
		err = take_hello(all, s, hello, reason);
		if (!err)
			err = take_states(all, s, json, reason);
	}
	json_decref(json);
	return err;
}

int bus_sources_take(struct bus_sources *all, const char *name, const char *text, size_t len, __u64 now_ms, char reason[REASON_MAX])
{
	struct bus_source *s = source_of(all, name);
	struct hello_text is = hello_text(text, len);
	int err;

	if (!s)
		return no_memory(reason);
	snprintf(reason, REASON_MAX, "no memory");
	if (s->hello && is.len && is.len == s->text.len && is.hash == s->text.hash)
		return take_rest(all, s, text, len, now_ms, reason);
	err = take_whole(all, s, text, len, now_ms, reason);
	s->text = err ? (struct hello_text){ 0 } : is;
	return err;
}

void bus_sources_expire(struct bus_sources *all, __u64 now_ms)
{
	GHashTableIter at;
	void *one;

	g_hash_table_iter_init(&at, all->source);
	while (g_hash_table_iter_next(&at, NULL, &one)) {
		struct bus_source *s = one;

		if (s->hello && now_ms - s->seen_ms > BUS_SOURCE_AGE_S * 1000)
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
	const char *text = s ? json_string_value(json_object_get(s->hello, "incarnation")) : NULL;

	return text ? strtoull(text, NULL, 10) : 0;
}

struct bus_sources *bus_sources_new(struct catalog *catalog, bool verbose)
{
	struct bus_sources *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	*all = (struct bus_sources){ catalog, verbose, g_hash_table_new_full(g_str_hash, g_str_equal, NULL, bus_source_free), json_array(), 0 };
	return all;
}

void bus_sources_free(struct bus_sources *all)
{
	if (!all)
		return;
	g_hash_table_destroy(all->source);
	json_decref(all->shared);
	free(all);
}
