#include "collector/d/emit/registers.h"
#include "test/kit/check.h"

#include <errno.h>

/* n values that live at the same time. */
static void many(struct d_ir *ir, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		d_ir_add(ir, (struct d_ins){ .op = IR_CONST, .dst = d_ir_register(ir) });
	for (unsigned i = 0; i < n; i++)
		d_ir_add(ir, (struct d_ins){ .op = IR_PUT, .a = i + 1 });
}

TEST(three_in_registers_the_others_on_the_stack)
{
	struct d_ir ir = { 0 };
	struct d_register_place *place;

	many(&ir, 5);
	assert_int_equal(d_registers_assign(&ir, 16, &place), 0);
	assert_int_equal(place[1].bpf, 6);
	assert_int_equal(place[2].bpf, 7);
	assert_int_equal(place[3].bpf, 8);
	assert_int_equal(place[4].bpf, 0);
	assert_int_equal(place[4].offset, -24);
	assert_int_equal(place[5].offset, -32);
	free(place);
	d_ir_fini(&ir);
}

TEST(refuses_more_than_the_stack_holds)
{
	struct d_register_place *place;

	for (unsigned extra = 0; extra < 2; extra++) {
		struct d_ir ir = { 0 };

		many(&ir, 3 + 62 + extra);
		assert_int_equal(d_registers_assign(&ir, 16, &place), extra ? -E2BIG : 0);
		if (!extra)
			free(place);
		d_ir_fini(&ir);
	}
}

static void random_ir(struct d_ir *ir)
{
	for (unsigned i = 0; i < 200; i++) {
		struct d_ins ins = { .op = IR_ADD, .a = 0, .b = 0 };

		if (ir->n_registers) {
			unsigned back = 1 + (unsigned)check_below(ir->n_registers < 30 ? ir->n_registers : 30);

			ins.a = ir->n_registers + 1 - back;
			ins.b = 1 + ir->n_registers - 1 - (unsigned)check_below(back);
		}
		ins.dst = check_below(4) || !ir->n_registers ? d_ir_register(ir) : ins.a;
		d_ir_add(ir, ins);
	}
}

static bool same(struct d_register_place a, struct d_register_place b) { return a.bpf == b.bpf && (a.bpf || a.offset == b.offset); }

/* No two values share a place while both live. */
TEST(lives_do_not_overlap_in_a_place)
{
	for (unsigned round = 0; round < 200; round++) {
		struct d_ir ir = { 0 };
		struct d_register_place *place;
		size_t first[256], last[256] = { 0 };

		random_ir(&ir);
		assert_int_equal(d_registers_assign(&ir, 0, &place), 0);
		memset(first, 0xff, sizeof(first));
		for (size_t i = 0; i < ir.n; i++) {
			const __u32 used[] = { ir.ins[i].a, ir.ins[i].b, ir.ins[i].dst };

			for (unsigned k = 0; k < 3; k++) {
				first[used[k]] = i < first[used[k]] ? i : first[used[k]];
				last[used[k]] = i;
			}
		}
		for (__u32 a = 1; a <= ir.n_registers; a++)
			for (__u32 b = a + 1; b <= ir.n_registers; b++)
				if (same(place[a], place[b]))
					assert_true(last[a] < first[b] || last[b] < first[a]);
		free(place);
		d_ir_fini(&ir);
	}
}

TEST_MAIN()
