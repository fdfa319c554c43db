#include "exemplar_row.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- choosing among those of all CPUs ---- */

struct choice {
	const struct exemplar *e;
	__u64 value;
	__u32 tag;
	__u8 why;
};

static int by_value(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	return (x->value < y->value) - (x->value > y->value);
}

static const struct exemplar *exemplar_at(const struct exemplar_row *row, __u32 cpu, __u32 index)
{
	return &row->exemplar[ring_exemplar(row->plan, cpu) + index];
}

static size_t choose_worst(const struct exemplar_row *row, struct choice *out)
{
	const struct ring_plan *p = row->plan;
	size_t n = 0;

	for (__u32 cpu = 0; cpu < p->n_cpus; cpu++)
		for (__u32 i = 0; i < row->box[cpu].n && i < p->n_exemplars; i++)
			out[n++] = (struct choice){ exemplar_at(row, cpu, i), row->box[cpu].worst[i], 0, EXEMPLAR_WORST };
	qsort(out, n, sizeof(*out), by_value);
	return n < p->n_exemplars ? n : p->n_exemplars;
}

/* One that is among the worst is not told twice: an event of which all is the same is the same. */
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

/* ---- writing ---- */

static void put_names(const struct exemplar_row *row, const struct metric *m, struct bytes *out)
{
	bytes_put_varint(out, row->plan->n_told);
	for (size_t i = 0; i < m->n_fields; i++)
		if (metric_index(m, m->field[i].name, FIELD_DISCRETE) >= 0)
			labels_put(out, m->field[i].name);
	bytes_put_varint(out, row->plan->n_measures);
	for (__u32 k = 0; k < row->plan->n_measures; k++)
		for (size_t i = 0; i < m->n_fields; i++)
			if (metric_index(m, m->field[i].name, FIELD_NUMERIC) == row->plan->measure[k])
				labels_put(out, m->field[i].name);
}

static void put_one(const struct exemplar_row *row, const struct reader_labels *labels, const struct choice *c,
		    struct bytes *out)
{
	const struct event *event = &c->e->event;
	char text[LABEL_MAX + 1];

	bytes_put_int(out, c->why, 1);
	bytes_put_varint(out, event->end_ns - row->begin_ns);
	bytes_put_varint(out, event->connection);
	bytes_put_varint(out, c->e->weight);
	bytes_put_int(out, c->tag, 4);
	for (__u32 i = 0; i < row->plan->n_told; i++) {
		text[0] = 0;
		if (c->e->shed & WANTED_FIELD(i))
			snprintf(text, sizeof(text), KEY_SHED_LABEL);
		else
			labels->text(labels->arg, i, event->field[i], text);
		labels_put(out, text);
	}
	for (__u32 i = 0; i < row->plan->n_measures; i++)
		bytes_put_varint(out, ring_is_point(row->plan, i) ? 0 : event->measure[row->plan->measure[i]]);
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
	size_t most = (size_t)row->plan->n_cpus * row->plan->n_exemplars + EXEMPLAR_DECADES + 1, n;
	struct choice *choice = calloc(most, sizeof(*choice));

	if (!choice)
		return -ENOMEM;
	n = choose_drawn(row, choice, choose_worst(row, choice));
	if (n) {
		bytes_put_varint(out, 0);
		put_names(row, labels->metric, out);
		bytes_put_varint(out, n);
	}
	for (size_t i = 0; i < n; i++)
		put_one(row, labels, &choice[i], out);
	boxes_empty(row);
	free(choice);
	return out->err;
}

void exemplars_miss(__u64 missed, struct bytes *out)
{
	bytes_put_varint(out, missed);
	bytes_put_varint(out, 0);
	bytes_put_varint(out, 0);
	bytes_put_varint(out, 0);
}
