#include "test/kit/wire_kit.h"

#include <errno.h>

static const __u64 values[] = { 5000, 6000, 7000 };

struct seen {
	int settled, failed, fresh, amended;
	__s64 first, last;
	struct rig *rig;
	__u64 inst;
};

static void settled(void *arg, const struct incoming_batch *a, int err)
{
	struct seen *s = arg;

	s->settled++;
	s->failed += err != 0;
	s->fresh += a->fresh;
	if (!err && s->rig)	/* the law: an acknowledged batch is in the cube, and the cube equals the store */
		assert_int_equal(rig_cubed(s->rig, s->inst), rig_stored(s->rig, s->inst));
}

static void amended(void *arg, __u64 inst, __s64 first, __s64 last)
{
	struct seen *s = arg;

	s->amended++;
	s->first = first;
	s->last = last;
}

static void add(struct rig *r, __u64 inst, __s64 slot, __u32 seq, void *from)
{
	struct bytes data = { 0 };
	struct incoming_batch *a;

	wire_batch(&data, "db1", inst, slot, seq, "query", values, 3);
	assert_int_equal(incoming_batch_new(data.data, data.len, &a), 0);
	a->from = from;
	assert_int_equal(store_queue_add(r->store_queue, a), 0);
	bytes_fini(&data);
}

static __u64 begin(struct rig *r, struct store *store, struct seen *seen)
{
	rig_begin(r, store);
	rig_hello(r, "db1");
	memset(seen, 0, sizeof(*seen));
	store_queue_on_settled(r->store_queue, settled, seen);
	return rig_create(r, wire_request("command"));
}

TEST(a_batch_is_in_cube_and_store_before_it_is_settled)
{
	struct rig r;
	struct seen seen;
	__u64 inst = begin(&r, NULL, &seen);

	seen.rig = &r;
	seen.inst = inst;
	add(&r, inst, 100, 1, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.settled, 1);
	assert_int_equal(rig_cubed(&r, inst), 3);
	assert_int_equal(store_queue_waiting(r.store_queue), 0);
	rig_end(&r);
}

TEST(a_batch_given_twice_is_settled_twice_and_counted_once)
{
	struct rig r;
	struct seen seen;
	__u64 inst = begin(&r, NULL, &seen);

	add(&r, inst, 100, 1, NULL);
	add(&r, inst, 100, 1, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	add(&r, inst, 100, 1, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.settled, 3);
	assert_int_equal(seen.fresh, 1);
	assert_int_equal(rig_stored(&r, inst), 3);
	assert_int_equal(rig_cubed(&r, inst), 3);
	assert_int_equal(store_queue_counters(r.store_queue)->duplicates, 2);
	assert_int_equal(store_queue_counters(r.store_queue)->events, 3);
	rig_end(&r);
}

TEST(observers_learn_of_new_slots_and_not_of_duplicates)
{
	struct rig r;
	struct seen seen;
	__u64 inst = begin(&r, NULL, &seen);
	struct store_queue_observer o = { .amended = amended, .arg = &seen };

	store_queue_observe(r.store_queue, &o);
	add(&r, inst, 100, 1, NULL);
	add(&r, inst, 101, 2, NULL);
	add(&r, inst, 102, 3, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.last, 102);
	assert_true(seen.amended >= 1 && seen.amended <= 2);	/* the first one alone, the others as one range */
	seen.amended = 0;
	add(&r, inst, 101, 2, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.amended, 0);
	add(&r, inst, 101, 4, NULL);				/* an amendment */
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.amended, 1);
	assert_int_equal(seen.first, 101);
	store_queue_unobserve(r.store_queue, &o);
	add(&r, inst, 103, 5, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.amended, 1);
	rig_end(&r);
}

/* A store whose disk is full while the test says so; otherwise it is the memory store. */
static const struct store_ops *real_ops;
static int disk_is_full;

static int answer_is_lost;

static int add_or_fail(struct store *s, const struct batch *b, size_t n, bool *ret_new)
{
	if (answer_is_lost)
		return real_ops->add(s, b, n, ret_new) ?: -EAGAIN;
	return disk_is_full ? -ENOSPC : real_ops->add(s, b, n, ret_new);
}

static struct store *store_that_fails(void)
{
	static struct store_ops ops;
	struct store *store;

	assert_int_equal(store_memory_open(&store), 0);
	real_ops = store->ops;
	ops = *real_ops;
	ops.add = add_or_fail;
	store->ops = &ops;
	return store;
}

TEST(a_commit_that_fails_is_settled_as_failed_and_may_be_tried_again)
{
	struct rig r;
	struct seen seen;
	__u64 inst;

	inst = begin(&r, store_that_fails(), &seen);
	disk_is_full = 1;
	add(&r, inst, 100, 1, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.failed, 1);
	assert_string_equal(store_queue_counters(r.store_queue)->failure, strerror(ENOSPC));
	assert_int_equal(rig_cubed(&r, inst), 0);
	assert_int_equal(store_queue_waiting(r.store_queue), 0);
	disk_is_full = 0;
	add(&r, inst, 100, 1, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.fresh, 1);
	assert_string_equal(store_queue_counters(r.store_queue)->failure, "");
	assert_int_equal(rig_cubed(&r, inst), 3);
	rig_end(&r);
}

static void count_call(void *arg) { ++*(int *)arg; }

TEST(slots_of_batches_that_the_store_may_have_are_left_to_it)
{
	int unsure = 0;
	struct store_queue_observer o = { .unsure = count_call, .arg = &unsure };
	__s64 first, last;
	struct rig r;
	struct seen seen;
	__u64 inst;

	inst = begin(&r, store_that_fails(), &seen);
	store_queue_observe(r.store_queue, &o);
	add(&r, inst, 100, 1, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	answer_is_lost = 1;
	add(&r, inst, 101, 2, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	answer_is_lost = 0;
	assert_int_equal(seen.failed, 1);
	assert_int_equal(unsure, 1);
	add(&r, inst, 101, 2, NULL);		/* again: the store knows it */
	add(&r, inst, 102, 3, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(rig_stored(&r, inst), 9);
	assert_int_equal(cube_range(r.cube, inst, &first, &last), 0);
	assert_int_equal(first, 102);
	store_queue_unobserve(r.store_queue, &o);
	rig_end(&r);
}

static int texts_calls_before_done;

static int write_text(void *arg, struct store *store)
{
	return store_remember(store, "name", "text");
}

static void written(void *arg, int err) { texts_calls_before_done = *(int *)arg; }

TEST(observers_learn_that_texts_were_written_before_the_job_is_done)
{
	int n = 0;
	struct store_queue_observer o = { .texts = count_call, .arg = &n };
	struct rig r;
	struct seen seen;

	begin(&r, NULL, &seen);
	store_queue_observe(r.store_queue, &o);
	assert_int_equal(store_queue_submit(r.store_queue, write_text, written, &n), 0);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(texts_calls_before_done, 1);
	add(&r, 1, 100, 1, NULL);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(n, 1);
	store_queue_unobserve(r.store_queue, &o);
	rig_end(&r);
}

static int order[8], n_order;

static int job_work(void *arg, struct store *store)
{
	return -(int)(intptr_t)arg;
}

static void job_done(void *arg, int err)
{
	assert_int_equal(err, -(int)(intptr_t)arg);
	order[n_order++] = (int)(intptr_t)arg;
}

TEST(jobs_run_in_order_and_hand_back_their_errors)
{
	struct rig r;

	rig_begin(&r, NULL);
	n_order = 0;
	for (intptr_t i = 1; i <= 5; i++)
		assert_int_equal(store_queue_submit(r.store_queue, job_work, job_done, (void *)i), 0);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(n_order, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(order[i], i + 1);
	rig_end(&r);
}

static int queue_nothing(void *arg, struct store *store) { return 0; }

static __u64 present_term(void *arg) { return *(__u64 *)arg; }

static void keep_err(void *arg, int err) { *(int *)arg = err; }

static int remember_led(void *arg, struct store *store) { return store_remember(store, "led", "yes"); }

static bool is_remembered(struct rig *r)
{
	char text[10] = "";

	assert_int_equal(r->store->ops->recall(r->store, "led", text, sizeof(text)), 0);
	assert_int_equal(store_remember(r->store, "led", ""), 0);
	return text[0];
}

/* Before the worker is free, the lease may have ended. */
TEST(a_write_of_a_leader_that_has_ceased_to_lead_is_refused)
{
	static const struct { __u64 then, at_its_turn; int err; } table[] = {
		{ 1, 1, 0 }, { 1, 0, -EREMOTE }, { 1, 2, -EREMOTE },
	};
	struct rig r;
	__u64 term = 1;

	rig_begin(&r, NULL);
	store_queue_lead_by(r.store_queue, present_term, &term);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		int first = 1, err = 1, last = 1;

		assert_int_equal(store_queue_submit(r.store_queue, queue_nothing, keep_err, &first), 0);	/* the worker has it */
		term = table[i].then;
		assert_int_equal(store_queue_submit_write(r.store_queue, remember_led, keep_err, &err), 0);
		assert_int_equal(store_queue_submit(r.store_queue, queue_nothing, keep_err, &last), 0);
		term = table[i].at_its_turn;
		uv_run(&r.loop, UV_RUN_DEFAULT);
		assert_int_equal(first, 0);
		assert_int_equal(err, table[i].err);
		assert_int_equal(last, 0);
		assert_int_equal(is_remembered(&r), !table[i].err);
	}
	rig_end(&r);
}

/* The caller still uses what done() would free. */
TEST(a_write_of_one_that_does_not_lead_is_refused_at_once)
{
	struct rig r;
	__u64 term = 0;

	rig_begin(&r, NULL);
	store_queue_lead_by(r.store_queue, present_term, &term);
	for (int busy = 0; busy < 2; busy++) {
		int first = 1, err = 1;

		if (busy)
			assert_int_equal(store_queue_submit(r.store_queue, queue_nothing, keep_err, &first), 0);
		assert_int_equal(store_queue_submit_write(r.store_queue, remember_led, keep_err, &err), -EREMOTE);
		uv_run(&r.loop, UV_RUN_DEFAULT);
		assert_int_equal(err, 1);
		assert_false(is_remembered(&r));
	}
	rig_end(&r);
}

TEST(draining_finishes_what_waits_and_takes_nothing_more)
{
	struct rig r;
	struct seen seen;
	__u64 inst = begin(&r, NULL, &seen);
	int idle = 0;

	n_order = 0;
	for (__u32 i = 0; i < 50; i++)
		add(&r, inst, 100 + i, i + 1, NULL);
	assert_int_equal(store_queue_submit(r.store_queue, job_work, job_done, (void *)1), 0);
	store_queue_drain(r.store_queue, rig_idle, &idle);
	assert_false(idle);
	assert_int_equal(store_queue_submit(r.store_queue, job_work, job_done, (void *)2), -ESHUTDOWN);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_true(idle);
	assert_int_equal(seen.settled, 50);
	assert_int_equal(n_order, 1);
	assert_int_equal(rig_stored(&r, inst), 150);
	rig_end(&r);
}

static void count_mine(void *arg, const struct incoming_batch *a, int err)
{
	*(int *)arg += a->from != NULL;
}

TEST(a_closed_connection_is_not_named_again)
{
	struct rig r;
	struct seen seen;
	__u64 inst = begin(&r, NULL, &seen);
	int me, mine = 0;

	store_queue_on_settled(r.store_queue, count_mine, &mine);
	add(&r, inst, 100, 1, &me);	/* in flight */
	add(&r, inst, 101, 2, &me);	/* waiting */
	store_queue_disown(r.store_queue, &me);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(mine, 0);
	assert_int_equal(rig_stored(&r, inst), 6);
	rig_end(&r);
}

TEST(waiting_batches_of_a_deleted_instrumentation_are_not_stored)
{
	struct rig r;
	struct seen seen;
	__u64 inst = begin(&r, NULL, &seen);

	for (__u32 i = 0; i < 10; i++)
		add(&r, inst, 100 + i, i + 1, NULL);
	assert_int_equal(catalog_delete(r.catalog, inst, NULL, NULL), 0);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.settled, 10);
	assert_int_equal(rig_stored(&r, inst), 0);
	assert_int_equal(store_queue_waiting(r.store_queue), 0);
	rig_end(&r);
}

/* Like a connection that had to wait, and now goes on. */
static void add_once(void *arg, const struct incoming_batch *a, int err)
{
	struct seen *s = arg;

	if (s->settled++ == 1)		/* the last of those dropped */
		add(s->rig, s->inst, 500, 1, NULL);
}

TEST(batches_added_during_a_drop_are_stored)
{
	struct rig r;
	struct seen seen;
	__u64 gone = begin(&r, NULL, &seen), other = rig_create(&r, wire_request("command"));

	seen.rig = &r;
	seen.inst = other;
	add(&r, other, 100, 9, NULL);	/* in flight */
	add(&r, gone, 100, 1, NULL);
	add(&r, gone, 101, 2, NULL);
	store_queue_on_settled(r.store_queue, add_once, &seen);
	assert_int_equal(catalog_delete(r.catalog, gone, NULL, NULL), 0);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(seen.settled, 4);
	assert_int_equal(rig_stored(&r, other), 6);
	assert_int_equal(store_queue_waiting(r.store_queue), 0);
	rig_end(&r);
}

static int count_work(void *arg, struct store *store)
{
	++*(int *)arg;
	return 0;
}

static void count_done(void *arg, int err)
{
	*(int *)arg += 10;
}

TEST(nothing_runs_before_it_begins)
{
	struct store_queue *store_queue;
	struct rig r;
	int n = 0;

	rig_begin(&r, NULL);
	assert_int_equal(store_queue_new(&r.loop, r.store, r.cube, &store_queue), 0);
	assert_int_equal(store_queue_submit(store_queue, count_work, count_done, &n), 0);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(n, 0);
	store_queue_begin(store_queue);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	assert_int_equal(n, 11);
	store_queue_free(store_queue);
	rig_end(&r);
}

TEST_MAIN()
