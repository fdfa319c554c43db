/* meter_kit.h - collects the events of one reading of a meter, with their labels. */
#ifndef HEATSCOPE_METER_KIT_H
#define HEATSCOPE_METER_KIT_H

#include "collector/proc/meter.h"
#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <stdio.h>

#define KIT_EVENTS 64

struct kit {
	struct words words;
	struct pod_names *pod_names;
	size_t n[2];			/* of whole things, of parts */
	struct event event[2][KIT_EVENTS];
};

static inline void kit_event(void *arg, const struct event *e, int is_part)
{
	struct kit *k = arg;

	assert_true(k->n[is_part] < KIT_EVENTS);
	k->event[is_part][k->n[is_part]++] = *e;
}

static inline int kit_read(struct kit *k, const struct meter *m, void *self, __u64 since_ns)
{
	const struct meter_request request = { .since_ns = since_ns, .wanted = ~0ull, .pod_names = k->pod_names };
	const struct meter_out out = { kit_event, k, &k->words };

	words_clear(&k->words);
	k->n[0] = k->n[1] = 0;
	return m->read(self, &request, &out);
}

/* The first event whose field has this label; NULL: none. */
static inline const struct event *kit_find(const struct kit *k, int is_part, unsigned field, const char *text)
{
	for (size_t i = 0; i < k->n[is_part]; i++) {
		char have[LABEL_MAX + 1];

		words_text(&k->words, k->event[is_part][i].field[field], have);
		if (!strcmp(have, text))
			return &k->event[is_part][i];
	}
	return NULL;
}

/* The counters of the thing of that name, as a parser added them; NULL: there is none. */
#define KIT_VALUES(counters, words, name) ({                                              \
	const __u64 *values_ = NULL;                                                       \
	for (size_t i_ = 0; i_ < (counters)->now.n; i_++) {                                \
		char have_[LABEL_MAX + 1];                                                 \
		words_text(words, (counters)->now.thing[i_].code, have_);                  \
		if (!strcmp(have_, name))                                                  \
			values_ = (counters)->now.thing[i_].value;                         \
	}                                                                                  \
	values_;                                                                           \
})

#endif
