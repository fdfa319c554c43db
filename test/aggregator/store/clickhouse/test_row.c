#include "aggregator/store/clickhouse/row.h"
#include "test/kit/check.h"

#include <errno.h>
#include <stdint.h>

#define RULER_NS RULER(UNIT_NS, 5, 10, 39)

static void put_head(struct bytes *out, const __u64 head[4])
{
	bytes_put_int(out, 86400, 8);
	bytes_put_int(out, 1, 1);
	bytes_put_int(out, 2, 1);
	bytes_put_int(out, RULER_NS, 8);
	row_put_text(out, "\3abc", 4);
	for (int i = 0; i < 4; i++)
		bytes_put_int(out, head[i], 8);
}

/* A row of an older version, as ClickHouse gives it for one slice. */
static void put_sums(struct bytes *out, const __u64 head[4], const __u16 *bucket, const __u64 *count, size_t n)
{
	put_head(out, head);
	bytes_put_varint(out, n);
	for (size_t i = 0; i < n; i++)
		bytes_put_int(out, bucket[i], 2);
	bytes_put_varint(out, n);
	for (size_t i = 0; i < n; i++)
		bytes_put_int(out, count[i], 8);
	row_put_text(out, "", 0);
}

static void put_bytes(struct bytes *out, const __u64 head[4], const void *data, size_t len)
{
	put_head(out, head);
	bytes_put_int(out, 0, 2);
	row_put_text(out, data, len);
}

static int encoded(const struct bytes *in, struct bytes *ret)
{
	struct cursor c = { .data = in->data, .len = in->len };
	struct row_slice r = row_get_slice(&c);

	bytes_clear(ret);
	if (c.err || c.at != c.len)
		return -EBADMSG;
	return row_slice_encode(&r, ret);
}

TEST(sums_become_the_bytes_of_the_histogram)
{
	struct bytes in = { 0 }, out = { 0 }, want = { 0 };
	struct hist h;

	assert_int_equal(hist_init(&h, RULER_NS), 0);
	hist_record_times(&h, 5000, 3);
	hist_record_times(&h, 900000, 70000);
	hist_encode(&h, &want);
	put_sums(&in, (const __u64[]){ h.count, h.sum, h.min, h.max },
		 (const __u16[]){ (__u16)ruler_cell(RULER_NS, 5000), (__u16)ruler_cell(RULER_NS, 900000) }, (const __u64[]){ 3, 70000 }, 2);
	assert_int_equal(encoded(&in, &out), 0);
	assert_int_equal(out.len, want.len);
	assert_memory_equal(out.data, want.data, want.len);
	bytes_clear(&in);
	put_bytes(&in, (const __u64[]){ h.count, h.sum, h.min, h.max }, want.data, want.len);
	assert_int_equal(encoded(&in, &out), 0);
	assert_int_equal(out.len, want.len);
	assert_memory_equal(out.data, want.data, want.len);
	for (size_t len = 1; len < want.len; len++) {	/* damaged: cut */
		bytes_clear(&in);
		put_bytes(&in, (const __u64[]){ h.count, h.sum, h.min, h.max }, want.data, len);
		assert_int_equal(encoded(&in, &out), -EBADMSG);
		assert_int_equal(out.len, 0);
	}
	hist_fini(&h);
	bytes_fini(&in);
	bytes_fini(&out);
	bytes_fini(&want);
}

/* A row that is not complete yet is recognised at each length: the caller waits for more bytes. */
TEST(a_cut_row_is_an_error_at_every_byte)
{
	struct bytes in = { 0 };

	put_sums(&in, (const __u64[]){ 1, 1, 1, 1 }, (const __u16[]){ 0, 3 }, (const __u64[]){ 1, 2 }, 2);
	for (size_t len = 0; len < in.len; len++) {
		struct cursor c = { .data = in.data, .len = len };

		row_get_slice(&c);
		assert_int_equal(c.err, -EBADMSG);
	}
	bytes_fini(&in);
}

TEST(refuses_buckets_that_the_ruler_does_not_have_or_that_do_not_ascend)
{
	static const __u16 bad[][2] = { { 3, 3 }, { 4, 3 }, { 1, 65535 } };
	struct bytes out = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct bytes in = { 0 };

		put_sums(&in, (const __u64[]){ 2, 2, 1, 1 }, bad[i], (const __u64[]){ 1, 1 }, 2);
		assert_int_equal(encoded(&in, &out), -EBADMSG);
		assert_int_equal(out.len, 0);
		assert_int_equal(out.err, 0);	/* the next row can be encoded */
		bytes_fini(&in);
	}
	bytes_fini(&out);
}

TEST(a_day_is_that_of_the_slot)
{
	assert_int_equal(row_day(1000000000, 0), 0);
	assert_int_equal(row_day(1000000000, 86399), 0);
	assert_int_equal(row_day(1000000000, 86400), 1);
	assert_int_equal(row_day(100000000, 864000), 1);
	assert_int_equal(row_day(1000000000, -5), 0);
	assert_int_equal(row_day(1000000000, INT64_MAX), 65535);
}

/* The table is ordered by it, so each row of a name has the same one, whatever the length of slots is. */
TEST(a_period_is_a_part_of_a_day_of_its_kind)
{
	static const __u64 slot_ns[] = { 1000000000, 100000000, 1000000 };
	static const struct { enum row_kind kind; __s64 s; } cases[] = {
		{ ROW_SLOT, 120 }, { ROW_MINUTE, 14400 }, { ROW_STEP, 14400 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t j = 0; j < sizeof(slot_ns) / sizeof(*slot_ns); j++) {
			__s64 per_s = (__s64)(1000000000 / slot_ns[j]), per = cases[i].s * per_s, first = 1700006400 * per_s;

			assert_int_equal(row_period_slots(slot_ns[j], cases[i].kind), per);
			assert_int_equal(row_period(slot_ns[j], cases[i].kind, first), first);
			assert_int_equal(row_period(slot_ns[j], cases[i].kind, first + per - 1), first);
			assert_int_equal(row_period(slot_ns[j], cases[i].kind, first + per), first + per);
			assert_int_equal(per % STEP_SLOTS, 0);
			assert_int_equal(86400 % cases[i].s, 0);
		}
	for (int kind = 0; kind <= ROW_WHOLE_STEP; kind++)
		if (kind != ROW_SLOT && kind != ROW_MINUTE && kind != ROW_STEP)
			assert_int_equal(row_period(1000000000, (enum row_kind)kind, 1700006400), 0);
}

TEST_MAIN()
