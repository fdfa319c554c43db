#include "aggregator/base/name_index.h"
#include "test/kit/check.h"

#include <stdio.h>

TEST(each_name_has_its_place)
{
	struct name_index x = { 0 };
	char name[32];

	assert_int_equal(name_index_find(&x, "host0"), NAME_INDEX_NONE);
	for (size_t i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "host%zu", i);
		name_index_put(&x, name, i);
	}
	for (size_t i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "host%zu", i);
		assert_int_equal(name_index_find(&x, name), i);
	}
	assert_int_equal(name_index_find(&x, "host1000"), NAME_INDEX_NONE);
	assert_int_equal(name_index_find(&x, ""), NAME_INDEX_NONE);
	name_index_put(&x, "host7", 0);
	assert_int_equal(name_index_find(&x, "host7"), 0);
	name_index_fini(&x);
	assert_int_equal(name_index_find(&x, "host0"), NAME_INDEX_NONE);
	name_index_put(&x, "host0", 3);
	assert_int_equal(name_index_find(&x, "host0"), 3);
	name_index_fini(&x);
}

TEST_MAIN()
