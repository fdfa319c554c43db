/* Claims of a store in memory, by a clock that the test makes.  Each struct owner is a heatscoped. */
#include "aggregator/store/owner.h"
#include "test/kit/check.h"

#include <errno.h>
#include <jansson.h>
#include <unistd.h>

struct bench {
	struct store *store;
	struct owner a, b;
	char reason[256];
};

static void bench_begin(struct bench *b, bool a_is_group, bool b_is_group)
{
	*b = (struct bench){ 0 };
	assert_int_equal(store_memory_open(&b->store), 0);
	assert_int_equal(owner_init(&b->a, a_is_group, 1767225600000000000), 0);
	assert_int_equal(owner_init(&b->b, b_is_group, 1767225601000000000), 0);
}

static void bench_end(struct bench *b)
{
	b->store->ops->close(b->store);
}

/* The text of the store as another machine, or a process that has ended, would have left it. */
static void change_text(struct bench *b, const char *member, json_t *value)
{
	char text[OWNER_TEXT_MAX], *changed;
	json_t *json;

	assert_int_equal(b->store->ops->recall(b->store, "owner", text, sizeof(text)), 0);
	json = json_loads(text, 0, NULL);
	assert_non_null(json_object_get(json, member));
	json_object_set_new(json, member, value);
	changed = json_dumps(json, JSON_COMPACT);
	assert_int_equal(b->store->ops->remember(b->store, "owner", changed), 0);
	free(changed);
	json_decref(json);
}

TEST(one_that_lives_refuses_another_one_and_is_named)
{
	struct bench b;
	char pid[40];

	bench_begin(&b, false, false);
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
	assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), -EAGAIN);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), 0);
	assert_int_equal(owner_claim(&b.b, b.store, 4000, b.reason), -EBUSY);
	snprintf(pid, sizeof(pid), "pid %d, since 2026-01-01 00:00:00 UTC", (int)getpid());
	assert_non_null(strstr(b.reason, pid));
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), 0);
	bench_end(&b);
}

TEST(one_of_another_machine_that_says_nothing_is_replaced_and_ends_if_it_lives)
{
	struct bench b;

	bench_begin(&b, false, false);
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
	change_text(&b, "boot", json_string("of another machine"));
	change_text(&b, "pid", json_integer(4000000));
	assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), -EAGAIN);
	assert_int_equal(owner_claim(&b.b, b.store, 1000 + OWNER_SILENT_MS - 1, b.reason), -EAGAIN);
	assert_int_equal(owner_claim(&b.b, b.store, 1000 + OWNER_SILENT_MS, b.reason), 0);
	assert_int_equal(owner_beat(&b.b, b.store, b.reason), 0);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), -EBUSY);
	assert_int_equal(owner_beat(&b.b, b.store, b.reason), 0);
	bench_end(&b);
}

TEST(one_that_was_killed_on_this_machine_is_replaced_at_once)
{
	static const char *const member[] = { "pid", "began" };

	for (size_t i = 0; i < 2; i++) {	/* no process has the number; another one has it */
		struct bench b;

		bench_begin(&b, false, false);
		assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
		change_text(&b, member[i], json_integer(i ? 1 : 4000000));
		assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), 0);
		bench_end(&b);
	}
}

/* As under ProcSubset=pid, where the boot's id is hidden. */
TEST(one_that_was_killed_is_known_without_the_id_of_the_boot)
{
	static const char *const other[] = { NULL, "machine", "host", "booted", "pids" };
	bool has_id = !access("/etc/machine-id", R_OK);	/* a machine without one is not known by anything else */

	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
		struct bench b;

		bench_begin(&b, false, false);
		assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
		change_text(&b, "boot", json_string(""));
		change_text(&b, "pid", json_integer(4000000));
		if (other[i])
			change_text(&b, other[i], i == 3 ? json_integer(1000) : json_string("another"));
		assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), other[i] || !has_id ? -EAGAIN : 0);
		bench_end(&b);
	}
}

TEST(a_silent_one_that_lives_on_this_machine_is_not_replaced)
{
	struct bench b;

	bench_begin(&b, false, false);
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
	assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), -EAGAIN);
	assert_int_equal(owner_claim(&b.b, b.store, 1000 + 10 * OWNER_SILENT_MS, b.reason), -EAGAIN);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), 0);
	assert_int_equal(owner_claim(&b.b, b.store, 2000 + 10 * OWNER_SILENT_MS, b.reason), -EBUSY);
	bench_end(&b);
}

/* Two containers of one machine: each may be process 1. */
TEST(a_process_of_another_name_space_is_not_looked_up)
{
	struct bench b;

	bench_begin(&b, false, false);
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
	change_text(&b, "pids", json_string("pid:[1]"));
	change_text(&b, "began", json_integer(1));
	assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), -EAGAIN);
	bench_end(&b);
}

TEST(one_that_has_ended_in_order_leaves_the_store_free)
{
	struct bench b;

	bench_begin(&b, false, false);
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
	assert_int_equal(owner_release(&b.a, b.store), 0);
	assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), 0);
	assert_int_equal(owner_release(&b.a, b.store), 0);	/* which is not its own */
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), -EAGAIN);
	bench_end(&b);
}

TEST(of_two_that_claim_at_once_one_ends)
{
	struct bench b;

	bench_begin(&b, false, false);
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
	assert_int_equal(b.store->ops->remember(b.store, "owner", ""), 0);	/* the other one read before that */
	assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), 0);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), -EBUSY);
	assert_int_equal(owner_beat(&b.b, b.store, b.reason), 0);
	bench_end(&b);
}

TEST(a_group_is_one_owner_and_refuses_one_alone)
{
	struct bench b;
	struct owner alone;

	bench_begin(&b, true, true);
	assert_int_equal(owner_init(&alone, false, 0), 0);
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), 0);		/* it leads */
	assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), 0);
	assert_int_equal(owner_claim(&alone, b.store, 1000, b.reason), -EAGAIN);
	assert_int_equal(owner_beat(&b.b, b.store, b.reason), 0);		/* another one leads */
	assert_int_equal(owner_claim(&alone, b.store, 2000, b.reason), -EBUSY);
	assert_non_null(strstr(b.reason, "of a group"));
	bench_end(&b);
}

TEST(a_group_is_refused_by_one_alone_and_stays_if_both_claimed_at_once)
{
	struct bench b;

	bench_begin(&b, false, true);
	assert_int_equal(owner_claim(&b.a, b.store, 1000, b.reason), 0);
	assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), -EAGAIN);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), 0);
	assert_int_equal(owner_claim(&b.b, b.store, 2000, b.reason), -EBUSY);
	assert_int_equal(owner_beat(&b.b, b.store, b.reason), 0);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), -EBUSY);
	bench_end(&b);
}

TEST(a_group_of_another_bus_is_refused_while_the_first_one_lives)
{
	struct bench b;

	bench_begin(&b, true, true);
	assert_int_equal(owner_claim(&b.b, b.store, 1000, b.reason), 0);	/* it does not know its bus yet */
	assert_int_equal(owner_lead(&b.a, b.store, "1", 1000, b.reason), 0);
	assert_int_equal(owner_lead(&b.b, b.store, "2", 1000, b.reason), -EAGAIN);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), 0);
	assert_int_equal(owner_lead(&b.b, b.store, "2", 4000, b.reason), -EAGAIN);
	assert_int_equal(owner_lead(&b.b, b.store, "2", 1001 + OWNER_LEFT_MS, b.reason), -EAGAIN);	/* nothing has changed since */
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), 0);
	assert_int_equal(owner_lead(&b.b, b.store, "2", 1001 + OWNER_LEFT_MS, b.reason), -EBUSY);
	assert_non_null(strstr(b.reason, "by another bus"));
	assert_int_equal(owner_beat(&b.b, b.store, b.reason), -EBUSY);
	assert_int_equal(owner_release(&b.a, b.store), 0);
	assert_int_equal(owner_lead(&b.b, b.store, "2", 5000, b.reason), 0);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), -EBUSY);
	bench_end(&b);
}

/* The bus has lost its disk: the leader lives, and follows. */
TEST(a_group_whose_bus_was_made_new_leads_when_the_old_claim_is_silent)
{
	struct bench b;

	bench_begin(&b, true, true);
	assert_int_equal(owner_lead(&b.a, b.store, "1", 1000, b.reason), 0);
	assert_int_equal(owner_lead(&b.b, b.store, "2", 1000, b.reason), -EAGAIN);
	assert_int_equal(owner_beat(&b.a, b.store, b.reason), 0);		/* its lease has not ended yet */
	assert_int_equal(owner_lead(&b.b, b.store, "2", 1000 + OWNER_LEFT_MS, b.reason), -EAGAIN);
	assert_int_equal(owner_lead(&b.b, b.store, "2", 1000 + OWNER_LEFT_MS + OWNER_SILENT_MS - 1, b.reason), -EAGAIN);
	assert_int_equal(owner_lead(&b.b, b.store, "2", 1000 + OWNER_LEFT_MS + OWNER_SILENT_MS, b.reason), 0);
	assert_int_equal(owner_beat(&b.b, b.store, b.reason), 0);
	bench_end(&b);
}

TEST(the_leader_itself_and_its_own_group_lead_at_once)
{
	struct bench b;

	bench_begin(&b, true, true);
	assert_int_equal(owner_lead(&b.a, b.store, "1", 1000, b.reason), 0);
	assert_int_equal(owner_lead(&b.b, b.store, "1", 1000, b.reason), 0);
	assert_int_equal(owner_lead(&b.b, b.store, "2", 2000, b.reason), 0);	/* its bus was made new */
	change_text(&b, "pid", json_integer(4000000));				/* it was killed */
	assert_int_equal(owner_lead(&b.a, b.store, "1", 3000, b.reason), 0);
	change_text(&b, "bus", json_string(""));				/* by an earlier build */
	assert_int_equal(owner_lead(&b.b, b.store, "3", 4000, b.reason), 0);
	bench_end(&b);
}

TEST_MAIN()
