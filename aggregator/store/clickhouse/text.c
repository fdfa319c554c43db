/* Keeps short texts by name in the table `text`.  A new text is a further row with a higher version; "" removes.
 *
 * Registers  Numbers that only rise have themselves as their version.  So the highest one stays, in whatever order several
 *            processes write them, and no process can set one back.  In the same way the lowest one stays of numbers that
 *            only fall. */
#include "aggregator/store/clickhouse/clickhouse.h"

#include "collector/core/array.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMNS "name, text, version"
__u64 version_next(struct clickhouse *q)
{
	struct timespec now;
	__u64 now_ns;

	clock_gettime(CLOCK_REALTIME, &now);
	now_ns = (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
	now_ns = now_ns / OWN_MAX * OWN_MAX + q->own;
	q->version = now_ns > q->version ? now_ns : q->version + OWN_MAX;
	return q->version;
}

/* --- reading --- */

static int take_text(void *arg, struct cursor *c)
{
	struct row_text text = row_get_text(c);
	char **ret = arg;

	if (c->err)
		return 0;
	free(*ret);
	*ret = strndup((const char *)text.data, text.len);
	return *ret ? 0 : -ENOMEM;
}

int text_get(struct clickhouse *q, const char *name, char **ret_text)
{
	char *text = strdup("");
	int err;

	sql_begin(q, "SELECT argMax(text, version) FROM %s.text WHERE name = ", q->database);
	sql_put_text(q, name, strlen(name));
	err = text ? request_select(q, take_text, &text) : -ENOMEM;
	if (err) {
		free(text);
		return err;
	}
	*ret_text = text;
	return 0;
}

/* Collects names and texts, each with a NUL at its end. */
static int take_pair(void *arg, struct cursor *c)
{
	const struct row_text name = row_get_text(c), text = row_get_text(c);
	struct bytes *all = arg;

	if (c->err)
		return 0;
	bytes_put(all, name.data, strnlen((const char *)name.data, name.len));
	bytes_put(all, "", 1);
	bytes_put(all, text.data, strnlen((const char *)text.data, text.len));
	bytes_put(all, "", 1);
	return all->err;
}

static int each_pair(const struct bytes *all, int (*each)(void *arg, const char *name, const char *text), void *arg)
{
	const char *name, *text;
	int err = 0;

	for (size_t at = 0; !err && at < all->len; at = (size_t)(text + strlen(text) + 1 - (const char *)all->data)) {
		name = (const char *)all->data + at;
		text = name + strlen(name) + 1;
		err = each(arg, name, text);
	}
	return err;
}

/* Calls each() after the request, so that it may make requests itself. */
int text_each(struct clickhouse *q, const char *prefix, int (*each)(void *arg, const char *name, const char *text), void *arg)
{
	struct bytes all = { 0 };
	int err;

	sql_begin(q, "SELECT name, argMax(text, version) AS last FROM %s.text WHERE name >= ", q->database);
	sql_put_text(q, prefix, strlen(prefix));
	sql_put(q, " AND startsWith(name, ");
	sql_put_text(q, prefix, strlen(prefix));
	sql_put(q, ") GROUP BY name HAVING last != '' ORDER BY name");
	err = request_select(q, take_pair, &all);
	if (!err)
		err = each_pair(&all, each, arg);
	bytes_fini(&all);
	return err;
}

/* --- writing --- */

static int take_version(void *arg, struct cursor *c)
{
	__u64 version = cursor_get_int(c, 8);
	struct clickhouse *q = arg;

	if (!c->err && version >= q->version)
		q->version = version / OWN_MAX * OWN_MAX + q->own;
	return 0;
}

/* Raises the next version above those of these texts, which another process with another clock may have written. */
static int raise_version(struct clickhouse *q, const struct named_text *text, size_t n)
{
	sql_begin(q, "SELECT max(version) FROM %s.text WHERE name IN (", q->database);
	for (size_t i = 0; i < n; i++) {
		sql_put(q, i ? "," : "");
		sql_put_text(q, text[i].name, strlen(text[i].name));
	}
	sql_put(q, ")");
	return request_select(q, take_version, q);
}

int text_put(struct clickhouse *q, const struct named_text *text, size_t n)
{
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < n; i++)
		any = any || !text[i].version;
	if (any)
		err = raise_version(q, text, n);
	if (err)
		return err;
	bytes_clear(&q->rows);
	for (size_t i = 0; i < n; i++) {
		row_put_text(&q->rows, text[i].name, strlen(text[i].name));
		row_put_text(&q->rows, text[i].text, strlen(text[i].text));
		bytes_put_int(&q->rows, text[i].version ? text[i].version : version_next(q), 8);
	}
	return request_insert(q, "text", COLUMNS);
}

/* --- the states of instrumentations --- */

#define STATE_PREFIX "state.%020llu."
#define LIFE_PREFIX STATE_PREFIX "%010u."
#define AGAIN "again."

static const struct {
	const char *name;
	size_t at;			/* in struct state */
	bool falls;			/* it only falls: the lowest one stays */
} registers[] = {
	{ "rolling1", offsetof(struct state, rolling[1]), false },
	{ "rolling2", offsetof(struct state, rolling[2]), false },
	{ "rolled1", offsetof(struct state, rolled[1]), false },
	{ "rolled2", offsetof(struct state, rolled[2]), false },
	{ "dropped0", offsetof(struct state, dropped[0].before), false },
	{ "dropped1", offsetof(struct state, dropped[1].before), false },
	{ "dropped2", offsetof(struct state, dropped[2].before), false },
	{ "first0", offsetof(struct state, dropped[0].first), true },
	{ "first1", offsetof(struct state, dropped[1].first), true },
	{ "first2", offsetof(struct state, dropped[2].first), true },
	{ "swept0", offsetof(struct state, swept[0]), false },
	{ "swept1", offsetof(struct state, swept[1]), false },
	{ "swept2", offsetof(struct state, swept[2]), false },
	{ "reach", offsetof(struct state, reach), false },
};
enum { N_REGISTERS = sizeof(registers) / sizeof(*registers) };

static __s64 *number_at(const struct state *s, size_t at)
{
	return (__s64 *)((char *)s + at);
}

static struct state state_fresh(__u64 inst, __u32 life)
{
	struct state s = { .inst = inst, .life = life };

	for (int i = 0; i < TIERS; i++)
		s.dropped[i] = (struct dropped_slots){ INT64_MAX, INT64_MIN };
	return s;
}

static size_t state_place(const struct clickhouse *q, __u64 inst)
{
	return array_place(q->n_states, at, q->state[at].inst < inst);
}

static int state_know(struct clickhouse *q, const struct state *s)
{
	size_t at = state_place(q, s->inst);

	if (at == q->n_states || q->state[at].inst != s->inst) {
		if (array_grow(&q->state, q->n_states, &q->states_room, sizeof(*s)))
			return -ENOMEM;
		memmove(&q->state[at + 1], &q->state[at], (q->n_states++ - at) * sizeof(*s));
	}
	q->state[at] = *s;
	return 0;
}

void states_forget(struct clickhouse *q)
{
	q->n_states = 0;
	q->n_again = 0;
}

static int take_again(struct clickhouse *q, const struct state *s, const char *name, const char *text)
{
	struct again a = { .inst = s->inst, .slot = strtoll(text, NULL, 10) };

	if (array_grow(&q->again, q->n_again, &q->again_room, sizeof(a)))
		return -ENOMEM;
	snprintf(a.name, sizeof(a.name), "%s", name);
	q->again[q->n_again++] = a;
	return 0;
}

/* Sets the register that is called so.  False: no register has this name, or its text is not one of ours. */
static bool take_register(struct state *s, const char *name, const char *text)
{
	char *end;
	long long value = strtoll(text, &end, 10);

	if (!strcmp(name, "length")) {
		s->slot_ns = (__u64)value;
		return !*end && tier_fits(s->slot_ns);
	}
	for (size_t i = 0; i < N_REGISTERS; i++)
		if (!strcmp(name, registers[i].name)) {
			*number_at(s, registers[i].at) = value;
			return !*end;
		}
	return false;
}

/* Names come in their order: lives ascend, and the text that names the newest life is the last one. */
static int take_state(void *arg, const char *name, const char *text)
{
	struct clickhouse *q = arg;
	unsigned long long inst = 0;
	unsigned life = 0;
	int after_inst = 0, after_life = 0;
	struct state *s;
	bool good = true;

	sscanf(name, "state.%20llu.%n%10u.%n", &inst, &after_inst, &life, &after_life);
	s = &q->state[state_place(q, inst)];
	if (!after_inst || s == &q->state[q->n_states] || s->inst != inst)
		return 0;
	if (!after_life)
		life = (unsigned)strtoul(text, NULL, 10);
	if (life > s->life)
		*s = state_fresh(inst, life);
	if (after_life && !strncmp(name + after_life, AGAIN, strlen(AGAIN)))
		return take_again(q, s, name, text);
	if (after_life)
		good = take_register(s, name + after_life, text);
	return good ? 0 : refuse_in(-EBADMSG, q->store.reason, sizeof(q->store.reason), "ClickHouse at %.80s: the text %.60s of the "
				    "table text is not one of heatscoped", q->url, name);
}

static int take_any_state(void *arg, const char *name, const char *text)
{
	struct clickhouse *q = arg;
	unsigned long long inst = strtoull(name + strlen("state."), NULL, 10);
	const struct state fresh = state_fresh(inst, 0);
	size_t at = state_place(q, inst);
	int err = at < q->n_states && q->state[at].inst == inst ? 0 : state_know(q, &fresh);

	return err ? err : take_state(q, name, text);
}

int states_load_all(struct clickhouse *q)
{
	int err;

	states_forget(q);
	err = text_each(q, "state.", take_any_state, q);
	if (err)
		states_forget(q);
	return err;
}

static int load_known(struct clickhouse *q)
{
	struct bytes all = { 0 };
	int err;

	sql_begin(q, "SELECT name, argMax(text, version) AS last FROM %s.text WHERE name >= 'state.%020llu' AND name < 'state.%020llu.~' "
		  "AND substring(name, 7, 20) IN (", q->database, (unsigned long long)q->state[0].inst,
		  (unsigned long long)q->state[q->n_states - 1].inst);
	for (size_t i = 0; i < q->n_states; i++)
		sql_put(q, "%s'%020llu'", i ? "," : "", (unsigned long long)q->state[i].inst);
	sql_put(q, ") GROUP BY name HAVING last != '' ORDER BY name");
	err = request_select(q, take_pair, &all);
	if (!err)
		err = each_pair(&all, take_state, q);
	bytes_fini(&all);
	return err;
}

int states_load(struct clickhouse *q, const struct batch *batch, size_t n)
{
	int err = 0;

	states_forget(q);
	for (size_t i = 0; i < n && !err; i++) {
		const struct state s = state_fresh(batch[i].inst, 0);

		if (!i || batch[i].inst != batch[i - 1].inst)
			err = state_know(q, &s);
	}
	if (!err && n)
		err = load_known(q);
	if (err)
		states_forget(q);
	return err;
}

int state_get(struct clickhouse *q, __u64 inst, struct state *ret_state)
{
	const struct batch of = { .inst = inst };
	size_t at = state_place(q, inst);
	int err = 0;

	if (at == q->n_states || q->state[at].inst != inst) {
		err = states_load(q, &of, 1);
		at = 0;
	}
	if (!err)
		*ret_state = q->state[at];
	return err;
}

/* No slot is before 0, so numbers that rise begin there. */
static bool has_moved(size_t i, __s64 was, __s64 now)
{
	return registers[i].falls ? now < was : now > was && now > 0;
}

int state_put(struct clickhouse *q, const struct state *s)
{
	char name[N_REGISTERS][64], text[N_REGISTERS][24];
	struct named_text row[N_REGISTERS];
	struct state was;
	size_t n = 0;
	int err = state_get(q, s->inst, &was);

	for (size_t i = 0; i < N_REGISTERS && !err; i++) {
		__s64 value = *number_at(s, registers[i].at);

		if (!has_moved(i, *number_at(&was, registers[i].at), value))
			continue;
		snprintf(name[n], sizeof(name[n]), LIFE_PREFIX "%s", (unsigned long long)s->inst, s->life, registers[i].name);
		snprintf(text[n], sizeof(text[n]), "%lld", (long long)value);
		row[n] = (struct named_text){ name[n], text[n], registers[i].falls ? UINT64_MAX - (__u64)value : (__u64)value };
		n++;
	}
	if (!err && n)
		err = text_put(q, row, n);
	if (!err)
		err = state_know(q, s);
	return err;
}

int state_begin(struct clickhouse *q, struct state *s, __u64 slot_ns)
{
	char name[64], text[32];
	const struct named_text row = { name, text, UINT64_MAX - version_next(q) };	/* the first one stays */
	int err;

	snprintf(name, sizeof(name), LIFE_PREFIX "length", (unsigned long long)s->inst, s->life);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)slot_ns);
	err = text_put(q, &row, 1);
	states_forget(q);
	return err ? err : state_get(q, s->inst, s);
}

int state_end(struct clickhouse *q, const struct state *s)
{
	char inst_name[40], name[64], life[16];
	const struct named_text row[] = { { inst_name, "", 0 }, { name, life, s->life + 1 } };
	int err;

	snprintf(inst_name, sizeof(inst_name), INST_NAME, (unsigned long long)s->inst);
	snprintf(name, sizeof(name), STATE_PREFIX "life", (unsigned long long)s->inst);
	snprintf(life, sizeof(life), "%u", s->life + 1);
	err = text_put(q, row, 2);
	states_forget(q);
	return err;
}

/* Each wish has a name of its own, so that one that comes while another is fulfilled is not removed with it. */
int again_put(struct clickhouse *q, const struct state *s, __s64 slot)
{
	char name[AGAIN_NAME_MAX], text[32];
	const struct named_text row = { name, text, 1 };

	snprintf(name, sizeof(name), LIFE_PREFIX AGAIN "%020lld.%016llx", (unsigned long long)s->inst, s->life, (long long)slot,
		 (unsigned long long)version_next(q));
	snprintf(text, sizeof(text), "%lld", (long long)slot);
	return text_put(q, &row, 1);
}

int again_remove(struct clickhouse *q, const struct again *a)
{
	return text_put(q, &(struct named_text){ a->name, "", 2 }, 1);
}
