#include "memo.h"

#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	const struct memo_entry *x = a, *y = b;

	return memcmp(&x->name, &y->name, sizeof(x->name));
}

static void unlink_entry(struct memo *m, struct memo_entry *e)
{
	*(e->older ? &e->older->newer : &m->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &m->newest) = e->older;
}

static void link_newest(struct memo *m, struct memo_entry *e)
{
	e->older = m->newest;
	e->newer = NULL;
	*(m->newest ? &m->newest->newer : &m->oldest) = e;
	m->newest = e;
}

static void drop(struct memo *m, struct memo_entry *e)
{
	tdelete(e, &m->tree, by_name);
	unlink_entry(m, e);
	m->bytes -= e->bytes;
	free(e);
}

void memo_fini(struct memo *m)
{
	while (m->oldest)
		drop(m, m->oldest);
	sum_fini(&m->sum);
	bytes_fini(&m->made);
	memset(m, 0, sizeof(*m));
}

static struct memo_entry *find(struct memo *m, const struct memo_name *name)
{
	const struct memo_entry wanted = { .name = *name };
	struct memo_entry **found = tfind(&wanted, &m->tree, by_name);

	return found ? *found : NULL;
}

const struct memo_entry *memo_find(struct memo *m, const struct memo_name *name)
{
	struct memo_entry *e = find(m, name);

	if (e) {
		unlink_entry(m, e);
		link_newest(m, e);
	}
	return e;
}

/* The sum of so many slots into m->made, where it begins at the end of what is there; *ret_len 0: nothing. */
static int add_up(struct memo *m, const struct chunk *c, unsigned from, unsigned n, __u32 *ret_len)
{
	bool some = false;
	int err = 0;

	for (unsigned i = from; i < from + n && !err; i++) {
		if (!c->slot[i].hist_len)
			continue;
		if (!some)
			err = sum_begin(&m->sum, c->name.ruler);
		some = true;
		if (!err)
			err = sum_add(&m->sum, c->slot[i].hist, c->slot[i].hist_len);
	}
	if (!err && some)
		err = sum_end(&m->sum);
	*ret_len = some ? (__u32)m->sum.bytes.len : 0;
	if (!err && some)
		bytes_put(&m->made, m->sum.bytes.data, m->sum.bytes.len);
	return err ? err : m->made.err;
}

/* One piece of memory: the entry, its sums, the key's bytes, the histograms' bytes. */
static struct memo_entry *entry_of(const struct memo *m, const struct memo_name *name, const struct chunk *c, const __u32 *len)
{
	unsigned n = CHUNK_SLOTS / name->grain;
	size_t bytes = sizeof(struct memo_entry) + n * sizeof(struct chunk_part) + c->name.key.len + m->made.len;
	struct memo_entry *e = malloc(bytes);
	__u8 *key, *hist;

	if (!e)
		return NULL;
	*e = (struct memo_entry){ .name = *name, .n = n, .sum = (struct chunk_part *)(e + 1), .bytes = bytes };
	key = (__u8 *)(e->sum + n);
	hist = key + c->name.key.len;
	if (c->name.key.len)
		memcpy(key, c->name.key.bytes, c->name.key.len);
	if (m->made.len)
		memcpy(hist, m->made.data, m->made.len);
	e->slice = (struct slice){ .ruler = c->name.ruler, .axis = c->name.axis, .weight = c->name.weight,
				   .key = { key, c->name.key.len } };
	for (unsigned i = 0; i < n; hist += len[i++])
		e->sum[i] = (struct chunk_part){ hist, len[i] };
	return e;
}

const struct memo_entry *memo_make(struct memo *m, const struct memo_name *name, const struct chunk *c)
{
	struct memo_entry *e = find(m, name);
	__u32 len[CHUNK_SLOTS];
	int err = 0;

	if (e)
		drop(m, e);
	bytes_clear(&m->made);
	for (unsigned i = 0; i < CHUNK_SLOTS / name->grain && !err; i++)
		err = add_up(m, c, i * name->grain, name->grain, &len[i]);
	e = err ? NULL : entry_of(m, name, c, len);
	if (!e)
		return NULL;
	while (m->oldest && m->bytes + e->bytes > MEMO_BYTES)
		drop(m, m->oldest);
	if (m->bytes + e->bytes > MEMO_BYTES || !tsearch(e, &m->tree, by_name)) {
		free(e);
		return NULL;
	}
	link_newest(m, e);
	m->bytes += e->bytes;
	return e;
}

void memo_forget(struct memo *m, const struct memo_name *name)
{
	struct memo_name one = *name;

	for (one.grain = 1; one.grain <= CHUNK_SLOTS; one.grain++) {
		struct memo_entry *e = CHUNK_SLOTS % one.grain ? NULL : find(m, &one);

		if (e)
			drop(m, e);
	}
}
