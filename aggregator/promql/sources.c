#include "aggregator/promql/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_GUESSED 16			/* of an instrumentation that has reported nothing since the start */

static const struct sample_name {
	enum sample_kind kind;
	const char *suffix;
} samples[] = {
	{ SAMPLE_HISTOGRAM, "" }, { SAMPLE_BUCKETS, "_bucket" }, { SAMPLE_COUNT, "_count" }, { SAMPLE_SUM, "_sum" },
};

void sources_free(struct series_source *first)
{
	while (first) {
		struct series_source *next = first->next;

		window_fold_free(first->fold);
		keytable_fini(&first->known);
		free(first);
		first = next;
	}
}

/* Returns until when all sources have reported: at most WINDOW_LATE_NS ago. */
static __s64 reported_ns(const struct catalog *catalog, const struct catalog_inst *ci, __s64 now_ns)
{
	__s64 slot_ns = (__s64)ci->in.slot_ns, from = (now_ns - WINDOW_LATE_NS) / slot_ns, to = now_ns / slot_ns;

	while (from < to) {		/* slots before `from` were reported; those from `to` on were not */
		__s64 middle = from + (to - from) / 2;

		if (catalog_reported(catalog, ci, middle, now_ns))
			from = middle + 1;
		else
			to = middle;
	}
	return from * slot_ns;
}

static int copy_keys(const struct keytable *from, struct keytable *to)
{
	for (size_t i = 0; i < from->n_keys; i++)
		if (keytable_at(to, &from->key[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int series_source_new(const struct member *m, enum sample_kind kind, const char *name, __s64 reported, struct series_source **ret)
{
	struct series_source *s = calloc(1, sizeof(*s));

	if (!s || copy_keys(&m->x->keys, &s->known)) {
		sources_free(s);
		return -ENOMEM;
	}
	s->in = m->ci->in;
	snprintf(s->instrumentation, sizeof(s->instrumentation), "%s", m->x->conf->instrumentation);
	memcpy(s->kept_from, m->ci->kept_from, sizeof(s->kept_from));
	s->reported_ns = reported;
	s->source = (struct window_source){ .in = &s->in, .kind = kind, .axis = m->axis, .weight = m->weight, .divisor = m->divisor,
					    .schema = (int)m->x->conf->schema, .instrumentation = s->instrumentation, .known = &s->known,
					    .keys_max = m->x->conf->keys };
	snprintf(s->source.name, sizeof(s->source.name), "%s", name);
	*ret = s;
	return 0;
}

struct finding {
	const struct selector *selector;
	size_t *n_left;
	__s64 reported;
	struct series_source **last;
};

/* Adds the series of this name, if the selector takes it. */
static int find_name(struct finding *f, const struct member *m, enum sample_kind kind, const char *suffix)
{
	char name[EXPOSITION_NAME_MAX + 8];
	int err;

	snprintf(name, sizeof(name), "%s%s", m->prometheus, suffix);
	if (!selector_takes(f->selector, SERIES_NAME, name) || (kind != SAMPLE_BUCKETS && !selector_takes(f->selector, SERIES_EDGE, "")))
		return 0;
	if (!*f->n_left)
		return -E2BIG;
	err = series_source_new(m, kind, name, f->reported, f->last);
	if (err)
		return err;
	--*f->n_left;
	f->last = &(*f->last)->next;
	return 0;
}

static int find_names(struct finding *f, const struct member *m)
{
	int err = 0;

	if (member_is_left_out(m))
		return 0;
	if (m->weight)
		return find_name(f, m, SAMPLE_WEIGHT, "");
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples) && !err; i++)
		err = find_name(f, m, samples[i].kind, samples[i].suffix);
	return err;
}

int sources_find(const struct catalog *catalog, const struct export *export, const struct selector *selector, __s64 now_ns, size_t *n_left,
		 struct series_source **ret_first)
{
	struct series_source *first = NULL;
	struct finding f = { .selector = selector, .n_left = n_left, .last = &first };
	struct member m;
	int err = 0;

	for (const struct exported *x = export_first(export); x && !err; x = x->next) {
		const struct catalog_inst *ci = catalog_find(catalog, x->inst);

		if (!ci || !selector_takes(selector, "instrumentation", x->conf->instrumentation))
			continue;
		f.reported = reported_ns(catalog, ci, now_ns);
		for (unsigned at = 0; !err && member_at(x, ci, at, &m); at++)
			err = find_names(&f, &m);
	}
	if (err)
		sources_free(first);
	else
		*ret_first = first;
	return err;
}

int series_source_read(struct series_source *s, const struct expression *leaf, const struct expression *sum, const struct query_range *range,
		struct store *store)
{
	bool is_whole = window_fold_is_whole(&s->source, &leaf->selector, sum);
	const struct window_wish wish = {
		.in = &s->in, .kept_from = s->kept_from, .start_ns = range->start_ns, .step_ns = range->step_ns, .range_ns = leaf->range_ns,
		.n_points = range->n_points, .n_series = is_whole ? 1 : s->known.n_keys ? s->known.n_keys : KEYS_GUESSED,
		.reported_ns = s->reported_ns,
	};
	struct store_range of = { .axis = (int)s->source.axis, .weight = (int)s->source.weight, .whole = is_whole };
	int err;

	window_plan_make(&wish, &s->plan);
	of.first = s->plan.first_slot;
	of.last = s->plan.last_slot;
	of.tier = s->plan.tier;
	of.grain = s->plan.grain;
	err = window_fold_new(&s->source, &s->plan, &leaf->selector, sum, &s->fold);
	return err ? err : store->ops->read(store, s->in.id, &of, window_fold_reader(s->fold));
}
