#include "collector/proc/counter_delta.h"
#include "collector/core/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void counter_delta_fini(struct counter_delta *s)
{
	free(s->now.thing);
	free(s->before.thing);
	memset(&s->now, 0, sizeof(s->now));
	memset(&s->before, 0, sizeof(s->before));
}

void counter_delta_begin(struct counter_delta *s)
{
	struct counter_delta_snapshot swap = s->before;

	s->before = s->now;
	s->now = swap;
	s->now.n = 0;
}

int counter_delta_add(struct counter_delta *s, __u64 code, const __u64 *value)
{
	struct counter_delta_snapshot *now = &s->now;
	struct counter_delta_thing *thing;

	if (array_grow(&now->thing, now->n, &now->room, sizeof(*now->thing)))
		return -ENOMEM;
	thing = &now->thing[now->n++];
	thing->code = code;
	memcpy(thing->value, value, s->n_values * sizeof(*value));
	return 0;
}

/* Things usually come in the same order as before, except those that came or went: so the search begins at the
 * same place. */
static const struct counter_delta_thing *find(const struct counter_delta_snapshot *in, __u64 code, size_t from)
{
	for (size_t i = 0; i < in->n; i++) {
		size_t at = (from + i) % in->n;

		if (in->thing[at].code == code)
			return &in->thing[at];
	}
	return NULL;
}

int counter_delta_of(const struct counter_delta *s, size_t i, __u64 ret_growth[COUNTER_DELTA_VALUES])
{
	const struct counter_delta_thing *now = &s->now.thing[i], *before = find(&s->before, now->code, i);

	if (!before)
		return 0;
	for (size_t v = 0; v < s->n_values; v++) {
		if (now->value[v] < before->value[v] && !(s->may_shrink >> v & 1))
			return 0;
		ret_growth[v] = now->value[v] > before->value[v] ? now->value[v] - before->value[v] : 0;
	}
	return 1;
}
