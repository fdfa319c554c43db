/* The laws of members.h: one owner for each partition, few moves, and members that come, go and fall silent. */
#include "aggregator/ingest/members.h"
#include "test/kit/check.h"

#include <stdio.h>
#include <string.h>

#define PARTITIONS 16
#define GROUP 5

/* The view of member `self` of a group in which `lives` says who lives. */
static struct members view_of(const char id[GROUP][MEMBER_ID_MAX], const bool lives[GROUP], int self)
{
	struct members m = { 0 };

	snprintf(m.self, sizeof(m.self), "%s", id[self]);
	for (int i = GROUP - 1; i >= 0; i--)
		if (i != self && lives[i])
			assert_non_null(members_see(&m, id[i], 1));
	return m;
}

static int owner_of(const char id[GROUP][MEMBER_ID_MAX], const bool lives[GROUP], unsigned partition)
{
	int owner = -1;

	for (int i = 0; i < GROUP; i++) {
		struct members m = view_of(id, lives, i);

		if (!lives[i] || !members_owns(&m, partition))
			continue;
		assert_int_equal(owner, -1);	/* one owner */
		owner = i;
	}
	assert_true(owner >= 0);		/* at least one */
	return owner;
}

static void random_ids(char id[GROUP][MEMBER_ID_MAX])
{
	for (int i = 0; i < GROUP; i++)
		snprintf(id[i], MEMBER_ID_MAX, "%llx", (unsigned long long)(check_random() | 1ull << 40));
}

TEST(each_partition_has_one_owner_and_few_move)
{
	unsigned n_of[GROUP] = { 0 };

	for (int round = 0; round < 300; round++) {
		char id[GROUP][MEMBER_ID_MAX];
		bool lives[GROUP] = { true, true, true, true, true };
		int gone = (int)(check_below(GROUP));

		random_ids(id);
		for (unsigned p = 0; p < PARTITIONS; p++) {
			int before, after;

			lives[gone] = true;
			before = owner_of(id, lives, p);
			lives[gone] = false;
			after = owner_of(id, lives, p);
			n_of[before]++;
			assert_int_not_equal(after, gone);
			if (before != gone)
				assert_int_equal(after, before);
		}
	}
	for (int i = 0; i < GROUP; i++)		/* of 4,800 a fifth each: 960, within six standard deviations (28) */
		assert_in_range(n_of[i], 960 - 170, 960 + 170);
}

TEST(a_member_alone_owns_all)
{
	struct members m = { .self = "a" };

	for (unsigned p = 0; p < PARTITIONS; p++)
		assert_true(members_owns(&m, p));
}

TEST(a_silent_member_is_found_and_removed)
{
	struct members m = { .self = "a" };
	struct member *b = members_see(&m, "b", 1000), *c = members_see(&m, "c", 3000);

	assert_ptr_equal(members_find(&m, "b"), b);
	assert_int_equal(b->next_feed, 1);
	assert_null(members_silent(&m, 1000 + MEMBER_AGE_MS));
	assert_ptr_equal(members_silent(&m, 1001 + MEMBER_AGE_MS), b);
	c->leads = true;
	members_remove(&m, b);
	assert_null(members_find(&m, "b"));
	assert_string_equal(members_leader(&m)->id, "c");
	assert_ptr_equal(members_see(&m, "c", 9000), members_find(&m, "c"));
	assert_null(members_silent(&m, 9001));
}

TEST(too_many_members_are_refused)
{
	struct members m = { .self = "a" };
	char id[MEMBER_ID_MAX];

	for (int i = 0; i < MEMBERS_MAX; i++) {
		snprintf(id, sizeof(id), "m%d", i);
		assert_non_null(members_see(&m, id, 1));
	}
	assert_null(members_see(&m, "one more", 1));
	assert_non_null(members_see(&m, "m3", 2));
}

TEST_MAIN()
