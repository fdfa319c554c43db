#include "catalog_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX 4096

int catalog_refuse(char *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, REASON_MAX, format, args);
	va_end(args);
	return -EINVAL;
}

/* --- observers, and what is derived --- */

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

static void metric_list(struct catalog *c, const struct metric *m)
{
	if (!catalog_metric_find(c, m->module, m->stat))
		c->metric[c->n_metrics++] = m;
}

/* The newest word on a metric is a connected source's, then the instrumentation's own. */
int catalog_collect(struct catalog *c)
{
	const struct metric **room = calloc(metrics_most(c) + 1, sizeof(*room));

	free(c->metric);
	c->metric = room;
	c->n_metrics = 0;
	if (!room)
		return -ENOMEM;
	for (const struct source *s = c->sources; s; s = s->next)
		for (size_t i = 0; s->n_links && i < s->n_offers; i++)
			if (s->offer[i].ok)
				metric_list(c, s->offer[i].metric);
	for (const struct catalog_inst *ci = c->first; ci; ci = ci->next)
		metric_list(c, ci->metric);
	qsort(c->metric, c->n_metrics, sizeof(*c->metric), metric_order);
	return 0;
}

void catalog_changed(struct catalog *c, bool wanted)
{
	struct catalog_observer *o, *after;

	catalog_collect(c);
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
	return index < c->n_metrics ? c->metric[index] : NULL;
}

const struct metric *catalog_metric_find(const struct catalog *c, const char *module, const char *stat)
{
	for (size_t i = 0; i < c->n_metrics; i++)
		if (metric_is(c->metric[i], module, stat))
			return c->metric[i];
	return NULL;
}

/* --- sources --- */

const struct source *catalog_source_first(const struct catalog *c)
{
	return c->sources;
}

static struct source *source_find(const struct catalog *c, const char *name)
{
	struct source *s = c->sources;

	while (s && strcmp(s->name, name))
		s = s->next;
	return s;
}

const struct source *catalog_source_find(const struct catalog *c, const char *name)
{
	return source_find(c, name);
}

static void source_link(struct catalog *c, struct source *s)
{
	struct source **at = &c->sources;

	while (*at && strcmp((*at)->name, s->name) < 0)
		at = &(*at)->next;
	s->next = *at;
	*at = s;
	c->n_sources++;
}

int catalog_hello(struct catalog *c, const json_t *hello, const char **ret_name, char *reason)
{
	struct source *news, *s;
	int err = source_hello(hello, &news, reason);

	if (err)
		return err;
	s = source_find(c, news->name);
	if (!s && c->n_sources >= SOURCES_MAX) {
		source_free(news);
		return catalog_refuse(reason, "there are %d sources already, which is the limit", SOURCES_MAX);
	}
	if (s) {
		source_renew(s, news);
		source_free(news);
	} else {
		source_link(c, s = news);
	}
	s->n_links++;
	*ret_name = s->name;
	catalog_changed(c, false);
	return 0;
}

int catalog_state(struct catalog *c, const char *source, const json_t *state, char *reason)
{
	struct source *s = source_find(c, source);
	int err = s ? source_state(s, state, reason) : -ENOENT;

	if (!err)
		catalog_changed(c, false);
	return err;
}

void catalog_bye(struct catalog *c, const char *source)
{
	struct source *s = source_find(c, source);

	if (!s || !s->n_links)
		return;
	s->n_links--;
	catalog_changed(c, false);
}

int catalog_sight(struct catalog_inst *ci, const char *source, __s64 slot)
{
	struct sighting *grown;

	for (size_t i = 0; i < ci->n_sightings; i++)
		if (!strcmp(ci->sighting[i].source, source)) {
			if (slot > ci->sighting[i].slot)
				ci->sighting[i].slot = slot;
			return 0;
		}
	grown = realloc(ci->sighting, (ci->n_sightings + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	ci->sighting = grown;
	snprintf(grown[ci->n_sightings].source, SOURCE_MAX, "%s", source);
	grown[ci->n_sightings++].slot = slot;
	return 0;
}

void catalog_seen(struct catalog *c, __u64 inst, const char *source, __s64 slot)
{
	struct catalog_inst *ci = catalog_inst_of(c, inst);

	/* Without memory the source is merely not counted while it is away. */
	if (ci)
		catalog_sight(ci, source, slot);
}

__u32 catalog_n_sources(const struct catalog *c, const struct catalog_inst *ci, __s64 now_ns)
{
	__s64 horizon = catalog_horizon(c, ci, now_ns);
	const struct source *s;
	const struct offer *o;
	__u32 n = 0;

	for (size_t i = 0; i < ci->n_sightings; i++)
		n += ci->sighting[i].slot >= horizon;
	for (s = c->sources; s; s = s->next) {
		size_t i = 0;

		o = s->n_links ? source_offer(s, ci->in.module, ci->in.stat) : NULL;
		if (!o || !o->ok)
			continue;
		while (i < ci->n_sightings && strcmp(ci->sighting[i].source, s->name))
			i++;
		n += i == ci->n_sightings || ci->sighting[i].slot < horizon;
	}
	return n;
}
