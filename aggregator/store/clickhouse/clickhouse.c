#include "aggregator/store/clickhouse/clickhouse.h"

#include "aggregator/store/observation.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define ASK_MAX 10000			/* names in one question */
#define ASK_SPARE 20			/* so many names may be read for one that is asked for */

struct clickhouse *clickhouse_of(struct store *s)
{
	struct clickhouse *q = (struct clickhouse *)s;

	s->reason[0] = 0;
	states_forget(q);
	return q;
}

/* --- names of batches: which are new --- */

struct named_batch {
	const struct batch *batch;
	size_t at;			/* index in add()'s array */
	bool is_known;
	int late;			/* of the known one, see struct row */
};

struct question {
	struct named_batch *name;	/* ascending, see name_compare() */
	size_t n;
};

static int order_of(__u64 a, __u64 b) { return (a > b) - (a < b); }

static int batch_compare(const struct batch *x, const struct batch *y)
{
	int order = order_of(x->inst, y->inst);

	if (!order)
		order = (x->slot > y->slot) - (x->slot < y->slot);
	if (!order)
		order = strcmp(x->source, y->source);
	if (!order)
		order = order_of(x->incarnation, y->incarnation);
	return order ? order : order_of(x->seq, y->seq);
}

static int name_compare(const void *a, const void *b)
{
	const struct named_batch *x = a, *y = b;
	int order = batch_compare(x->batch, y->batch);

	return order ? order : order_of(x->at, y->at);
}

static int take_known(void *arg, struct cursor *c)
{
	struct question *question = arg;
	struct batch b = { .inst = cursor_get_int(c, 8) };
	struct row_text source;
	int late;

	b.slot = (__s64)cursor_get_int(c, 8);
	source = row_get_text(c);
	b.incarnation = cursor_get_int(c, 8);
	b.seq = (__u32)cursor_get_int(c, 4);
	late = (int)cursor_get_int(c, 8);
	if (c->err || source.len >= SOURCE_MAX)
		return 0;
	memcpy(b.source, source.data, source.len);
	for (size_t i = 0, end = question->n; i < end;) {	/* the first that is not before b, then all equal ones */
		size_t middle = i + (end - i) / 2;

		if (batch_compare(question->name[middle].batch, &b) < 0)
			i = middle + 1;
		else
			end = middle;
		if (i == end)
			for (; i < question->n && !batch_compare(question->name[i].batch, &b); i++) {
				question->name[i].late = late > question->name[i].late ? late : question->name[i].late;
				question->name[i].is_known = true;
			}
	}
	return 0;
}

static int by_slot(const void *a, const void *b)
{
	const struct batch *x = *(const struct batch *const *)a, *y = *(const struct batch *const *)b;

	return (x->slot > y->slot) - (x->slot < y->slot);
}

static int by_source(const void *a, const void *b)
{
	return strcmp((*(const struct batch *const *)a)->source, (*(const struct batch *const *)b)->source);
}

static int by_inst(const void *a, const void *b)
{
	return order_of((*(const struct batch *const *)a)->inst, (*(const struct batch *const *)b)->inst);
}

/* Sorts the batches, and keeps one of those that are equal.  Returns how many these are. */
static size_t keep_distinct(const struct batch **batch, size_t n, int (*compare)(const void *a, const void *b))
{
	size_t kept = 0;

	qsort(batch, n, sizeof(*batch), compare);
	for (size_t i = 0; i < n; i++)
		if (!kept || compare(&batch[kept - 1], &batch[i]))
			batch[kept++] = batch[i];
	return kept;
}

struct wanted {				/* ClickHouse may have a name for each combination of these */
	const struct batch **slot, **source;	/* one batch of each */
	size_t n_slots, n_sources, n_insts;
};

static int wanted_init(struct wanted *w, const struct named_batch *name, size_t n)
{
	*w = (struct wanted){ .slot = calloc(2 * n, sizeof(*w->slot)) };
	if (!w->slot)
		return -ENOMEM;
	w->source = w->slot + n;
	for (size_t i = 0; i < n; i++)
		w->slot[i] = w->source[i] = name[i].batch;
	w->n_insts = keep_distinct(w->slot, n, by_inst);
	for (size_t i = 0; i < n; i++)
		w->slot[i] = name[i].batch;
	w->n_slots = keep_distinct(w->slot, n, by_slot);
	w->n_sources = keep_distinct(w->source, n, by_source);
	return 0;
}

/* Would much more be read than is asked for?  Old slots of one source and the present one of all sources are such names. */
static bool is_wide(const struct wanted *w, size_t n)
{
	return w->n_insts * w->n_slots * w->n_sources > (n * ASK_SPARE > ASK_MAX ? n * ASK_SPARE : ASK_MAX);
}

/* The slots and the sources: ClickHouse reads a list of names ten times as slowly. */
static void put_wanted(struct clickhouse *q, const struct wanted *w)
{
	sql_put(q, " AND slot IN (");
	for (size_t i = 0; i < w->n_slots; i++)
		sql_put(q, "%s%lld", i ? "," : "", (long long)w->slot[i]->slot);
	sql_put(q, ") AND source IN (");
	for (size_t i = 0; i < w->n_sources; i++) {
		sql_put(q, i ? "," : "");
		sql_put_text(q, w->source[i]->source, strlen(w->source[i]->source));
	}
	sql_put(q, ")");
}

/* Asks by one question; the names ascend by instrumentation. */
static int ask(struct clickhouse *q, const struct question *all, const struct named_batch *name, size_t n, const struct wanted *wanted)
{
	__s64 first = name->batch->slot, last = first;
	unsigned day = 65535, last_day = 0;
	int err;

	sql_begin(q, "SELECT inst, slot, source, incarnation, seq, version FROM %s." FILED " WHERE kind = %d AND axis = 0 AND weight = 0 "
		  "AND ruler = 0 AND period = 0 AND key = '' AND (inst, life) IN (", q->database, ROW_NAME);
	for (size_t i = 0; i < n; i++) {
		const struct batch *b = name[i].batch;
		struct state s;

		first = b->slot < first ? b->slot : first;
		last = b->slot > last ? b->slot : last;
		day = row_day(b->slot_ns, b->slot) < day ? row_day(b->slot_ns, b->slot) : day;
		last_day = row_day(b->slot_ns, b->slot) > last_day ? row_day(b->slot_ns, b->slot) : last_day;
		if (i && b->inst == name[i - 1].batch->inst)
			continue;
		err = state_get(q, b->inst, &s);	/* it is known since states_load() */
		if (err)
			return err;
		sql_put(q, "%s(%llu,%u)", i ? "," : "", (unsigned long long)b->inst, s.life);
	}
	sql_put(q, ") AND day >= toDate(%u) AND day <= toDate(%u) AND slot >= %lld AND slot <= %lld", day, last_day,
		(long long)first, (long long)last);
	put_wanted(q, wanted);
	return request_select(q, take_known, (void *)all);
}

/* Asks for them by several questions if one would read too much.  Halves are less wide, as the names ascend by slot. */
static int ask_some(struct clickhouse *q, const struct question *all, size_t from, size_t n)
{
	struct wanted wanted;
	int err = wanted_init(&wanted, all->name + from, n);
	bool wide = !err && is_wide(&wanted, n);

	if (!err && !wide)
		err = ask(q, all, all->name + from, n, &wanted);
	free(wanted.slot);
	if (err || !wide)
		return err;
	err = ask_some(q, all, from, n / 2);
	return err ? err : ask_some(q, all, from + n / 2, n - n / 2);
}

/* Sets ret_new of each batch that is neither known nor a second one of its name, and `late` of the known ones; of others TIERS. */
static int find_new(struct clickhouse *q, const struct batch *batch, size_t n, bool *ret_new, int *ret_late)
{
	struct question all = { calloc(n + 1, sizeof(*all.name)), n };
	int err = all.name ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++)
		all.name[i] = (struct named_batch){ &batch[i], i, false, 0 };
	if (!err)
		qsort(all.name, n, sizeof(*all.name), name_compare);
	for (size_t at = 0; at < n && !err; at += ASK_MAX)
		err = ask_some(q, &all, at, n - at < ASK_MAX ? n - at : ASK_MAX);
	for (size_t i = 0; i < n && !err; i++) {
		ret_new[all.name[i].at] = !all.name[i].is_known && !(i && !batch_compare(all.name[i - 1].batch, all.name[i].batch));
		ret_late[all.name[i].at] = all.name[i].is_known ? all.name[i].late : TIERS;
	}
	free(all.name);
	return err;
}

/* --- adding --- */

/* Returns how many tiers have begun to be added up at this slot.  A coarser tier is never further than a finer one. */
static int tiers_before(const struct state *s, __s64 slot)
{
	int n = 0;

	while (n + 1 < TIERS && slot < s->rolling[n + 1])
		n++;
	return n;
}

static void put_slice(struct clickhouse *q, const struct batch *b, size_t i, int tier, struct row *row)
{
	struct slice whole = b->slice[i];

	row->slot = tier_down(b->slot, tier_slots(b->slot_ns, tier));
	row->part = (__u32)i;
	row->kind = (enum row_kind)tier;
	row->slice = &b->slice[i];
	row_put(&q->rows, row);
	if (!row->version)
		return;
	whole.key.len = 0;
	row->kind = (enum row_kind)(ROW_WHOLE + tier);
	row->slice = &whole;
	row_put(&q->rows, row);
	if (tier)
		return;
	row->slot = tier_down(b->slot, STEP_SLOTS);
	row->kind = ROW_WHOLE_STEP;
	row_put(&q->rows, row);
	row->slice = &b->slice[i];
	row->kind = ROW_STEP;
	row_put(&q->rows, row);
}

static void put_slices(struct clickhouse *q, const struct batch *b, struct row *row)
{
	for (int tier = 0; tier <= (int)row->version; tier++)	/* those of further tiers will be made of these */
		for (size_t i = 0; i < b->n_slices; i++)
			put_slice(q, b, i, tier, row);
	row->slice = NULL;
	row->slot = b->slot;
	row->part = 0;
}

static void put_cover(struct clickhouse *q, const struct batch *b, const struct state *s, struct row *row)
{
	__s64 oldest = s->dropped[0].before;

	row->first = b->slot > oldest ? b->slot : oldest;
	row->last = observation_last(b);
	row->kind = ROW_NAME;
	row_put(&q->rows, row);
	row->kind = ROW_COVER;
	if (row->version == TIERS - 1)
		row_put(&q->rows, row);
}

static void put_facts(struct clickhouse *q, const struct batch *b, struct row *row)
{
	struct mark mark[BATCH_MARKS_MAX];
	size_t n = batch_marks(b, mark);

	row->kind = ROW_LOSS;
	row->first = b->loss.first;
	row->last = b->loss.last;
	row->n = b->loss.n;
	row->total = b->loss.sum;
	if (b->loss.n)
		row_put(&q->rows, row);
	row->kind = ROW_MARK;
	row->total = 0;
	row->last = b->slot;
	for (size_t i = 0; i < n; i++) {
		row->part = (__u32)i;
		row->first = mark[i].value;
		row->n = mark[i].kind;
		row_put(&q->rows, row);
	}
	row->part = 0;
	row->n = 0;
	row->kind = ROW_EXEMPLARS;
	row->data = b->exemplars;
	row->len = b->exemplars_len;
	if (row->len)
		row_put(&q->rows, row);
}

static void put_batch(struct clickhouse *q, const struct batch *b, const struct state *s, int late)
{
	struct row row = { .slot_ns = b->slot_ns, .inst = b->inst, .life = s->life, .version = (__u64)late, .slot = b->slot,
			   .source = b->source, .incarnation = b->incarnation, .batch_slot = b->slot, .seq = b->seq };

	put_slices(q, b, &row);
	put_cover(q, b, s, &row);
	put_facts(q, b, &row);
}

/* The first batch sets the length of the slots, which never changes after that. */
static int state_check(struct clickhouse *q, const struct batch *b)
{
	struct state s;
	int err = state_get(q, b->inst, &s);

	if (!err && !s.slot_ns)
		err = state_begin(q, &s, b->slot_ns);
	if (err || s.slot_ns == b->slot_ns)
		return err;
	return refuse_in(-EBADMSG, q->store.reason, sizeof(q->store.reason), "a batch of %s has slots of %llu ns, not of %llu ns",
			 b->source, (unsigned long long)b->slot_ns, (unsigned long long)s.slot_ns);
}

#define REACH_MAX (INT64_MAX / 4)

static __s64 distance(__s64 a, __s64 b)
{
	__int128 d = (__int128)a - b;

	d = d < 0 ? -d : d;
	return d > REACH_MAX ? REACH_MAX : (__s64)d;
}

static __s64 reach_of(const struct batch *b)
{
	__s64 reach = distance(observation_last(b), b->slot), to;

	for (int i = 0; i < 2 && b->loss.n; i++) {
		to = distance(i ? b->loss.last : b->loss.first, b->slot);
		reach = to > reach ? to : reach;
	}
	return reach;
}

/* Before the rows are there: a SELECT of a few slots finds them by it. */
static int note_reach(struct clickhouse *q, const struct batch *batch, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		__s64 reach = reach_of(&batch[i]);
		struct state s;

		err = state_get(q, batch[i].inst, &s);
		if (err || reach <= s.reach)
			continue;
		s.reach = reach;
		err = state_put(q, &s);
	}
	return err;
}

/* Two lengths of slots in one call are refused before the first of them is kept. */
static int lengths_check(struct clickhouse *q, const struct batch *batch, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (batch[i].inst == batch[i - 1].inst && batch[i].slot_ns != batch[i - 1].slot_ns)
			return refuse_in(-EBADMSG, q->store.reason, sizeof(q->store.reason), "two batches of %s have slots of %llu ns and "
					 "of %llu ns", batch[i].source, (unsigned long long)batch[i - 1].slot_ns, (unsigned long long)batch[i].slot_ns);
	return 0;
}

/* All that can be refused is refused before anything is written. */
static int states_check(struct clickhouse *q, const struct batch *batch, size_t n)
{
	int err = lengths_check(q, batch, n);
	size_t n_states;

	for (size_t i = 0; i < n && !err; i++)
		err = store_check(&q->store, &batch[i]);
	if (!err)
		err = states_load(q, batch, n);
	n_states = q->n_states;
	for (size_t i = 0; i < n && !err; i++)
		err = state_check(q, &batch[i]);
	return err || q->n_states == n_states ? err : states_load(q, batch, n);	/* one was begun, and the others were forgotten */
}

/* Writes the rows of the new batches; those of dropped slots are not new. */
static int insert_new(struct clickhouse *q, const struct batch *batch, size_t n, bool *is_new, int *late)
{
	int err = 0;

	bytes_clear(&q->rows);
	for (size_t i = 0; i < n && !err; i++) {
		struct state s;

		if (!is_new[i])
			continue;
		err = state_get(q, batch[i].inst, &s);
		is_new[i] = !err && observation_last(&batch[i]) >= s.dropped[0].before;
		if (!is_new[i])
			continue;
		late[i] = tiers_before(&s, batch[i].slot);
		put_batch(q, &batch[i], &s, late[i]);
	}
	return err || !q->rows.len ? err : request_insert(q, FILED, ROW_COLUMNS);
}

/* A batch that is not late for a tier that has been added up at its slot: the roll-up may have come before it. */
static int wish_again(struct clickhouse *q, const struct batch *b, const struct state *s, int late, struct again *last)
{
	__s64 minute = tier_down(b->slot, tier_slots(b->slot_ns, 1));

	if (late >= tiers_before(s, b->slot) || (last->inst == b->inst && last->slot == minute))
		return 0;
	*last = (struct again){ .inst = b->inst, .slot = minute };
	return again_put(q, s, minute);
}

/* Slots of the batch that were dropped since: something was dropped there. */
static int note_dropped(struct clickhouse *q, const struct batch *b, const struct state *was, struct state *s)
{
	bool moved = false;

	for (int tier = 0; tier < TIERS; tier++) {
		struct dropped_slots *d = &s->dropped[tier];
		__s64 first = b->slot > was->dropped[tier].before ? b->slot : was->dropped[tier].before;

		first = tier_down(first, tier_slots(s->slot_ns, tier));
		if (d->before == was->dropped[tier].before || first >= d->before || first >= d->first)
			continue;
		d->first = first;
		moved = true;
	}
	return moved ? state_put(q, s) : 0;
}

struct adding {				/* one of each for a batch */
	bool *is_new;
	int *late;
	struct state *was;		/* before the INSERT */
};

/* See `Shared` in clickhouse.h. */
static int check_after(struct clickhouse *q, const struct batch *batch, size_t n, const struct adding *a)
{
	struct again last = { .inst = 0 };
	int err = states_load(q, batch, n);

	for (size_t i = 0; i < n && !err; i++) {
		struct state s;

		err = state_get(q, batch[i].inst, &s);
		if (err || s.life != a->was[i].life) {
			err = !err && a->is_new[i] ? sweep_lives(q, &s) : err;
			continue;
		}
		err = wish_again(q, &batch[i], &s, a->late[i], &last);
		if (!err && a->is_new[i])
			err = note_dropped(q, &batch[i], &a->was[i], &s);
	}
	return err;
}

static int states_copy(struct clickhouse *q, const struct batch *batch, size_t n, struct state *ret)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = state_get(q, batch[i].inst, &ret[i]);
	return err;
}

static int add_all(struct clickhouse *q, const struct batch *batch, size_t n, const struct adding *a)
{
	int err = states_check(q, batch, n);

	if (!err)
		err = states_copy(q, batch, n, a->was);
	if (!err)
		err = note_reach(q, batch, n);
	if (!err)
		err = find_new(q, batch, n, a->is_new, a->late);
	if (!err)
		err = insert_new(q, batch, n, a->is_new, a->late);
	return err ? err : check_after(q, batch, n, a);
}

static int clickhouse_add(struct store *s, const struct batch *batch, size_t n, bool *ret_new)
{
	struct clickhouse *q = clickhouse_of(s);
	struct adding a = { calloc(n + 1, sizeof(*a.is_new)), calloc(n + 1, sizeof(*a.late)), calloc(n + 1, sizeof(*a.was)) };
	int err = a.is_new && a.late && a.was ? add_all(q, batch, n, &a) : -ENOMEM;

	memset(ret_new, 0, n * sizeof(*ret_new));
	if (!err)
		memcpy(ret_new, a.is_new, n * sizeof(*ret_new));
	free(a.is_new);
	free(a.late);
	free(a.was);
	return err;
}

static int clickhouse_oldest(struct store *s, __u64 inst, __s64 *ret_slot)
{
	struct state state;
	int err = state_get(clickhouse_of(s), inst, &state);

	if (!err)
		*ret_slot = state.dropped[0].before;
	return err;
}

/* --- instrumentations --- */

/* The next id is a register, see text.c: it only rises. */
static int clickhouse_next_id(struct store *s, __u64 *ret_id)
{
	struct clickhouse *q = clickhouse_of(s);
	char *old, text[24];
	__u64 id;
	int err = text_get(q, "next_id", &old);

	if (err)
		return err;
	id = *old ? strtoull(old, NULL, 10) : 1;
	free(old);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)id + 1);
	err = text_put(q, &(struct named_text){ "next_id", text, id + 1 }, 1);
	if (!err)
		*ret_id = id;
	return err;
}

static int clickhouse_inst_put(struct store *s, __u64 inst, const char *json)
{
	char name[40], next[24];
	const struct named_text row[] = { { name, json, 0 }, { "next_id", next, inst + 1 } };

	snprintf(name, sizeof(name), INST_NAME, (unsigned long long)inst);
	snprintf(next, sizeof(next), "%llu", (unsigned long long)inst + 1);
	return text_put(clickhouse_of(s), row, 2);
}

static int clickhouse_inst_delete(struct store *s, __u64 inst)
{
	struct clickhouse *q = clickhouse_of(s);
	struct state state;
	int err = state_get(q, inst, &state);

	if (!err)
		err = state_end(q, &state);
	if (err || !state.slot_ns)
		return err;
	state.life++;
	return sweep_lives(q, &state);
}

struct inst_each {
	void (*each)(void *arg, __u64 inst, const char *json);
	void *arg;
};

static int give_inst(void *arg, const char *name, const char *text)
{
	const struct inst_each *e = arg;

	e->each(e->arg, strtoull(name + strlen("inst."), NULL, 10), text);
	return 0;
}

static int clickhouse_inst_each(struct store *s, void (*each)(void *arg, __u64 inst, const char *json), void *arg)
{
	struct inst_each e = { each, arg };

	return text_each(clickhouse_of(s), "inst.", give_inst, &e);
}

static int clickhouse_identity(struct store *s, char ret_uuid[40])
{
	return schema_identity(clickhouse_of(s), ret_uuid);
}

/* --- texts of others, next to our own names in the table --- */

#define REMEMBERED "kept."

static int clickhouse_remember(struct store *s, const char *name, const char *text)
{
	char full[80];

	snprintf(full, sizeof(full), REMEMBERED "%s", name);
	return text_put(clickhouse_of(s), &(struct named_text){ full, text, 0 }, 1);
}

static int clickhouse_recall(struct store *s, const char *name, char *ret_text, size_t room)
{
	char full[80], *text;
	int err;

	snprintf(full, sizeof(full), REMEMBERED "%s", name);
	err = text_get(clickhouse_of(s), full, &text);
	snprintf(ret_text, room, "%s", err ? "" : text);
	if (!err)
		free(text);
	return err;
}

struct text_each {
	void (*each)(void *arg, const char *name, const char *text);
	void *arg;
};

static int give_text(void *arg, const char *name, const char *text)
{
	const struct text_each *e = arg;

	e->each(e->arg, name + strlen(REMEMBERED), text);
	return 0;
}

static int clickhouse_recall_each(struct store *s, const char *prefix, void (*each)(void *arg, const char *name, const char *text),
				  void *arg)
{
	struct text_each e = { each, arg };
	char full[80];

	snprintf(full, sizeof(full), REMEMBERED "%s", prefix);
	return text_each(clickhouse_of(s), full, give_text, &e);
}

/* --- opening --- */

static void clickhouse_close(struct store *s)
{
	struct clickhouse *q = clickhouse_of(s);

	request_close(q);
	free(q);
}

static const struct store_ops clickhouse_ops = {
	.close = clickhouse_close,
	.add = clickhouse_add,
	.read = clickhouse_read,
	.inst_put = clickhouse_inst_put,
	.inst_delete = clickhouse_inst_delete,
	.inst_each = clickhouse_inst_each,
	.next_id = clickhouse_next_id,
	.identity = clickhouse_identity,
	.remember = clickhouse_remember,
	.recall = clickhouse_recall,
	.recall_each = clickhouse_recall_each,
	.expire = clickhouse_expire,
	.oldest = clickhouse_oldest,
	.compact = clickhouse_compact,
	.limit = clickhouse_limit,
	.shrink = clickhouse_shrink,
	.size = clickhouse_size,
};

int store_clickhouse_open(const struct store_clickhouse_conf *conf, struct store **ret_store, char *reason, size_t room)
{
	struct clickhouse *q = calloc(1, sizeof(*q));
	int err;

	if (!q)
		return refuse_in(-ENOMEM, reason, room, "ClickHouse: no memory");
	q->store.ops = &clickhouse_ops;
	err = getrandom(&q->own, sizeof(q->own), 0) == sizeof(q->own) ? 0 : -EIO;
	q->own %= OWN_MAX;
	if (!err)
		err = request_open(q, conf);
	if (!err)
		err = schema_open(q);
	if (err) {
		snprintf(reason, room, "%s", q->store.reason[0] ? q->store.reason : strerror(-err));
		clickhouse_close(&q->store);
		return err;
	}
	*ret_store = &q->store;
	return 0;
}
