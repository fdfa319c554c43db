/* Several handles of one database, on the ClickHouse server at $CLICKHOUSE_URL, are as one store in memory: whatever the
 * order of their calls, and if calls of one come in the middle of those of another. */
#include "test/aggregator/store/clickhouse/gate.h"
#include "test/kit/check.h"
#include "test/kit/store_kit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define HANDLES 3
#define FROM 1700000123ll
#define TO 1700018123ll			/* five hours later */

static const struct kit_shape hours = {
	.n_sources = 3, .n_keys = 4, .n_axes = 2, .n_slices = 5, .first = FROM, .last = TO, .losses = 9,
};

struct shared {
	char database[40];
	struct store *handle[HANDLES];	/* the last one is the leader's */
	struct store *memory;
	struct gate *gate;		/* of handle 0 */
};

static struct store *open_handle(const char *url, const char *database)
{
	const struct store_clickhouse_conf conf = { .url = url, .database = database, .user = "", .password = "", .ca = "" };
	char reason[256] = "";
	struct store *s;

	if (store_clickhouse_open(&conf, &s, reason, sizeof(reason)))
		fail_msg("%s", reason);
	return s;
}

static void name_database(char name[40])
{
	static int n;

	snprintf(name, 40, "shared_%d_%d", (int)getpid(), n++);
}

static int shared_setup(void **state)
{
	struct shared *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_non_null(getenv("CLICKHOUSE_URL"));
	name_database(f->database);
	f->gate = gate_open(getenv("CLICKHOUSE_URL"));
	for (int i = 0; i < HANDLES; i++)
		f->handle[i] = open_handle(i ? getenv("CLICKHOUSE_URL") : gate_url(f->gate), f->database);
	assert_int_equal(store_memory_open(&f->memory), 0);
	*state = f;
	return 0;
}

static int shared_teardown(void **state)
{
	struct shared *f = *state;

	for (int i = 0; i < HANDLES; i++)
		f->handle[i]->ops->close(f->handle[i]);
	f->memory->ops->close(f->memory);
	gate_close(f->gate);
	free(f);
	return 0;
}

#define SHARED_TEST(name) TEST_WITH(name, shared_setup, shared_teardown)

static struct store *leader_of(struct shared *f) { return f->handle[HANDLES - 1]; }
static struct store *any_of(struct shared *f) { return f->handle[check_below(HANDLES)]; }

/* --- comparing --- */

static void assert_range(struct store *s, struct store *memory, const struct store_range *range)
{
	__s64 first = 0, last = 0, want_first = 0, want_last = 0;
	struct gathered *want, *got;

	assert_int_equal(kit_read_range(memory, range, &want), 0);
	if (kit_read_range(s, range, &got))
		fail_msg("%s", s->reason);
	assert_int_equal(gathered_dropped(got, &first, &last), gathered_dropped(want, &want_first, &want_last));
	assert_int_equal(first, want_first);
	assert_int_equal(last, want_last);
	kit_assert_same(want, got);
	gathered_free(want);
	gathered_free(got);
}

/* Compares all tiers, as a whole and in a random part. */
static void assert_as_memory(struct shared *f, struct store *s)
{
	static const int grain[] = { 0, 4, 12, 60, 300 };

	for (int i = 0; i < 2 * TIERS; i++) {
		struct store_range range = { .first = 0, .last = TO + 7200, .axis = -1, .weight = -1, .tier = i / 2, .whole = check_below(2),
					     .grain = grain[check_below(5)] };

		if (i % 2) {
			range.first = FROM + (__s64)check_below(TO - FROM);
			range.last = range.first + (__s64)check_below(9000);
		}
		assert_range(s, f->memory, &range);
	}
}

/* --- calls that follow one another --- */

static void add_both(struct shared *f, struct store *s, const struct batch *batch, size_t n)
{
	bool want[8], got[8];

	assert_int_equal(f->memory->ops->add(f->memory, batch, n, want), 0);
	if (s->ops->add(s, batch, n, got))
		fail_msg("%s", s->reason);
	assert_memory_equal(want, got, n * sizeof(*got));
}

/* The present slot and the horizons move together, as for a heatscoped that runs. */
static void horizon_of(__s64 now, __s64 slot[TIERS])
{
	slot[0] = now - 3000 - (__s64)check_below(3000);
	slot[1] = now - 8000 - (__s64)check_below(2000);
	slot[2] = now - 14000;
}

static void lead(struct shared *f, struct store *s, __s64 now)
{
	__s64 slot[TIERS];
	int err = 0;

	switch (check_below(8)) {
	case 0:
		horizon_of(now, slot);
		f->memory->ops->expire(f->memory, KIT_INST, slot);
		err = s->ops->expire(s, KIT_INST, slot);
		break;
	case 1:
		if (check_below(6))
			break;
		f->memory->ops->inst_delete(f->memory, KIT_INST);
		err = s->ops->inst_delete(s, KIT_INST);
		break;
	default:
		err = s->ops->compact(s, KIT_INST, now - (__s64)check_below(1200));
	}
	if (err)
		fail_msg("%s", s->reason);
}

SHARED_TEST(calls_of_several_handles_are_as_those_of_one)
{
	enum { BATCHES = 240, STEPS = 160 };
	struct shared *f = *state;
	struct batch *batch = kit_batches(&hours, BATCHES);

	for (int step = 0; step < STEPS; step++) {
		__s64 now = FROM + (TO - FROM) * step / STEPS;
		size_t at = check_below(BATCHES - 8);

		if (check_below(4))
			add_both(f, any_of(f), batch + at, 1 + check_below(8));
		else
			lead(f, any_of(f), now);
		if (step % 8 == 0)
			assert_as_memory(f, any_of(f));
	}
	assert_as_memory(f, any_of(f));
	kit_free(batch, BATCHES);
}

/* A text that was written by a process whose clock is a year ahead. */
static void write_ahead(const char *database, const char *name)
{
	char sql[300];

	snprintf(sql, sizeof(sql), "INSERT INTO %s.text VALUES ('kept.%s','ahead',%llu)", database, name,
		 ((unsigned long long)time(NULL) + 31536000) * 1000000000);
	gate_ask_server(sql);
}

SHARED_TEST(a_text_replaces_one_of_a_clock_that_is_ahead)
{
	struct shared *f = *state;
	char text[20];

	write_ahead(f->database, "text");
	for (int i = 0; i < 4; i++) {
		struct store *s = any_of(f);

		assert_int_equal(s->ops->recall(s, "text", text, sizeof(text)), 0);
		assert_string_equal(text, i ? i % 2 ? "a" : "b" : "ahead");
		s = any_of(f);
		assert_int_equal(s->ops->remember(s, "text", i % 2 ? "b" : "a"), 0);
	}
}

SHARED_TEST(ids_and_texts_are_those_of_all)
{
	struct shared *f = *state;
	char text[20], uuid[HANDLES][40];
	__u64 id, last = 0;

	for (int i = 0; i < HANDLES; i++)
		assert_int_equal(f->handle[i]->ops->identity(f->handle[i], uuid[i]), 0);
	assert_string_equal(uuid[0], uuid[1]);
	assert_string_equal(uuid[0], uuid[2]);
	for (int i = 0; i < 30; i++) {
		struct store *s = any_of(f);

		assert_int_equal(s->ops->next_id(s, &id), 0);
		assert_true(id > last);
		last = id;
		s = any_of(f);
		snprintf(text, sizeof(text), "%d", i);
		assert_int_equal(s->ops->remember(s, "text", text), 0);
		s = any_of(f);
		assert_int_equal(s->ops->recall(s, "text", text, sizeof(text)), 0);
		assert_int_equal(atoi(text), i);
	}
}

/* --- a call in the middle of add() --- */

struct middle {
	struct shared *f;
	const struct batch *batch;
	size_t n;
	__s64 now;
	int what, err;
	bool is_new[8];
};

enum { MIDDLE_COMPACT, MIDDLE_EXPIRE, MIDDLE_SAME, MIDDLE_DELETE, MIDDLES };

static void act_in_middle(void *arg)
{
	struct middle *m = arg;
	struct store *leader = leader_of(m->f), *other = m->f->handle[1];
	const __s64 horizon[TIERS] = { m->now - 500, m->now - 4000, m->now - 14000 };

	if (m->what == MIDDLE_DELETE)
		m->err = leader->ops->inst_delete(leader, KIT_INST);
	else if (m->what == MIDDLE_EXPIRE)
		m->err = leader->ops->expire(leader, KIT_INST, horizon);
	else
		m->err = leader->ops->compact(leader, KIT_INST, m->now);
	if (!m->err && m->what == MIDDLE_SAME)
		m->err = other->ops->add(other, m->batch, m->n, m->is_new);
}

static void add_with(struct middle *m, enum gate_when when)
{
	const __s64 horizon[TIERS] = { m->now - 500, m->now - 4000, m->now - 14000 };
	struct store *memory = m->f->memory, *s = m->f->handle[0];
	bool want[8], got[8];

	gate_act(m->f->gate, when, act_in_middle, m);
	if (s->ops->add(s, m->batch, m->n, got))
		fail_msg("%s", s->reason);
	assert_int_equal(memory->ops->add(memory, m->batch, m->n, want), 0);
	assert_memory_equal(want, got, m->n * sizeof(*got));
	if (gate_acted(m->f->gate) && m->err)
		fail_msg("in the middle: %s", leader_of(m->f)->reason);
	if (!gate_acted(m->f->gate)) {		/* nothing was new */
		gate_act(m->f->gate, GATE_NEVER, NULL, NULL);
		return;
	}
	if (m->what == MIDDLE_EXPIRE)
		memory->ops->expire(memory, KIT_INST, horizon);
	if (m->what == MIDDLE_DELETE)
		memory->ops->inst_delete(memory, KIT_INST);
}

/* The leader acts between the answer to "which are new" and the end of the INSERT.  After its next compact() each tier holds
 * each batch once. */
static void middles(struct shared *f, enum gate_when when)
{
	enum { STEPS = 60 };
	int n_acted = 0;

	for (int step = 0; step < STEPS; step++) {
		struct batch *batch = kit_batches(&hours, 4);
		struct middle m = { .f = f, .batch = batch, .n = 4, .now = FROM + 300 * step + 300 };

		m.what = (int)check_below(step % 20 == 19 ? MIDDLES : MIDDLE_DELETE);

		for (int i = 0; i < 4; i++) {	/* around the slots that are rolled up in the middle */
			batch[i].seq += 10 * (__u32)step;
			batch[i].slot = m.now - (__s64)check_below(4000);
			batch[i].run = batch[i].n_slices ? 1 : batch[i].run % 900;
		}
		add_with(&m, when);
		n_acted += m.err == 0;
		assert_int_equal(leader_of(f)->ops->compact(leader_of(f), KIT_INST, m.now), 0);
		assert_as_memory(f, any_of(f));
		kit_free(batch, 4);
	}
	assert_true(n_acted > STEPS / 2);
}

SHARED_TEST(a_call_before_the_insert_of_another_handle_changes_no_tier)
{
	middles(*state, GATE_BEFORE);
}

SHARED_TEST(a_call_after_the_insert_of_another_handle_changes_no_tier)
{
	middles(*state, GATE_AFTER);
}

/* --- a deletion in the middle of a roll-up --- */

static __u64 rows_in(struct shared *f)
{
	char sql[200];

	snprintf(sql, sizeof(sql), "SELECT count() FROM %s.filed_4", f->database);
	return gate_ask_server(sql);
}

static void delete_in_middle(void *arg)
{
	struct middle *m = arg;
	struct store *leader = leader_of(m->f);

	m->err = leader->ops->inst_delete(leader, KIT_INST);
	for (int i = 0; i < 1000 && rows_in(m->f); i++)		/* the server removes the rows meanwhile */
		usleep(10000);
}

/* The leader rolls up by one handle and deletes by another one. */
SHARED_TEST(a_roll_up_of_what_is_deleted_meanwhile_leaves_no_rows)
{
	struct shared *f = *state;
	struct batch *batch = kit_batches(&hours, 200);
	struct middle m = { .f = f };
	bool is_new[200];

	assert_int_equal(leader_of(f)->ops->add(leader_of(f), batch, 200, is_new), 0);
	assert_true(rows_in(f) > 0);
	gate_act(f->gate, GATE_BEFORE, delete_in_middle, &m);
	assert_int_equal(f->handle[0]->ops->compact(f->handle[0], KIT_INST, TO), 0);
	assert_true(gate_acted(f->gate));
	assert_int_equal(m.err, 0);
	for (int i = 0; i < 1000 && rows_in(f); i++)
		usleep(10000);
	assert_int_equal(rows_in(f), 0);
	kit_free(batch, 200);
}

/* --- questions for names --- */

/* One source sends old slots, while all sources send the present one. */
SHARED_TEST(old_slots_of_one_source_do_not_make_add_read_those_of_all)
{
	enum { SOURCES = 200, SLOTS = 200, BATCHES = SOURCES * SLOTS };
	const struct kit_shape shape = { .n_sources = 1, .n_keys = 1, .n_axes = 1, .n_slices = 1, .first = FROM, .last = FROM };
	struct shared *f = *state;
	struct batch *batch = kit_batches(&shape, BATCHES), *mixed = calloc(SOURCES + SLOTS, sizeof(*mixed));
	bool *is_new = calloc(BATCHES, sizeof(*is_new));
	size_t answered, n_new = 0;

	for (int i = 0; i < BATCHES; i++) {
		batch[i].slot = FROM + i / SOURCES;
		batch[i].run = 1;
		snprintf(batch[i].source, sizeof(batch[i].source), "source%d", i % SOURCES);
	}
	assert_int_equal(f->handle[0]->ops->add(f->handle[0], batch, BATCHES - SOURCES, is_new), 0);
	for (int i = 0; i < SLOTS - 1; i++)
		mixed[i] = batch[i * SOURCES];
	for (int i = 0; i < SOURCES; i++)
		mixed[SLOTS - 1 + i] = batch[BATCHES - SOURCES + i];
	answered = gate_answered(f->gate);
	assert_int_equal(f->handle[0]->ops->add(f->handle[0], mixed, SLOTS - 1 + SOURCES, is_new), 0);
	answered = gate_answered(f->gate) - answered;
	print_message("# the server has answered %zu bytes\n", answered);
	assert_in_range(answered, 1, 250000);	/* all of the 40,000 names are 1,800,000 */
	for (int i = 0; i < SLOTS - 1 + SOURCES; i++)
		n_new += is_new[i];
	assert_int_equal(n_new, SOURCES);
	kit_free(batch, BATCHES);
	free(mixed);
	free(is_new);
}

/* --- an add() in the middle of a roll-up --- */

static void add_in_middle(void *arg)
{
	struct middle *m = arg;
	struct store *other = m->f->handle[1];

	m->err = other->ops->add(other, m->batch, m->n, m->is_new);
}

/* The leader is the handle with the gate.  Each roll-up of minutes or hours is met. */
SHARED_TEST(what_is_added_while_a_tier_is_rolled_up_is_in_it)
{
	struct shared *f = *state;
	struct store *leader = f->handle[0];

	for (int step = 0; step < 40; step++) {
		struct batch *batch = kit_batches(&hours, 4);
		struct middle m = { .f = f, .batch = batch, .n = 4, .now = FROM + 600 * (step + 1), .err = -1 };
		bool want[4];

		for (int i = 0; i < 4; i++) {
			batch[i].seq += 10 * (__u32)step;
			batch[i].slot = m.now - 700 - (__s64)check_below(600);
			batch[i].run = 1;
		}
		gate_act(f->gate, step % 2 ? GATE_AFTER : GATE_BEFORE, add_in_middle, &m);
		assert_int_equal(leader->ops->compact(leader, KIT_INST, m.now), 0);
		if (!gate_acted(f->gate)) {	/* nothing was to roll up */
			gate_act(f->gate, GATE_NEVER, NULL, NULL);
			add_in_middle(&m);
		}
		assert_int_equal(m.err, 0);
		assert_int_equal(f->memory->ops->add(f->memory, batch, 4, want), 0);
		assert_memory_equal(want, m.is_new, sizeof(want));
		assert_int_equal(leader->ops->compact(leader, KIT_INST, m.now), 0);
		assert_as_memory(f, any_of(f));
		kit_free(batch, 4);
	}
}

/* --- calls at once --- */

struct crowd {
	struct shared *f;
	struct batch *batch;
	size_t n;
	_Atomic int running;
	_Atomic size_t n_new, n_failed;
};

struct walker {
	struct crowd *crowd;
	struct store *store;
	unsigned seed;
};

/* Adds each batch, four at a time, in an order of its own: both walkers add all of them. */
static void *walk_add(void *arg)
{
	struct walker *w = arg;
	struct crowd *c = w->crowd;
	size_t n = c->n / 4, from = (size_t)rand_r(&w->seed) % n;

	for (size_t i = 0; i < n; i++) {
		size_t at = (from + i * 7) % n * 4;	/* 7 and n have no common divisor */
		bool is_new[4];

		if (w->store->ops->add(w->store, c->batch + at, 4, is_new))
			c->n_failed++;
		else
			c->n_new += is_new[0] + is_new[1] + is_new[2] + is_new[3];
	}
	c->running--;
	return NULL;
}

static void *walk_lead(void *arg)
{
	struct walker *w = arg;
	__s64 now = FROM;

	while (w->crowd->running) {
		const __s64 horizon[TIERS] = { FROM - 100, FROM - 8000, FROM - 14000 };

		now = now > TO ? FROM : now + 600;
		if (w->store->ops->compact(w->store, KIT_INST, now) || w->store->ops->expire(w->store, KIT_INST, horizon))
			w->crowd->n_failed++;
	}
	return NULL;
}

SHARED_TEST(calls_at_the_same_time_lose_nothing_and_count_nothing_twice)
{
	enum { BATCHES = 320 };
	struct shared *f = *state;
	struct crowd c = { .f = f, .batch = kit_batches(&hours, BATCHES), .n = BATCHES, .running = 2 };
	struct walker walker[HANDLES];
	pthread_t thread[HANDLES];
	bool is_new[BATCHES];
	const __s64 horizon[TIERS] = { FROM - 100, FROM - 8000, FROM - 14000 };

	for (int i = 0; i < HANDLES; i++) {
		walker[i] = (struct walker){ &c, f->handle[i], (unsigned)check_random() };
		assert_int_equal(pthread_create(&thread[i], NULL, i == HANDLES - 1 ? walk_lead : walk_add, &walker[i]), 0);
	}
	for (int i = 0; i < HANDLES; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(c.n_failed, 0);
	assert_true(c.n_new >= BATCHES);
	assert_int_equal(f->memory->ops->add(f->memory, c.batch, BATCHES, is_new), 0);
	assert_int_equal(f->memory->ops->expire(f->memory, KIT_INST, horizon), 0);
	assert_int_equal(leader_of(f)->ops->compact(leader_of(f), KIT_INST, TO), 0);
	assert_as_memory(f, any_of(f));
	kit_free(c.batch, BATCHES);
}

/* --- making one database --- */

struct founder {
	const char *database;
	pthread_barrier_t *start;
	char uuid[40];
	int err;
};

static void *found(void *arg)
{
	struct founder *f = arg;
	const struct store_clickhouse_conf conf = { .url = getenv("CLICKHOUSE_URL"), .database = f->database, .user = "", .password = "", .ca = "" };
	char reason[256] = "";
	struct store *s;

	pthread_barrier_wait(f->start);
	f->err = store_clickhouse_open(&conf, &s, reason, sizeof(reason));
	if (f->err) {
		print_error("# %s\n", reason);
		return NULL;
	}
	f->err = s->ops->identity(s, f->uuid);
	s->ops->close(s);
	return NULL;
}

TEST(a_database_that_two_make_at_once_has_one_identity)
{
	for (int round = 0; round < 12; round++) {
		struct founder founder[3];
		pthread_barrier_t start;
		pthread_t thread[3];
		char database[40];

		name_database(database);
		pthread_barrier_init(&start, NULL, 3);
		for (int i = 0; i < 3; i++) {
			founder[i] = (struct founder){ .database = database, .start = &start };
			assert_int_equal(pthread_create(&thread[i], NULL, found, &founder[i]), 0);
		}
		for (int i = 0; i < 3; i++)
			pthread_join(thread[i], NULL);
		pthread_barrier_destroy(&start);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(founder[i].err, 0);
			assert_int_equal(strlen(founder[i].uuid), 36);
			assert_string_equal(founder[i].uuid, founder[0].uuid);
		}
	}
}

TEST_MAIN()
