#include "aggregator/store/store.h"
#include "test/kit/check.h"
#include "test/kit/store_kit.h"

#include <errno.h>

TEST(identities_are_random_uuids)
{
	char a[40], b[40];

	assert_int_equal(store_uuid(a), 0);
	assert_int_equal(store_uuid(b), 0);
	assert_string_not_equal(a, b);
	assert_int_equal(strlen(a), 36);
	for (int i = 0; i < 36; i++)
		assert_int_equal(a[i] == '-', i == 8 || i == 13 || i == 18 || i == 23);
	assert_int_equal(a[14], '4');
	assert_non_null(strchr("89ab", a[19]));
}

TEST(a_malformed_slice_is_refused_with_a_reason)
{
	struct batch *b = kit_batch("db1", 1000, 1, "select", 5000, 3);
	struct slice good = *b->slice, bad[5];
	struct store s = { .reason = "" };
	static const __u8 odd_label[] = { 3, 'x' };

	assert_int_equal(store_check(&s, b), 0);
	assert_string_equal(s.reason, "");
	for (int i = 0; i < 5; i++)
		bad[i] = good;
	bad[0].hist_len--;
	bad[1].ruler = 1;
	bad[2].axis = MEASURES_MAX;
	bad[3].weight = MEASURES_MAX + 1;
	bad[4].key = (struct labels){ odd_label, 2 };
	for (int i = 0; i < 5; i++) {
		s.reason[0] = 0;
		*b->slice = bad[i];
		assert_int_equal(store_check(&s, b), -EBADMSG);
		assert_string_equal(s.reason, "a batch of db1 for slot 1000 contains an invalid slice");
	}
	*b->slice = good;
	kit_free(b, 1);
}

TEST_MAIN()
