#include "collector/ring/exemplar_row.h"

#include <stdio.h>
#include <string.h>

/* ---- choosing among those of all CPUs ---- */

struct choice {
	const struct exemplar *e;
	__u64 value;
	__u32 tag;
	__u8 why;
};

static const struct exemplar *exemplar_at(const struct exemplar_row *row, __u32 cpu, __u32 index)
{
	return &row->exemplar[ring_exemplar(row->plan, cpu) + index];
}

/* Inserts c at its place among the n worst ones, of which `most` are kept.  Returns how many there are then. */
static size_t choice_insert(struct choice *out, size_t n, size_t most, const struct choice *c)
{
	size_t at = n < most ? n : most - 1;

	if (n == most && out[at].value >= c->value)
		return n;
	for (; at && out[at - 1].value < c->value; at--)
		out[at] = out[at - 1];
	out[at] = *c;
	return n < most ? n + 1 : n;
}

static size_t choose_worst(const struct exemplar_row *row, struct choice *out)
{
	const struct ring_plan *p = row->plan;
	size_t n = 0;

	for (__u32 cpu = 0; cpu < p->n_cpus; cpu++)
		for (__u32 i = 0; i < row->box[cpu].n && i < p->n_exemplars; i++) {
			const struct choice c = { exemplar_at(row, cpu, i), row->box[cpu].worst[i], 0, EXEMPLAR_WORST };

			n = choice_insert(out, n, p->n_exemplars, &c);
		}
	return n;
}

/* Leaves out a drawn event that is also among the worst: events that are equal in everything are the same event. */
static size_t choose_drawn(const struct exemplar_row *row, struct choice *out, size_t n)
{
	for (__u32 decade = 0; decade < EXEMPLAR_DECADES; decade++) {
		__u32 best = 0, cpu, tag;
		size_t at = 0;

		for (cpu = 1; cpu < row->plan->n_cpus; cpu++)
			if (row->box[cpu].tag[decade] > row->box[best].tag[decade])
				best = cpu;
		tag = row->box[best].tag[decade];
		if (!tag)
			continue;
		out[n] = (struct choice){ exemplar_at(row, best, row->plan->n_exemplars + decade), 0, tag, 0 };
		while (memcmp(out[at].e, out[n].e, sizeof(*out[n].e)))
			at++;
		out[at].tag = tag;
		out[at].why |= EXEMPLAR_DRAWN;
		n += at == n;
	}
	return n;
}

/* ---- writing: all fields, and the measures that an event has ---- */

static void put_names(const struct exemplar_row *row, const struct metric *m, struct bytes *out)
{
	const struct ring_plan *p = row->plan;

	bytes_put_varint(out, p->n_exemplar_fields);
	for (__u32 i = 0; i < p->n_exemplar_fields; i++)
		labels_put(out, metric_at(m, FIELD_DISCRETE, (int)i)->name);
	bytes_put_varint(out, p->n_measures - (__u32)__builtin_popcount(p->points));
	for (__u32 i = 0; i < p->n_measures; i++)
		if (!ring_is_point(p, i))
			labels_put(out, metric_at(m, FIELD_NUMERIC, p->measure[i])->name);
}

/* The statement as it was sent; NULL: its text is not kept. */
static const struct statement_text *text_of(const struct exemplar_row *row, const struct exemplar *e)
{
	const struct statement_text *text = row->text ? &row->text[e - row->exemplar] : NULL;

	return text && text->name && text->name == e->event.verbatim ? text : NULL;
}

static void put_text(const struct statement_text *sent, struct bytes *out)
{
	char text[STATEMENT_TEXT_UTF8_MAX + 1];
	size_t n = statement_text_write(sent, text);

	bytes_put_varint(out, n);
	bytes_put(out, text, n);
}

static void put_one(const struct exemplar_row *row, const struct reader_labels *labels, const struct choice *c,
		    struct bytes *out)
{
	const struct event *event = &c->e->event;
	const struct statement_text *sent = text_of(row, c->e);
	char text[LABEL_MAX + 1];

	bytes_put_int(out, c->why | (sent ? EXEMPLAR_TEXT : 0), 1);
	bytes_put_varint(out, event->end_ns - row->begin_ns);
	bytes_put_varint(out, event->connection);
	bytes_put_varint(out, c->e->weight);
	bytes_put_int(out, c->tag, 4);
	for (__u32 i = 0; i < row->plan->n_exemplar_fields; i++) {
		text[0] = 0;
		if (c->e->shed & WANTED_FIELD(i))
			snprintf(text, sizeof(text), KEY_SHED_LABEL);
		else
			labels->text(labels->arg, i, event->field[i], text);
		labels_put(out, text);
	}
	for (__u32 i = 0; i < row->plan->n_measures; i++)
		if (!ring_is_point(row->plan, i))
			bytes_put_varint(out, event->measure[row->plan->measure[i]]);
	if (sent)
		put_text(sent, out);
}

static void boxes_empty(const struct exemplar_row *row)
{
	for (__u32 cpu = 0; cpu < row->plan->n_cpus; cpu++) {
		row->box[cpu].n = row->box[cpu].least = 0;
		memset(row->box[cpu].tag, 0, sizeof(row->box[cpu].tag));
	}
}

int exemplars_take(const struct exemplar_row *row, const struct reader_labels *labels, struct bytes *out)
{
	struct choice choice[EXEMPLARS_MAX + EXEMPLAR_DECADES];
	size_t n = choose_drawn(row, choice, choose_worst(row, choice));

	if (n) {
		bytes_put_varint(out, 0);
		put_names(row, labels->metric, out);
		bytes_put_varint(out, n);
	}
	for (size_t i = 0; i < n; i++)
		put_one(row, labels, &choice[i], out);
	boxes_empty(row);
	return out->err;
}

void exemplars_miss(__u64 missed, struct bytes *out)
{
	bytes_put_varint(out, missed);
	bytes_put_varint(out, 0);
	bytes_put_varint(out, 0);
	bytes_put_varint(out, 0);
}
