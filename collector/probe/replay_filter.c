#include "collector/probe/replay_filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define OF_HOST 0xff			/* in place of a field's index */

static int refuse(char *reason, const struct instrumentation *recorded, const char *format, const char *what)
{
	int n = snprintf(reason, REASON_MAX, "predicate: the recording of %s.%s ", recorded->module, recorded->stat);

	snprintf(reason + n, (size_t)(REASON_MAX - n), format, what);
	return -ENOENT;
}

static int term_find(struct replay_filter *s, size_t i, const struct instrumentation *recorded, char *reason)
{
	const struct predicate_term *t = &s->predicate->term[i];

	s->field[i] = OF_HOST;
	if (t->is_text && host_field_is(t->field))
		return 0;
	if (!t->is_text)
		return refuse(reason, recorded, "has no single events, \"%s\" cannot be compared", t->field);
	for (size_t f = 0; f < recorded->n_fields; f++)
		if (!strcmp(recorded->field[f], t->field)) {
			s->field[i] = (__u8)f;
			return 0;
		}
	return refuse(reason, recorded, "does not keep \"%s\" apart", t->field);
}

int replay_filter_init(struct replay_filter *s, const struct predicate *wanted, const struct instrumentation *recorded,
		       const char *hostname, const struct host_labels *labels, char *reason)
{
	char title[100];
	int err = 0;

	*s = (struct replay_filter){ .hostname = hostname, .labels = labels };
	if (!memcmp(wanted, &recorded->predicate, sizeof(*wanted)))
		return 0;
	if (recorded->predicate.n_nodes) {
		predicate_title(&recorded->predicate, NULL, title, sizeof(title));
		return refuse(reason, recorded, "has only events that match %s: request exactly these", title);
	}
	s->predicate = wanted;
	for (size_t i = 0; i < wanted->n_terms && !err; i++)
		err = term_find(s, i, recorded, reason);
	return err;
}

struct passing {
	const struct replay_filter *s;
	const struct labels *key;
};

static int term_holds(void *arg, const struct predicate_term *t)
{
	const struct passing *p = arg;
	unsigned field = p->s->field[t - p->s->predicate->term];
	char label[LABEL_MAX + 1];
	size_t at = 0;

	if (field == OF_HOST)
		return predicate_holds_text(t, host_field_value(t->field, p->s->hostname, p->s->labels));
	if (labels_text(p->key, field, label))
		return -ENODATA;
	for (; field; field--)
		at += 1 + (size_t)p->key->bytes[at];
	return p->key->bytes[at] ? predicate_holds_text(t, label) : -ENODATA;
}

int replay_filter_passes(const struct replay_filter *s, const struct labels *key)
{
	struct passing p = { s, key };

	return s->predicate ? predicate_decide(s->predicate, term_holds, &p) : 1;
}
