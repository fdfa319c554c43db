#include "collector/d/session.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An element of a map that no program uses any more: a value per CPU. */
static int add_element(struct d_totals *t, const __u8 *key, const __u64 *values, unsigned n_cpus)
{
	__u32 n_words = d_aggregation_words(t->aggregation);
	__s64 cell;
	int err = 0;

	memcpy(&cell, key + d_table_key_len(t->aggregation->table) - sizeof(cell), sizeof(cell));
	for (unsigned cpu = 0; !err && cpu < n_cpus; cpu++) {
		const __u64 *words = values + (size_t)cpu * n_words;
		bool any = false;

		for (__u32 i = 0; i < n_words; i++)
			any |= words[i] != 0;
		if (any || !cpu)		/* an element of zeros is a row, too: sum(0) */
			err = d_totals_add(t, key, cell, words);
	}
	return err;
}

static int read_interval(int fd, struct d_totals *t)
{
	unsigned n_cpus = libbpf_num_possible_cpus();
	__u32 key_len = d_table_key_len(t->aggregation->table);
	__u8 *key = malloc(2 * key_len), *next = key + key_len;
	__u64 *values = calloc(n_cpus, t->aggregation->table->value_len);
	bool first = true;
	int err = key && values ? 0 : -ENOMEM;

	while (!err && !bpf_map_get_next_key(fd, first ? NULL : key, next)) {
		memcpy(key, next, key_len);
		first = false;
		err = bpf_map_lookup_elem(fd, key, values) ? -errno : add_element(t, key, values, n_cpus);
	}
	free(key);
	free(values);
	return err;
}

int d_session_take(struct d_session *s, struct d_totals *t)
{
	const struct d_table *table = t->aggregation->table;
	int old = s->inner[table->id], new = d_session_interval(s, table), err;
	const __u32 zero = 0;

	if (new < 0)
		return new;
	if (bpf_map_update_elem(s->tables[table->id], &zero, &new, BPF_ANY)) {
		err = -errno;
		close(new);
		return err;
	}
	s->inner[table->id] = new;
	s->taken[t->aggregation->id] = s->state->elements[t->aggregation->id];
	err = read_interval(old, t);
	close(old);
	return err;
}

int d_session_take_all(struct d_session *s, struct d_aggregates *a)
{
	int err = 0;

	for (size_t i = 0; !err && i < a->n_totals; i++)
		if (a->totals[i].aggregation->table)
			err = d_session_take(s, &a->totals[i]);
	return err;
}

int d_session_take_full(struct d_session *s, struct d_aggregates *a)
{
	int err = 0;

	for (size_t i = 0; !err && i < a->n_totals; i++)
		if (a->totals[i].aggregation->table && s->state->elements[i] - s->taken[i] > s->elements_max / 4)
			err = d_session_take(s, &a->totals[i]);
	return err;
}
