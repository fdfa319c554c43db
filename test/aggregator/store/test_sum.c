#include "aggregator/store/sum.h"
#include "test/kit/check.h"

#include <errno.h>

static const __u64 ruler = RULER(UNIT_NS, 5, 10, 39), coarse = RULER(UNIT_NS, 0, 10, 39);

static void make(__u64 of, int n, struct bytes *ret)
{
	struct hist h;

	hist_init(&h, of);
	for (int i = 0; i < n; i++)
		hist_record(&h, check_value(), 1);
	hist_encode(&h, ret);
	hist_fini(&h);
}

TEST(adding_in_any_order_gives_the_same_bytes)
{
	struct bytes part[3] = { 0 };
	struct sum a = { 0 }, b = { 0 };

	for (int i = 0; i < 3; i++)
		make(ruler, 10 * (i + 1), &part[i]);
	assert_int_equal(sum_begin(&a, ruler), 0);
	assert_int_equal(sum_begin(&b, coarse), 0);	/* the scratch of another ruler must not matter */
	assert_int_equal(sum_begin(&b, ruler), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(sum_add(&a, part[i].data, part[i].len), 0);
		assert_int_equal(sum_add(&b, part[2 - i].data, part[2 - i].len), 0);
	}
	assert_int_equal(sum_end(&a), 0);
	assert_int_equal(sum_end(&b), 0);
	assert_int_equal(a.hist.count, 60);
	assert_int_equal(a.bytes.len, b.bytes.len);
	assert_memory_equal(a.bytes.data, b.bytes.data, a.bytes.len);
	for (int i = 0; i < 3; i++)
		bytes_fini(&part[i]);
	sum_fini(&a);
	sum_fini(&b);
}

TEST(refuses_malformed_histograms)
{
	struct bytes good = { 0 };
	struct sum s = { 0 };

	make(ruler, 10, &good);
	assert_int_equal(hist_check(ruler, good.data, good.len), 0);
	for (size_t len = 0; len < good.len; len++) {
		assert_int_equal(hist_check(ruler, good.data, len), -EBADMSG);
		assert_int_equal(sum_two(&s, ruler, good.data, good.len, good.data, len), -EBADMSG);
	}
	assert_int_equal(hist_check(0, good.data, good.len), -EBADMSG);
	assert_int_equal(sum_begin(&s, 0), -EINVAL);
	assert_int_equal(sum_two(&s, ruler, good.data, good.len, good.data, good.len), 0);
	assert_int_equal(s.hist.count, 20);
	bytes_fini(&good);
	sum_fini(&s);
}

TEST_MAIN()
