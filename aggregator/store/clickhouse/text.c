/* Keeps short texts by name in the table `text`.  A new text is a further row with a higher version; "" removes. */
#include "aggregator/store/clickhouse/clickhouse.h"

#include "collector/core/array.h"
#include "collector/core/refuse.h"

#include <errno.h>
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
	q->version = now_ns > q->version ? now_ns : q->version + 1;
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

/* Calls each() after the request, so that it may make requests itself. */
int text_each(struct clickhouse *q, const char *prefix, int (*each)(void *arg, const char *name, const char *text), void *arg)
{
	struct bytes all = { 0 };
	const char *name, *text;
	int err;

	sql_begin(q, "SELECT name, argMax(text, version) AS last FROM %s.text WHERE name >= ", q->database);
	sql_put_text(q, prefix, strlen(prefix));
	sql_put(q, " AND startsWith(name, ");
	sql_put_text(q, prefix, strlen(prefix));
	sql_put(q, ") GROUP BY name HAVING last != '' ORDER BY name");
	err = request_select(q, take_pair, &all);
	for (size_t at = 0; !err && at < all.len; at = (size_t)(text + strlen(text) + 1 - (const char *)all.data)) {
		name = (const char *)all.data + at;
		text = name + strlen(name) + 1;
		err = each(arg, name, text);
	}
	bytes_fini(&all);
	return err;
}

static int take_version(void *arg, struct cursor *c)
{
	__u64 version = cursor_get_int(c, 8);
	struct clickhouse *q = arg;

	if (!c->err && version > q->version)
		q->version = version;
	return 0;
}

int text_raise_version(struct clickhouse *q)
{
	sql_begin(q, "SELECT max(version) FROM %s.text", q->database);
	return request_select(q, take_version, q);
}

/* --- writing --- */

int text_put(struct clickhouse *q, const struct named_text *text, size_t n)
{
	bytes_clear(&q->rows);
	for (size_t i = 0; i < n; i++) {
		row_put_text(&q->rows, text[i].name, strlen(text[i].name));
		row_put_text(&q->rows, text[i].text, strlen(text[i].text));
		bytes_put_int(&q->rows, version_next(q), 8);
	}
	return request_insert(q, "text", COLUMNS);
}

/* --- the state of an instrumentation --- */

#define STATE_FORMAT "1 %u %llu %lld %lld %lld %lld %lld %lld %lld %lld %lld"

void state_format(const struct state *s, char *out, size_t room)
{
	const struct dropped_slots *d = s->dropped;

	snprintf(out, room, STATE_FORMAT, s->life, (unsigned long long)s->slot_ns, (long long)s->rolled[1], (long long)s->rolled[2],
		 (long long)d[0].first, (long long)d[0].before, (long long)d[1].first, (long long)d[1].before,
		 (long long)d[2].first, (long long)d[2].before, (long long)s->swept);
}

static int state_parse(const char *text, struct state *s)
{
	unsigned long long slot_ns;
	long long n[9];

	if (sscanf(text, STATE_FORMAT, &s->life, &slot_ns, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8]) != 11 ||
	    (slot_ns && !tier_fits(slot_ns)))
		return -EBADMSG;
	s->slot_ns = slot_ns;
	s->rolled[1] = n[0];
	s->rolled[2] = n[1];
	for (int i = 0; i < TIERS; i++)
		s->dropped[i] = (struct dropped_slots){ n[2 + 2 * i], n[3 + 2 * i] };
	s->swept = n[8];
	return 0;
}

static int state_load(struct clickhouse *q, __u64 inst, struct state *s)
{
	char name[40], *text;
	int err;

	*s = (struct state){ .inst = inst, .rolled = { 0 }, .swept = INT64_MIN };
	for (int i = 0; i < TIERS; i++)
		s->dropped[i] = (struct dropped_slots){ INT64_MIN, INT64_MIN };
	snprintf(name, sizeof(name), STATE_NAME, (unsigned long long)inst);
	err = text_get(q, name, &text);
	if (err)
		return err;
	err = *text ? state_parse(text, s) : 0;
	if (err)
		snprintf(q->store.reason, sizeof(q->store.reason), "ClickHouse at %.80s: the text %s of the table text is not one of "
			 "heatscoped", q->url, name);
	free(text);
	return err;
}

static size_t state_place(const struct clickhouse *q, __u64 inst)
{
	return array_place(q->n_states, at, q->state[at].inst < inst);
}

int state_get(struct clickhouse *q, __u64 inst, struct state *ret_state)
{
	size_t at = state_place(q, inst);
	struct state s;
	int err;

	if (at < q->n_states && q->state[at].inst == inst) {
		*ret_state = q->state[at];
		return 0;
	}
	err = state_load(q, inst, &s);
	if (err)
		return err;
	state_know(q, &s);
	*ret_state = s;
	return 0;
}

/* If there is no memory, it is read again the next time. */
void state_know(struct clickhouse *q, const struct state *s)
{
	size_t at = state_place(q, s->inst);

	if (at == q->n_states || q->state[at].inst != s->inst) {
		if (array_grow(&q->state, q->n_states, &q->states_room, sizeof(*s)))
			return;
		memmove(&q->state[at + 1], &q->state[at], (q->n_states++ - at) * sizeof(*s));
	}
	q->state[at] = *s;
}

void state_forget(struct clickhouse *q)
{
	q->n_states = 0;
}

int state_put(struct clickhouse *q, const struct state *s)
{
	char name[40], text[300];
	const struct named_text row = { name, text };
	int err;

	snprintf(name, sizeof(name), STATE_NAME, (unsigned long long)s->inst);
	state_format(s, text, sizeof(text));
	err = text_put(q, &row, 1);
	if (err)
		state_forget(q);	/* it may have come through without its answer */
	else
		state_know(q, s);
	return err;
}
