#include "collector/mysql/records.h"
#include "test/kit/check.h"

#include <string.h>

#define LOOP(i, n) for (i = 0; i < (n); i++)

/* Records of any kind and length, in any pieces: whole at the ends of the short ones. */
static void records_are_whole_at_their_ends(void **state)
{
	static const struct { __u8 head[5]; __u32 len; int whole; } cases[] = {
		{ { 0x16, 3, 1, 0, 200 }, 200, 1 }, { { 0x17, 3, 3, 0, 1 }, 1, 1 }, { { 0x17, 3, 3, 0x40, 0x11 }, 16401, 0 },
		{ { 0x17, 3, 3, 0x3f, 0xff }, 16383, 1 }, { { 0x17, 3, 4, 0, 26 }, 26, 1 }, { { 0x17, 3, 3, 0, 0 }, 0, 0 },
	};
	struct records r = { 0 };
	size_t i;
	__u32 at, cut;

	assert_false(records_whole(&r));
	for (cut = 1; cut < 7; cut++)
		LOOP(i, sizeof(cases) / sizeof(*cases)) {
			LOOP(at, RECORD_HEADER) {
				assert_int_equal(records_step(&r, cases[i].head[at], 1000), 1);
				assert_true(at == RECORD_HEADER - 1 || !records_whole(&r));
			}
			for (at = 0; at < cases[i].len;) {
				assert_false(records_whole(&r));
				at += records_step(&r, 0xff, cut * 1000);
			}
			assert_int_equal(at, cases[i].len);
			assert_int_equal(records_whole(&r), cases[i].whole);
		}
}

static void other_bytes_are_no_records(void **state)
{
	static const char *const cases[] = { "\x13", "\x18", "\x17\2", "\x17\4", "\x17\3\5", "GET /" };
	size_t i, at;

	LOOP(i, sizeof(cases) / sizeof(*cases)) {
		struct records r = { 0 };

		LOOP(at, strlen(cases[i]))
			records_step(&r, cases[i][at], 1);
		assert_true(r.lost);
		assert_false(records_whole(&r));
		assert_int_equal(records_step(&r, 0x17, 77), 77);
	}
}

static void lost_is_for_good(void **state)
{
	static const __u8 record[] = { 0x17, 3, 3, 0, 1, 7 };
	struct records r = { 0 };
	size_t at;

	r.lost = 1;			/* as a caller sets it */
	LOOP(at, sizeof(record))
		records_step(&r, record[at], 1);
	assert_false(records_whole(&r));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(records_are_whole_at_their_ends),
	cmocka_unit_test(other_bytes_are_no_records),
	cmocka_unit_test(lost_is_for_good),
};

CHECK_MAIN(tests)
