#include "aggregator/store/clickhouse/clickhouse.h"

#include "aggregator/store/observation.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_MAX 1000			/* names in one question */

struct clickhouse *clickhouse_of(struct store *s)
{
	s->reason[0] = 0;
	return (struct clickhouse *)s;
}

/* --- names of batches: which are new --- */

struct named_batch {
	const struct batch *batch;
	size_t at;			/* index in add()'s array */
	bool is_known;
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

	b.slot = (__s64)cursor_get_int(c, 8);
	source = row_get_text(c);
	b.incarnation = cursor_get_int(c, 8);
	b.seq = (__u32)cursor_get_int(c, 4);
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
			for (; i < question->n && !batch_compare(question->name[i].batch, &b); i++)
				question->name[i].is_known = true;
	}
	return 0;
}

static void put_names(struct clickhouse *q, const struct named_batch *name, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct batch *b = name[i].batch;

		sql_put(q, "%s(%llu,%lld,", i ? "," : "", (unsigned long long)b->inst, (long long)b->slot);
		sql_put_text(q, b->source, strlen(b->source));
		sql_put(q, ",%llu,%u)", (unsigned long long)b->incarnation, b->seq);
	}
}

/* Asks for some of the names; they ascend by instrumentation. */
static int ask_some(struct clickhouse *q, const struct question *all, size_t from, size_t n)
{
	const struct named_batch *name = all->name + from;
	__s64 first = name->batch->slot, last = first;
	unsigned day = 65535, last_day = 0;

	sql_begin(q, "SELECT inst, slot, source, incarnation, seq FROM %s.filed WHERE kind = %d AND axis = 0 AND weight = 0 AND ruler = 0 "
		  "AND key = '' AND (inst, life) IN (", q->database, ROW_NAME);
	for (size_t i = 0; i < n; i++) {
		const struct batch *b = name[i].batch;
		struct state s;
		int err;

		first = b->slot < first ? b->slot : first;
		last = b->slot > last ? b->slot : last;
		day = row_day(b->slot_ns, b->slot) < day ? row_day(b->slot_ns, b->slot) : day;
		last_day = row_day(b->slot_ns, b->slot) > last_day ? row_day(b->slot_ns, b->slot) : last_day;
		if (i && b->inst == name[i - 1].batch->inst)
			continue;
		err = state_get(q, b->inst, &s);	/* it is known since states_check() */
		if (err)
			return err;
		sql_put(q, "%s(%llu,%u)", i ? "," : "", (unsigned long long)b->inst, s.life);
	}
	sql_put(q, ") AND day >= toDate(%u) AND day <= toDate(%u) AND slot >= %lld AND slot <= %lld AND "
		"(inst, slot, source, incarnation, seq) IN (", day, last_day, (long long)first, (long long)last);
	put_names(q, name, n);
	sql_put(q, ")");
	return request_select(q, take_known, (void *)all);
}

/* Sets ret_new of each batch that is neither known nor a second one of its name. */
static int find_new(struct clickhouse *q, const struct batch *batch, size_t n, bool *ret_new)
{
	struct question all = { calloc(n + 1, sizeof(*all.name)), n };
	int err = all.name ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++)
		all.name[i] = (struct named_batch){ &batch[i], i, false };
	if (!err)
		qsort(all.name, n, sizeof(*all.name), name_compare);
	for (size_t at = 0; at < n && !err; at += ASK_MAX)
		err = ask_some(q, &all, at, n - at < ASK_MAX ? n - at : ASK_MAX);
	for (size_t i = 0; i < n && !err; i++)
		ret_new[all.name[i].at] = !all.name[i].is_known && !(i && !batch_compare(all.name[i - 1].batch, all.name[i].batch));
	free(all.name);
	return err;
}

/* --- adding --- */

static void put_slices(struct clickhouse *q, const struct batch *b, const struct state *s, struct row *row)
{
	for (int tier = 0; tier < TIERS; tier++) {
		if (tier && b->slot >= s->rolled[tier])
			continue;	/* the tier's row will be made of tier 0 */
		row->kind = (enum row_kind)tier;
		row->slot = tier_down(b->slot, tier_slots(b->slot_ns, tier));
		for (size_t i = 0; i < b->n_slices; i++) {
			row->slice = &b->slice[i];
			row->part = (__u32)i;
			row_put(&q->rows, row);
		}
	}
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
	if (b->slot < s->rolled[TIERS - 1])
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

static void put_batch(struct clickhouse *q, const struct batch *b, const struct state *s)
{
	struct row row = { .slot_ns = b->slot_ns, .inst = b->inst, .life = s->life, .slot = b->slot, .source = b->source,
			   .incarnation = b->incarnation, .batch_slot = b->slot, .seq = b->seq };

	put_slices(q, b, s, &row);
	put_cover(q, b, s, &row);
	put_facts(q, b, &row);
}

/* The first batch sets the length of the slots, which never changes after that. */
static int state_check(struct clickhouse *q, const struct batch *b)
{
	int err = store_check(&q->store, b);
	struct state s;

	if (!err)
		err = state_get(q, b->inst, &s);
	if (err || s.slot_ns == b->slot_ns)
		return err;
	if (s.slot_ns)
		return refuse_in(-EBADMSG, q->store.reason, sizeof(q->store.reason), "a batch of %s has slots of %llu ns, not of %llu "
				 "ns", b->source, (unsigned long long)b->slot_ns, (unsigned long long)s.slot_ns);
	s.slot_ns = b->slot_ns;
	return state_put(q, &s);
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

	for (size_t i = 0; i < n && !err; i++)
		err = store_check(&q->store, &batch[i]);
	for (size_t i = 0; i < n && !err; i++)
		err = state_check(q, &batch[i]);
	return err;
}

/* Writes the rows of the new batches; those of dropped slots are not new. */
static int insert_new(struct clickhouse *q, const struct batch *batch, size_t n, bool *is_new)
{
	int err = 0;

	bytes_clear(&q->rows);
	for (size_t i = 0; i < n && !err; i++) {
		struct state s;

		if (!is_new[i])
			continue;
		err = state_get(q, batch[i].inst, &s);
		is_new[i] = !err && observation_last(&batch[i]) >= s.dropped[0].before;
		if (is_new[i])
			put_batch(q, &batch[i], &s);
	}
	return err || !q->rows.len ? err : request_insert(q, "filed", ROW_COLUMNS);
}

static int clickhouse_add(struct store *s, const struct batch *batch, size_t n, bool *ret_new)
{
	struct clickhouse *q = clickhouse_of(s);
	bool *is_new = calloc(n + 1, sizeof(*is_new));
	int err = is_new ? states_check(q, batch, n) : -ENOMEM;

	memset(ret_new, 0, n * sizeof(*ret_new));
	if (!err)
		err = find_new(q, batch, n, is_new);
	if (!err)
		err = insert_new(q, batch, n, is_new);
	if (!err)
		memcpy(ret_new, is_new, n * sizeof(*ret_new));
	free(is_new);
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

static int get_next_id(struct clickhouse *q, __u64 *ret_id)
{
	char *text;
	int err = text_get(q, "next_id", &text);

	if (err)
		return err;
	*ret_id = strtoull(text, NULL, 10);
	free(text);
	return *ret_id ? 0 : refuse_in(-EBADMSG, q->store.reason, sizeof(q->store.reason), "the store: damaged, it has no next id");
}

static int clickhouse_next_id(struct store *s, __u64 *ret_id)
{
	struct clickhouse *q = clickhouse_of(s);
	char text[24];
	__u64 id;
	int err = get_next_id(q, &id);

	if (err)
		return err;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)id + 1);
	err = text_put(q, &(struct named_text){ "next_id", text }, 1);
	if (!err)
		*ret_id = id;
	return err;
}

static int clickhouse_inst_put(struct store *s, __u64 inst, const char *json)
{
	struct clickhouse *q = clickhouse_of(s);
	char name[40], next[24];
	const struct named_text row[] = { { name, json }, { "next_id", next } };
	__u64 id;
	int err = get_next_id(q, &id);

	snprintf(name, sizeof(name), INST_NAME, (unsigned long long)inst);
	snprintf(next, sizeof(next), "%llu", (unsigned long long)inst + 1);
	return err ? err : text_put(q, row, inst >= id ? 2 : 1);
}

static int clickhouse_inst_delete(struct store *s, __u64 inst)
{
	struct clickhouse *q = clickhouse_of(s);
	char name[40], state_name[40], text[300];
	const struct named_text row[] = { { name, "" }, { state_name, text } };
	struct state was, state = { .inst = inst };
	int err = state_get(q, inst, &was);

	if (err)
		return err;
	state = (struct state){ .inst = inst, .life = was.life + 1, .rolled = { 0 }, .swept = INT64_MIN };
	for (int i = 0; i < TIERS; i++)
		state.dropped[i] = (struct dropped_slots){ INT64_MIN, INT64_MIN };
	snprintf(name, sizeof(name), INST_NAME, (unsigned long long)inst);
	snprintf(state_name, sizeof(state_name), STATE_NAME, (unsigned long long)inst);
	state_format(&state, text, sizeof(text));
	err = text_put(q, row, 2);
	state_forget(q);
	return err || !was.slot_ns ? err : sweep_lives(q, &state);
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
	char *text;
	int err = text_get(clickhouse_of(s), "uuid", &text);

	if (err)
		return err;
	snprintf(ret_uuid, 40, "%s", text);
	free(text);
	return *ret_uuid ? 0 : -EBADMSG;
}

/* --- texts of others, next to our own names in the table --- */

#define REMEMBERED "kept."

static int clickhouse_remember(struct store *s, const char *name, const char *text)
{
	char full[80];

	snprintf(full, sizeof(full), REMEMBERED "%s", name);
	return text_put(clickhouse_of(s), &(struct named_text){ full, text }, 1);
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
	free(q->state);
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
};

int store_clickhouse_open(const struct store_clickhouse_conf *conf, struct store **ret_store, char *reason, size_t room)
{
	struct clickhouse *q = calloc(1, sizeof(*q));
	int err;

	if (!q)
		return refuse_in(-ENOMEM, reason, room, "ClickHouse: no memory");
	q->store.ops = &clickhouse_ops;
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
