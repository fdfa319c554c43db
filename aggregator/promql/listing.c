#include "aggregator/promql/listing.h"

#include "aggregator/base/writer.h"
#include "aggregator/promql/result.h"
#include "aggregator/query/plan.h"
#include "collector/core/array.h"

#include <errno.h>
#include <stdio.h>

struct listing {
	enum listing_kind kind;
	char label[256];
	struct selector *selector;
	size_t n_selectors, limit;
	struct query_range span;
	struct series_source *sources;
	struct matrix found;		/* no points: only labels */
	bool is_cut;
	/* while the store is read */
	struct keytable keys;
	int err;
};

void listing_free(struct listing *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n_selectors; i++)
		selector_fini(&l->selector[i]);
	free(l->selector);
	sources_free(l->sources);
	matrix_fini(&l->found);
	keytable_fini(&l->keys);
	free(l);
}

int listing_new(const struct catalog *catalog, const struct export *export, enum listing_kind kind, const char *label, struct selector *selector,
		size_t n, const struct query_range *span, size_t limit, struct listing **ret_listing)
{
	static const struct selector all;
	struct listing *l = calloc(1, sizeof(*l));
	size_t n_left = SIZE_MAX;
	int err = l ? 0 : -ENOMEM;

	if (l) {
		*l = (struct listing){ .kind = kind, .n_selectors = n, .limit = limit && limit < LISTING_MAX ? limit : LISTING_MAX, .span = *span };
		snprintf(l->label, sizeof(l->label), "%s", label ? label : "");
		l->selector = calloc(n + 1, sizeof(*selector));
		err = l->selector ? sources_find(catalog, export, &all, span->end_ns, &n_left, &l->sources) : -ENOMEM;
	}
	if (l && l->selector && n)
		memcpy(l->selector, selector, n * sizeof(*selector));
	for (size_t i = 0; (!l || !l->selector) && i < n; i++)
		selector_fini(&selector[i]);
	if (err) {
		if (l && !l->selector)
			l->n_selectors = 0;
		listing_free(l);
	} else {
		*ret_listing = l;
	}
	return err;
}

/* ---- which keys ---- */

static bool is_common(const char *label)
{
	return !strcmp(label, SERIES_NAME) || !strcmp(label, "instrumentation") || !strcmp(label, SERIES_EDGE);
}

bool listing_needs_store(const struct listing *l)
{
	if (l->kind == LISTING_SERIES || (l->kind == LISTING_VALUES && !is_common(l->label)))
		return true;
	for (size_t i = 0; i < l->n_selectors; i++)
		for (size_t k = 0; k < l->selector[i].n; k++)
			if (!is_common(l->selector[i].matcher[k].label))
				return true;
	return false;
}

static bool is_listed(const struct listing *l, const struct series_labels *labels)
{
	for (size_t i = 0; i < l->n_selectors; i++)
		if (selector_accepts(&l->selector[i], labels, NULL))
			return true;
	return !l->n_selectors;
}

/* Adds what is listed of a series, if the selectors take it.  Takes the labels. */
static int add_series(struct listing *l, struct series_labels *labels)
{
	struct series *unused;
	int err = 0;

	if (!is_listed(l, labels)) {
		series_labels_fini(labels);
		return 0;
	}
	if (l->kind == LISTING_VALUES)
		series_labels_keep(labels, (char *const[]){ l->label }, 1, false);
	if (l->kind == LISTING_SERIES || labels->n)
		err = matrix_add(&l->found, labels, false, 0, &unused);
	series_labels_fini(labels);
	return err;
}

static int add_edges(struct listing *l, const struct series_source *s, const struct series_labels *labels)
{
	const struct export_histogram shape = { .classic_ruler = buckets_classic(s->in.ruler[s->source.axis]) };
	int err = 0;

	for (__u32 i = 0; i < ruler_cells(shape.classic_ruler) && !err; i++) {
		struct series_labels with_edge = { 0 };
		char text[32];

		err = series_labels_copy(labels, &with_edge);
		if (!err)
			err = series_labels_add(&with_edge, SERIES_EDGE, exposition_number_text(exposition_edge(&shape, i, s->source.divisor), text));
		if (!err)
			err = add_series(l, &with_edge);
		series_labels_fini(&with_edge);
	}
	return err;
}

/* All series of a key; NULL: of no key, with its fields' labels if names are listed. */
static int add_key(struct listing *l, const struct series_source *s, const struct labels *key)
{
	struct series_labels labels = { 0 };
	struct key_labels k;
	int err = series_labels_add(&labels, SERIES_NAME, s->source.name);

	member_labels(s->instrumentation, &s->in, key, &k);
	for (size_t i = 0; i < k.all.n && !err; i++)
		err = series_labels_add(&labels, k.all.name[i], k.all.value[i]);
	member_field_labels(&s->in, &k);
	for (size_t i = 0; i < k.all.n && !key && l->kind == LISTING_NAMES && !err; i++)
		err = series_labels_add(&labels, k.all.name[i], "*");
	if (!err)
		err = s->source.kind == SAMPLE_BUCKETS ? add_edges(l, s, &labels) : add_series(l, &labels);
	series_labels_fini(&labels);
	return err;
}

/* ---- from the store ---- */

static void take_count(void *arg, const struct slice *s, __u64 n)
{
	struct listing *l = arg;

	if (n && !l->err && keytable_at(&l->keys, &s->key) < 0)
		l->err = -ENOMEM;
}

/* The keys of an instrumentation that had events in the time. */
static int read_keys(struct listing *l, const struct series_source *s, struct store *store)
{
	const struct plan_wish wish = { .in = &s->in, .kept_from = s->kept_from, .from_ns = l->span.start_ns, .to_ns = l->span.end_ns + 1 };
	const struct store_reader reader = { .arg = l, .count = take_count };
	struct plan plan;
	int err = 0;

	keytable_fini(&l->keys);
	plan_make(&wish, &plan);
	for (size_t i = 0; i < plan.n_parts && !err; i++) {
		const struct store_range range = { plan.part[i].first, plan.part[i].last, 0, 0, plan.part[i].tier, false, 1 };

		err = store->ops->read(store, s->in.id, &range, &reader);
	}
	return err ? err : l->err;
}

/* The keys as series have them: those beyond the limit are one. */
static int add_keys(struct listing *l, const struct series_source *s)
{
	static const __u8 other[KEY_FIELDS_MAX];
	size_t n_own = s->known.n_keys;
	const struct labels *beyond = NULL;
	int err = 0;

	for (size_t i = 0; i < l->keys.n_keys && !err; i++) {
		__u8 room[KEY_BYTES_MAX];
		struct labels key = export_key_normal(&l->keys.key[i], room);

		if (keytable_find(&s->known, &key) < 0 && n_own++ >= s->source.keys_max && key.len)
			beyond = &l->keys.key[i];
		else
			err = add_key(l, s, &key);
	}
	if (beyond && !err)
		err = add_key(l, s, &(struct labels){ other, (__u16)labels_count(beyond) });
	return err;
}

int listing_read(struct listing *l, struct store *store)
{
	__u64 read = 0;			/* the instrumentation whose keys are in l->keys */
	int err = 0;

	for (const struct series_source *s = l->sources; s && !err; s = s->next) {
		if (s->in.id != read)
			err = read_keys(l, s, store);
		read = s->in.id;
		if (!err)
			err = add_keys(l, s);
		if (l->kind == LISTING_SERIES && l->found.n > l->limit)
			break;
	}
	return err;
}

/* ---- writing ---- */

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Writes texts, each once, in order. */
static void put_texts(struct listing *l, const char **text, size_t n, struct bytes *out)
{
	size_t n_put = 0;

	if (n)
		qsort(text, n, sizeof(*text), by_text);
	writer_raw(out, "[");
	for (size_t i = 0; i < n; i++) {
		if (i && !strcmp(text[i], text[i - 1]))
			continue;
		l->is_cut |= n_put == l->limit;
		if (l->is_cut)
			break;
		writer_raw(out, n_put++ ? "," : "");
		writer_text(out, text[i]);
	}
	writer_raw(out, "]");
}

static int put_list(struct listing *l, struct bytes *out)
{
	const char **text = calloc(l->found.n * SERIES_LABELS_MAX + 1, sizeof(*text));
	size_t n = 0;

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < l->found.n; i++)
		for (size_t k = 0; k < l->found.series[i].labels.n; k++) {
			const struct series_label *label = &l->found.series[i].labels.label[k];

			text[n++] = l->kind == LISTING_NAMES ? label->name : label->value;
		}
	put_texts(l, text, n, out);
	free(text);
	return 0;
}

static void put_series(struct listing *l, struct bytes *out)
{
	size_t n_put = 0;

	matrix_sort(&l->found);
	writer_raw(out, "[");
	for (size_t i = 0; i < l->found.n; i++) {
		if (i && !series_labels_compare(&l->found.series[i].labels, &l->found.series[i - 1].labels))
			continue;
		l->is_cut |= n_put == l->limit;
		if (l->is_cut)
			break;
		writer_raw(out, n_put++ ? "," : "");
		result_labels(out, &l->found.series[i].labels);
	}
	writer_raw(out, "]");
}

int listing_write(struct listing *l, struct bytes *out)
{
	char warning[128];
	const char *const warnings[] = { warning };
	int err = 0;

	if (!listing_needs_store(l))
		for (const struct series_source *s = l->sources; s && !err; s = s->next)
			err = add_key(l, s, NULL);
	if (err)
		return err;
	result_begin(out);
	if (l->kind == LISTING_SERIES)
		put_series(l, out);
	else
		err = put_list(l, out);
	snprintf(warning, sizeof(warning), "results truncated due to limit: there are more than %zu", l->limit);
	result_end(out, warnings, l->is_cut);
	return err ? err : out->err;
}
