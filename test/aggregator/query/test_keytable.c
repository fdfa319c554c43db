#include "test/kit/check.h"
#include "aggregator/query/keytable.h"

#include <errno.h>

TEST(every_key_keeps_its_number)
{
	struct keytable t = { 0 };
	__u8 bytes[3];

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 3000; i++) {
			struct labels key = { bytes, (__u16)(i % 4 ? 3 : 2) };

			bytes[0] = (__u8)i;
			bytes[1] = (__u8)(i >> 8);
			bytes[2] = (__u8)(i % 4);
			assert_int_equal(keytable_find(&t, &key), round ? i : -ENOENT);
			assert_int_equal(keytable_at(&t, &key), i);
		}
	assert_int_equal(t.n_keys, 3000);
	keytable_fini(&t);
}

TEST(no_fields_are_a_key_too)
{
	struct keytable t = { 0 };
	struct labels none = { NULL, 0 }, one = { (const __u8 *)"\1a", 2 };

	assert_int_equal(keytable_at(&t, &none), 0);
	assert_int_equal(keytable_at(&t, &one), 1);
	assert_int_equal(keytable_at(&t, &none), 0);
	keytable_fini(&t);
}

TEST_MAIN()
