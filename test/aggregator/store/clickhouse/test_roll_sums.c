#include "aggregator/store/clickhouse/roll_sums.h"
#include "test/kit/check.h"
#include "test/kit/store_kit.h"

#include <errno.h>

#define SLOT_NS 1000000000ull
#define FIRST 1700000040ll		/* a whole minute */
#define END (FIRST + 600)

static const struct kit_shape shape = { .n_sources = 3, .n_keys = 4, .n_axes = 2, .n_slices = 5, .first = FIRST, .last = END - 1 };

/* Adds all slices of the batches, those of the batches from `late` on as late ones, and returns the rows. */
static struct bytes rows_of(const struct batch *batch, size_t n, size_t late, int tier)
{
	struct roll_sums r;
	struct bytes out = { 0 };
	__s64 end = tier == 1 ? END : FIRST + 3600;

	assert_int_equal(roll_sums_begin(&r, SLOT_NS, tier, FIRST, end), 0);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < batch[i].n_slices; j++)
			assert_int_equal(roll_sums_add(&r, batch[i].slot, &batch[i].slice[j], i >= late), 0);
	assert_int_equal(roll_sums_put(&r, &(struct row){ .inst = KIT_INST, .version = 9 }, &out), 0);
	roll_sums_fini(&r);
	return out;
}

static void assert_same(struct bytes a, struct bytes b)
{
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	bytes_fini(&a);
	bytes_fini(&b);
}

TEST(rows_do_not_depend_on_the_order)
{
	enum { N = 200 };

	for (int tier = 1; tier <= 2; tier++) {
		struct batch *batch = kit_batches(&shape, N);
		struct bytes in_order = rows_of(batch, N, N, tier);

		assert_true(in_order.len > 0);
		kit_shuffle(batch, N);
		assert_same(in_order, rows_of(batch, N, N, tier));
		kit_free(batch, N);
	}
}

struct found {				/* rows of a kind */
	__u64 rows;
	__u64 events;
};

/* Reads what row_put() writes, see ROW_COLUMNS. */
static void find_rows(const struct bytes *rows, struct found found[ROW_WHOLE_STEP + 1])
{
	struct cursor c = { .data = rows->data, .len = rows->len };
	const __u8 *array;

	memset(found, 0, (ROW_WHOLE_STEP + 1) * sizeof(*found));
	while (c.at < c.len && !c.err) {
		unsigned kind;

		cursor_get(&c, 8 + 2 + 8 + 4);
		kind = (unsigned)cursor_get_int(&c, 1);
		assert_true(kind <= ROW_WHOLE_STEP);
		cursor_get(&c, 1 + 1 + 8);
		row_get_text(&c);			/* key */
		cursor_get(&c, 8);
		assert_int_equal(row_get_text(&c).len, 0);	/* source */
		cursor_get(&c, 8 + 8 + 4 + 4 + 8 + 8 + 8);
		found[kind].rows++;
		found[kind].events += cursor_get_int(&c, 8);
		cursor_get(&c, 3 * 8 + 1);
		row_get_array(&c, 2, &array);
		for (int i = 0; i < 3; i++)
			row_get_array(&c, 8, &array);
		row_get_text(&c);
	}
	assert_int_equal(c.err, 0);
}

/* An empty sum has a row, which replaces an earlier one. */
TEST(late_rows_add_nothing_but_leave_their_rows)
{
	static const struct { size_t late; struct found key, minute, whole, step; } cases[] = {	/* rows from `late` on are late */
		{ 3, { 2, 14 }, { 1, 14 }, { 3, 14 }, { 2, 14 } },
		{ 2, { 2, 7 }, { 1, 7 }, { 3, 7 }, { 2, 7 } },
		{ 0, { 2, 0 }, { 1, 0 }, { 3, 0 }, { 2, 0 } },
	};
	struct batch *part[] = { kit_batch("a", FIRST + 5, 1, "x", 5000, 3), kit_batch("a", FIRST + 11, 1, "y", 5000, 4),
				 kit_batch("a", FIRST + 12, 1, "x", 5000, 7) };
	const struct batch batch[] = { *part[0], *part[1], *part[2] };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes rows = rows_of(batch, 3, cases[i].late, 1);
		struct found found[ROW_WHOLE_STEP + 1];

		find_rows(&rows, found);
		assert_memory_equal(&found[ROW_MINUTE], &cases[i].key, sizeof(*found));
		assert_memory_equal(&found[ROW_WHOLE_MINUTE], &cases[i].minute, sizeof(*found));
		assert_memory_equal(&found[ROW_WHOLE], &cases[i].whole, sizeof(*found));
		assert_memory_equal(&found[ROW_WHOLE_STEP], &cases[i].step, sizeof(*found));
		assert_int_equal(found[ROW_STEP].rows, 3);
		bytes_fini(&rows);
	}
	for (size_t i = 0; i < 3; i++)
		kit_free(part[i], 1);
}

TEST(refuses_a_slot_that_is_not_in_the_range)
{
	struct batch *b = kit_batch("a", END, 1, "x", 5000, 3);
	struct roll_sums r;

	assert_int_equal(roll_sums_begin(&r, SLOT_NS, 1, FIRST, END), 0);
	assert_int_equal(roll_sums_add(&r, b->slot, b->slice, false), -EINVAL);
	assert_int_equal(roll_sums_add(&r, FIRST - 1, b->slice, false), -EINVAL);
	roll_sums_fini(&r);
	kit_free(b, 1);
}

TEST_MAIN()
