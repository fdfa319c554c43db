/* Keeps the active parts of our tables below a size.  shrink() takes one step at a time, as ClickHouse removes rows in the
 * background:
 *
 *      too large -> drop the oldest slots -> (next call) remove their rows -> (when that is done) measure again
 *
 * It drops the oldest data of the finest tier that has more than its floor: the newest hour of slots, day of minutes, month
 * of hours, of each instrumentation.  When all are at their floors, the floors are quartered.
 *
 * Size    ClickHouse does not say how many bytes rows of a tier take, so each row counts as the mean of all rows.  If more
 *         must go, the next step drops more. */
#include "aggregator/store/clickhouse/clickhouse.h"

#include "collector/core/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 10			/* of quartering: a hundred thousandth of an hour */

struct size {
	__u64 bytes, rows;
};

static int take_size(void *arg, struct cursor *c)
{
	struct size size = { .bytes = cursor_get_int(c, 8) };

	size.rows = cursor_get_int(c, 8);
	if (!c->err)
		*(struct size *)arg = size;
	return 0;
}

static int measure_size(struct clickhouse *q, struct size *ret)
{
	*ret = (struct size){ 0, 0 };
	sql_begin(q, "SELECT sum(bytes_on_disk), sum(rows) FROM system.parts WHERE active AND database = '%s' AND table IN ('" FILED "', "
		  "'text')", q->database);
	return request_select(q, take_size, ret);
}

static int take_number(void *arg, struct cursor *c)
{
	__s64 n = (__s64)cursor_get_int(c, 8);

	if (!c->err)
		*(__s64 *)arg = n;
	return 0;
}

/* Are rows still being removed? */
static int is_sweeping(struct clickhouse *q, __s64 *ret_n)
{
	*ret_n = 0;
	sql_begin(q, "SELECT count() FROM system.mutations WHERE database = '%s' AND table = '" FILED "' AND NOT is_done", q->database);
	return request_select(q, take_number, ret_n);
}

/* --- which slots --- */

struct block {				/* an hour of a tier */
	__s64 first;			/* its slot of tier 0 */
	__u64 rows;
};

struct tier_blocks {
	struct block *block;		/* ascending */
	size_t n, room, next;		/* blocks before `next` are chosen */
};

struct plan {				/* of an instrumentation */
	struct state state;
	struct tier_blocks tier[TIERS];
	__s64 newest;			/* reported slot; 0: none */
	__s64 slot[TIERS];		/* each tier is to be dropped before it */
};

static int take_block(void *arg, struct cursor *c)
{
	unsigned kind = (unsigned)cursor_get_int(c, 1);
	struct block b = { .first = (__s64)cursor_get_int(c, 8) };
	struct plan *p = arg;
	struct tier_blocks *t;

	b.rows = cursor_get_int(c, 8);
	if (c->err || kind >= TIERS)
		return 0;
	t = &p->tier[kind];
	if (array_grow(&t->block, t->n, &t->room, sizeof(b)))
		return -ENOMEM;
	t->block[t->n++] = b;
	return 0;
}

/* Slots of a clock that was ahead are not the newest ones. */
static int find_newest(struct clickhouse *q, struct plan *p)
{
	__s64 now = q->store.now_ns > 0 ? q->store.now_ns / (__s64)p->state.slot_ns : INT64_MAX;
	int err;

	sql_begin(q, "SELECT maxIf(last, last <= %lld)", (long long)now);
	sql_put_rows(q, &p->state, ROW_NAME, 0, INT64_MAX);
	err = request_select(q, take_number, &p->newest);
	if (err || p->newest)
		return err;
	sql_begin(q, "SELECT max(last)");
	sql_put_rows(q, &p->state, ROW_NAME, 0, INT64_MAX);
	return request_select(q, take_number, &p->newest);
}

static int plan_begin(struct clickhouse *q, struct plan *p)
{
	long long per = tier_slots(p->state.slot_ns, TIERS - 1);
	int err = find_newest(q, p);

	for (int tier = 0; tier < TIERS; tier++)
		p->slot[tier] = horizon_of(&p->state, tier);
	if (err)
		return err;
	sql_begin(q, "SELECT kind, intDiv(slot, %lld) * %lld AS block, count() FROM %s." FILED " WHERE inst = %llu AND life = %u "
		  "AND kind < %d GROUP BY kind, block ORDER BY kind, block", per, per, q->database,
		  (unsigned long long)p->state.inst, p->state.life, TIERS);
	return request_select(q, take_block, p);
}

/* Returns the slot before which a tier may be dropped in one step more; INT64_MIN: it is at its floor. */
static __s64 next_step(struct plan *p, int tier, int round)
{
	static const __s64 floor_s[TIERS] = { 3600, 86400, 30 * 86400 };
	struct tier_blocks *t = &p->tier[tier];
	__s64 per = tier_slots(p->state.slot_ns, TIERS - 1), end;

	while (t->next < t->n && t->block[t->next].first + per <= p->slot[tier])
		t->next++;
	if (t->next == t->n)
		return INT64_MIN;
	end = p->newest + 1 - ((floor_s[tier] * (1000000000 / (__s64)p->state.slot_ns)) >> (2 * round));
	end = t->block[t->next].first + per < end ? t->block[t->next].first + per : end;
	end = tier_down(end, tier_slots(p->state.slot_ns, tier));
	return end > p->slot[tier] && end > t->block[t->next].first ? end : INT64_MIN;
}

/* Chooses the oldest step of the tier.  Returns how many rows it has; 0: all are at their floors. */
static __u64 choose_step(struct plan *plan, size_t n, int tier, int round)
{
	struct plan *oldest = NULL;
	__int128 oldest_ns = 0;
	__s64 before = 0;

	for (size_t i = 0; i < n; i++) {
		__s64 end = next_step(&plan[i], tier, round);
		__int128 ns = (__int128)end * (__int128)plan[i].state.slot_ns;

		if (end == INT64_MIN || (oldest && ns >= oldest_ns))
			continue;
		oldest = &plan[i];
		oldest_ns = ns;
		before = end;
	}
	if (!oldest)
		return 0;
	for (int i = 0; i <= tier; i++)		/* a finer tier keeps at most as much */
		oldest->slot[i] = oldest->slot[i] > before ? oldest->slot[i] : before;
	return oldest->tier[tier].block[oldest->tier[tier].next].rows;
}

static void choose_slots(struct plan *plan, size_t n, __u64 rows)
{
	__u64 chosen = 0, more;

	for (int round = 0; round < ROUNDS && chosen < rows; round++)
		for (int tier = 0; tier < TIERS && chosen < rows; tier++)
			while (chosen < rows && (more = choose_step(plan, n, tier, round)))
				chosen += more;
}

/* --- a step --- */

/* Keeps the states whose rows the next call may remove. */
static int note_unswept(struct clickhouse *q, size_t *ret_n)
{
	struct state *noted = calloc(q->n_states + 1, sizeof(*noted));

	if (!noted)
		return -ENOMEM;
	*ret_n = 0;
	for (size_t i = 0; i < q->n_states; i++) {
		bool any = false;

		for (int tier = 0; tier < TIERS; tier++)
			any = any || q->state[i].dropped[tier].before > q->state[i].swept[tier];
		if (any)
			noted[(*ret_n)++] = q->state[i];
	}
	free(q->to_sweep);
	q->to_sweep = noted;
	q->n_to_sweep = *ret_n;
	return 0;
}

static int sweep_noted(struct clickhouse *q)
{
	int err = 0;

	for (size_t i = 0; i < q->n_to_sweep && !err; i++) {
		const struct state *noted = &q->to_sweep[i];
		__s64 horizon[TIERS];
		struct state s;

		for (int tier = 0; tier < TIERS; tier++)
			horizon[tier] = horizon_of(noted, tier);
		states_forget(q);
		err = state_get(q, noted->inst, &s);
		if (!err && s.life == noted->life)
			err = sweep(q, &s, horizon);
	}
	q->n_to_sweep = 0;
	return err;
}

static int drop_plan(struct clickhouse *q, struct plan *plan, size_t n)
{
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct state s = plan[i].state;

		err = expire_state(q, &s, plan[i].slot);
		for (int tier = 0; tier < TIERS; tier++)
			any = any || s.dropped[tier].before > plan[i].state.dropped[tier].before;
	}
	q->store.n_dropped += !err && any;
	return err;
}

static int drop_rows(struct clickhouse *q, __u64 rows)
{
	struct plan *plan = calloc(q->n_states + 1, sizeof(*plan));
	size_t n = 0;
	int err = plan ? 0 : -ENOMEM;

	for (size_t i = 0; i < q->n_states && !err; i++)
		if (q->state[i].slot_ns)
			plan[n++].state = q->state[i];
	for (size_t i = 0; i < n && !err; i++)
		err = plan_begin(q, &plan[i]);
	if (!err) {
		choose_slots(plan, n, rows);
		err = drop_plan(q, plan, n);
	}
	for (size_t i = 0; i < n; i++)
		for (int tier = 0; tier < TIERS; tier++)
			free(plan[i].tier[tier].block);
	free(plan);
	return err;
}

int clickhouse_shrink(struct store *store)
{
	struct clickhouse *q = clickhouse_of(store);
	struct size size = { 0, 0 };
	size_t n_unswept;
	__s64 n = 0;
	int err = q->max_bytes ? is_sweeping(q, &n) : 0;

	if (err || n || !q->max_bytes)
		return err;
	if (q->n_to_sweep)
		return sweep_noted(q);
	err = measure_size(q, &size);
	if (err || size.bytes / 9 <= q->max_bytes / 10)
		return err;
	err = states_load_all(q);
	if (!err)
		err = note_unswept(q, &n_unswept);
	if (err || n_unswept)
		return err;
	err = drop_rows(q, (__u64)((__int128)size.rows * (size.bytes - q->max_bytes / 10 * 8) / size.bytes));
	if (!err)
		err = states_load_all(q);
	return err ? err : note_unswept(q, &n_unswept);
}

int clickhouse_size(struct store *store, __u64 *ret_bytes)
{
	struct size size;
	int err = measure_size(clickhouse_of(store), &size);

	if (!err)
		*ret_bytes = size.bytes;
	return err;
}

/* Only the leader calls it. */
int clickhouse_limit(struct store *store, __u64 bytes)
{
	clickhouse_of(store)->max_bytes = bytes;
	return 0;
}

/* --- days without rows --- */

#define DAYS_MAX 100			/* that one call drops */

struct days {
	unsigned before;		/* days of 1970 before it are dropped from all tiers */
	char id[DAYS_MAX][16];		/* of partitions */
	size_t n;
};

static int take_day(void *arg, struct cursor *c)
{
	unsigned day = (unsigned)cursor_get_int(c, 2);
	struct row_text id = row_get_text(c);
	struct days *d = arg;

	if (!c->err && day < d->before && d->n < DAYS_MAX && id.len < sizeof(d->id[0]))
		snprintf(d->id[d->n++], sizeof(d->id[0]), "%.*s", (int)id.len, (const char *)id.data);
	return 0;
}

/* The rows of a day are removed before its parts: a part without rows is small, and stays until its day is dropped. */
int drop_empty_days(struct clickhouse *q)
{
	struct days days = { .before = UINT16_MAX };
	int err = states_load_all(q);

	for (size_t i = 0; i < q->n_states && !err; i++) {
		const struct state *s = &q->state[i];
		unsigned day = s->slot_ns ? row_day(s->slot_ns, horizon_of(s, TIERS - 1)) : days.before;

		days.before = day < days.before ? day : days.before;
	}
	if (err)
		return err;
	sql_begin(q, "SELECT toUInt16(toDate(partition)), partition_id FROM system.parts WHERE active AND database = '%s' "
		  "AND table = '" FILED "' GROUP BY partition, partition_id HAVING sum(rows) = 0", q->database);
	err = request_select(q, take_day, &days);
	for (size_t i = 0; i < days.n && !err; i++) {
		sql_begin(q, "ALTER TABLE %s." FILED " DROP PARTITION ID '%s'", q->database, days.id[i]);
		err = request_run(q);
	}
	return err;
}
