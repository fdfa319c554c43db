#include "aggregator/store/observation.h"

#include "collector/core/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__s64 observation_last(const struct batch *b)
{
	return b->run > 1 ? b->slot + (__s64)b->run - 1 : b->slot;
}

void observation_fini(struct observation *w)
{
	for (size_t i = 0; i < w->n_observers; i++)
		free(w->observer[i].span);
	free(w->observer);
	name_index_fini(&w->observer_of);
	free(w->lost);
	free(w->mark);
	memset(w, 0, sizeof(*w));
}

static struct observer *observer_of(const struct observation *w, const char *source)
{
	size_t place = name_index_find(&w->observer_of, source);

	return place == NAME_INDEX_NONE ? NULL : &w->observer[place];
}

static int reserve_observer(struct observation *w, const char *source)
{
	struct observer *o = observer_of(w, source);
	int err = 0;

	if (!o) {
		err = array_grow(&w->observer, w->n_observers, &w->observers_room, sizeof(*w->observer));
		if (err)
			return err;
		o = &w->observer[w->n_observers];
		memset(o, 0, sizeof(*o));
		strncpy(o->source, source, SOURCE_MAX - 1);
		name_index_put(&w->observer_of, o->source, w->n_observers++);
	}
	return array_grow(&o->span, o->n_spans, &o->room, sizeof(*o->span));
}

int observation_reserve(struct observation *w, const char *source)
{
	int err = reserve_observer(w, source);

	if (!err)
		err = array_grow(&w->lost, w->n_lost, &w->lost_room, sizeof(*w->lost));
	if (!err)
		err = array_grow(&w->mark, w->n_marks + BATCH_MARKS_MAX - 1, &w->marks_room, sizeof(*w->mark));
	return err;
}

/* The spans i..j-1 overlap or touch the new one and become part of it. */
void observation_cover(struct observation *w, const char *source, __s64 first, __s64 last)
{
	struct observer *o = observer_of(w, source);
	size_t j = o->n_spans, i;

	while (j && o->span[j - 1].first > last && o->span[j - 1].first - 1 > last)
		j--;
	for (i = j; i && o->span[i - 1].last >= first - 1; i--) {
		if (o->span[i - 1].first < first)
			first = o->span[i - 1].first;
		if (o->span[i - 1].last > last)
			last = o->span[i - 1].last;
	}
	memmove(&o->span[i + 1], &o->span[j], (o->n_spans - j) * sizeof(*o->span));
	o->n_spans = o->n_spans - (j - i) + 1;
	o->span[i] = (struct span){ first, last };
}

void observation_lose(struct observation *w, const char *source, const struct loss *loss)
{
	struct lost *l = &w->lost[w->n_lost++];

	memset(l, 0, sizeof(*l));
	strncpy(l->source, source, SOURCE_MAX - 1);
	l->loss = *loss;
}

void observation_mark(struct observation *w, const struct mark *mark)
{
	w->mark[w->n_marks++] = *mark;
}

__s64 observation_oldest(const struct observation *w, __s64 first)
{
	__s64 oldest = INT64_MAX;

	for (size_t i = 0; i < w->n_observers; i++)
		for (size_t j = 0; j < w->observer[i].n_spans; j++) {
			const struct span *s = &w->observer[i].span[j];
			__s64 from = s->first > first ? s->first : first;

			if (s->last >= first && from < oldest)
				oldest = from;
		}
	return oldest;
}

static void trim_observer(struct observer *o, __s64 first)
{
	size_t gone = 0;

	while (gone < o->n_spans && o->span[gone].last < first)
		gone++;
	o->n_spans -= gone;
	if (gone)
		memmove(o->span, o->span + gone, o->n_spans * sizeof(*o->span));
	if (o->n_spans && o->span[0].first < first)
		o->span[0].first = first;
}

void observation_trim(struct observation *w, __s64 first)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_observers; i++) {
		trim_observer(&w->observer[i], first);
		if (w->observer[i].n_spans)
			w->observer[n++] = w->observer[i];
		else
			free(w->observer[i].span);
	}
	if (n < w->n_observers)
		name_index_fini(&w->observer_of);
	for (size_t i = 0; n < w->n_observers && i < n; i++)
		name_index_put(&w->observer_of, w->observer[i].source, i);
	w->n_observers = n;
	n = 0;
	for (size_t i = 0; i < w->n_lost; i++)
		if (w->lost[i].loss.last >= first)
			w->lost[n++] = w->lost[i];
	w->n_lost = n;
	n = 0;
	for (size_t i = 0; i < w->n_marks; i++)
		if (w->mark[i].slot >= first)
			w->mark[n++] = w->mark[i];
	w->n_marks = n;
}

static void read_spans(const struct observer *o, __s64 first, __s64 last, const struct store_reader *reader)
{
	for (size_t i = 0; i < o->n_spans; i++) {
		struct span cut = o->span[i];

		if (cut.first < first)
			cut.first = first;
		if (cut.last > last)
			cut.last = last;
		if (cut.first <= cut.last)
			reader->cover(reader->arg, o->source, cut.first, cut.last);
	}
}

void observation_read(const struct observation *w, __s64 first, __s64 last, const struct store_reader *reader)
{
	for (size_t i = 0; reader->cover && i < w->n_observers; i++)
		read_spans(&w->observer[i], first, last, reader);
	for (size_t i = 0; reader->loss && i < w->n_lost; i++)
		if (w->lost[i].loss.first <= last && w->lost[i].loss.last >= first)
			reader->loss(reader->arg, w->lost[i].source, &w->lost[i].loss);
	for (size_t i = 0; reader->mark && i < w->n_marks; i++)
		if (w->mark[i].slot >= first && w->mark[i].slot <= last)
			reader->mark(reader->arg, &w->mark[i]);
}
