#include "collector/d/emit/plan.h"
#include "test/kit/check.h"

#include <errno.h>

static const struct d_probe probes[] = {
	{ .id = 1, .context = CONTEXT_DTRACE }, { .id = 7, .context = CONTEXT_SYSCALL_ENTRY }, { .id = 8, .context = CONTEXT_SYSCALL_ENTRY },
	{ .id = 300, .context = CONTEXT_TICK }, { .id = 301, .context = CONTEXT_TICK }, { .id = 9, .context = CONTEXT_SYSCALL_RETURN },
};

TEST(probes_of_a_kind_share_a_program)
{
	struct d_clause a = { .id = 0 }, b = { .id = 1 };
	struct d_plan p = { 0 };

	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(d_plan_add(&p, &a, &probes[i]), 0);
	assert_int_equal(d_plan_add(&p, &b, &probes[2]), 0);
	assert_int_equal(d_plan_add(&p, &b, &probes[2]), 0);		/* two descriptions of a clause name it */
	assert_int_equal(p.n_groups, 5);
	assert_int_equal(p.groups[1].n_probes, 2);
	assert_int_equal(p.groups[1].n_clauses, 2);
	assert_int_equal(p.groups[1].entries[0].clauses, 1);
	assert_int_equal(p.groups[1].entries[1].clauses, 3);
	assert_false(d_group_is_uniform(&p.groups[1]));
	assert_true(d_group_is_uniform(&p.groups[4]));
	assert_true(d_group_is_single(&p.groups[2]));
	assert_int_equal(p.groups[3].probes[0]->id, 301);
	d_plan_fini(&p);
}

TEST(clauses_of_shared_programs_are_bounded)
{
	struct d_clause clauses[D_MASK_CLAUSES + 1];
	struct d_plan p = { 0 };

	for (unsigned i = 0; i < D_MASK_CLAUSES; i++) {
		assert_int_equal(d_plan_add(&p, &clauses[i], &probes[1]), 0);
		assert_int_equal(d_plan_add(&p, &clauses[i], &probes[0]), 0);
	}
	assert_int_equal(d_plan_add(&p, &clauses[D_MASK_CLAUSES], &probes[1]), -E2BIG);
	assert_int_equal(d_plan_add(&p, &clauses[D_MASK_CLAUSES], &probes[0]), 0);
	assert_true(d_group_is_uniform(&p.groups[0]));
	d_plan_fini(&p);
}

TEST_MAIN()
