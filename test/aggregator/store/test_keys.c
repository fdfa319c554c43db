#include "aggregator/store/keys.h"
#include "test/kit/check.h"

#include <stdio.h>

static struct kept_key *take(struct keys *k, int number)
{
	struct bytes out = { 0 };
	struct kept_key *key;
	char text[32];

	snprintf(text, sizeof(text), "key %d", number);
	labels_put(&out, text);
	key = keys_take(k, &(struct labels){ out.data, (__u16)out.len });
	assert_non_null(key);
	bytes_fini(&out);
	return key;
}

TEST(the_same_bytes_are_kept_once)
{
	struct kept_key *first[1000];
	struct keys k = { 0 };

	for (int i = 0; i < 1000; i++)
		first[i] = take(&k, i);
	for (int i = 0; i < 1000; i++)
		assert_ptr_equal(take(&k, i), first[i]);
	assert_int_equal(k.n_keys, 1000);
	keys_fini(&k);
	assert_int_equal(k.n_keys, 0);
}

TEST(a_key_goes_with_its_last_user)
{
	struct kept_key *key[200];
	struct keys k = { 0 };

	for (int i = 0; i < 200; i++)
		key[i] = take(&k, i % 100);
	for (int i = 0; i < 100; i++)
		keys_drop(&k, key[i]);
	assert_int_equal(k.n_keys, 100);
	for (int i = 100; i < 200; i++)
		keys_drop(&k, key[i]);
	assert_int_equal(k.n_keys, 0);
	keys_fini(&k);
}

TEST(no_bytes_are_a_key_too)
{
	const struct labels none = { 0 };
	struct keys k = { 0 };
	struct kept_key *key = keys_take(&k, &none);

	assert_non_null(key);
	assert_int_equal(key->labels.len, 0);
	assert_ptr_equal(keys_take(&k, &none), key);
	keys_fini(&k);
}

TEST_MAIN()
