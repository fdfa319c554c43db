#include "collector/core/slice.h"
#include "test/kit/check.h"

#include <errno.h>

static struct labels made(struct bytes *b, const char *const *text, int n)
{
	bytes_clear(b);
	for (int i = 0; i < n; i++)
		labels_put(b, text[i]);
	return (struct labels){ .bytes = b->data, .len = (__u16)b->len };
}

static void labels_come_out_as_put(void **state)
{
	static const char *const text[] = { "query", "select", NULL };
	struct bytes b = { 0 };
	struct labels key = made(&b, text, 3);
	char out[LABEL_MAX + 1];

	assert_int_equal(labels_count(&key), 3);
	assert_int_equal(labels_text(&key, 0, out), 0);
	assert_string_equal(out, "query");
	assert_int_equal(labels_text(&key, 1, out), 0);
	assert_string_equal(out, "select");
	assert_int_equal(labels_text(&key, 2, out), 0);
	assert_string_equal(out, "other");
	assert_int_equal(labels_text(&key, 3, out), -EINVAL);
	bytes_fini(&b);
}

static void dropping_fields_in_any_order_gives_the_same_key(void **state)
{
	static const char *const text[] = { "a", "bb", "ccc", "dddd" };
	struct bytes b = { 0 }, once = { 0 }, first = { 0 }, twice = { 0 };
	struct labels key = made(&b, text, 4), half;

	labels_keep(&key, 0x9, &once);			/* a, dddd */
	labels_keep(&key, 0xd, &first);			/* a, ccc, dddd */
	half = (struct labels){ .bytes = first.data, .len = (__u16)first.len };
	labels_keep(&half, 0x5, &twice);		/* then a, dddd of those three */
	assert_int_equal(once.len, twice.len);
	assert_memory_equal(once.data, twice.data, once.len);
	bytes_fini(&b);
	bytes_fini(&once);
	bytes_fini(&first);
	bytes_fini(&twice);
}

static void refuses_lengths_that_do_not_add_up(void **state)
{
	static const __u8 past[] = { 3, 'a', 'b' }, many[] = { 0, 0, 0, 0, 0 };
	struct labels key = { .bytes = past, .len = sizeof(past) };
	char out[LABEL_MAX + 1];

	assert_int_equal(labels_count(&key), -EBADMSG);
	assert_int_equal(labels_text(&key, 0, out), -EINVAL);
	key = (struct labels){ .bytes = many, .len = sizeof(many) };
	assert_int_equal(labels_count(&key), -EBADMSG);
}

static void comparing_orders_by_bytes_then_length(void **state)
{
	static const __u8 a[] = { 1, 'a' }, b[] = { 1, 'b' }, longer[] = { 1, 'a', 0 };
	struct labels ka = { a, 2 }, kb = { b, 2 }, kl = { longer, 3 }, none = { NULL, 0 };

	assert_true(labels_compare(&ka, &kb) < 0);
	assert_true(labels_compare(&kb, &ka) > 0);
	assert_true(labels_compare(&ka, &kl) < 0);
	assert_true(labels_compare(&none, &ka) < 0);
	assert_int_equal(labels_compare(&none, &none), 0);
	assert_int_equal(labels_compare(&ka, &ka), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(labels_come_out_as_put),
	cmocka_unit_test(dropping_fields_in_any_order_gives_the_same_key),
	cmocka_unit_test(refuses_lengths_that_do_not_add_up),
	cmocka_unit_test(comparing_orders_by_bytes_then_length),
};

CHECK_MAIN(tests)
